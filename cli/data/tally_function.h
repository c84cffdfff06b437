// The aggregate function that turns the rows of a group into a part of a tally.
#pragma once

#include <evenhand/cell_rows.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "data/database.h"

namespace evenhand::cli {

// What one thread has of one group.
struct TallyPart {
  explicit TallyPart(const CellRowsOptions& options) : rows(options) {}
  CellRows rows;
  std::uint64_t missing = 0;  // rows with a missing number
};

// evenhand_tally(score, label, weight), without those that `options` say are not there. It returns
// an index into `finished`. Must outlive the queries that call it.
struct TallyFunction {
  CellRowsOptions options;
  std::vector<std::unique_ptr<TallyPart>> finished = {};
  std::mutex mutex = {};

  void add_to(Database& database);
};

}  // namespace evenhand::cli
