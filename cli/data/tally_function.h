// The aggregate function that turns the rows of a group into a part of a tally.
#pragma once

#include <evenhand/cell_rows.h>

#include <atomic>
#include <cstdint>
#include <limits>
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
  std::size_t noted = 0;      // bytes in TallyFunction::bytes
};

// evenhand_tally(score, label, weight), without those that `options` say are not there. It returns
// an index into `finished`. Must outlive the queries that call it.
struct TallyFunction {
  CellRowsOptions options;
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();  // else the query fails
  std::atomic<std::size_t> bytes = 0;  // of all parts, at the peak of a fit on them
  bool too_large() const noexcept { return bytes.load() > most_bytes; }
  std::vector<std::unique_ptr<TallyPart>> finished = {};
  std::mutex mutex = {};
  std::atomic<std::size_t> chunks = 0;

  void add_to(Database& database);
  void note(TallyPart& part);
};

}  // namespace evenhand::cli
