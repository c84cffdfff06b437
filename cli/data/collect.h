// Rows into a tally, in one pass over the data on all cores.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/cell_rows.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/database.h"
#include "data/source.h"
#include "data/values.h"

namespace evenhand::cli {

// Which columns of the data mean what.
struct Columns {
  std::string score;
  bool decisions = false;  // the score is a decision, 0 or 1
  std::vector<std::string> sensitive;
  std::vector<std::string> within;
  std::vector<std::string> also = {};  // further attributes, which nobody is compared by
  std::optional<std::string> label;
  std::optional<std::string> weight;
  bool label_is_harm = false;  // count the label 0 as the favourable outcome

  std::vector<std::string> attributes() const;  // sensitive, within, then others
};

struct Collected {
  Tally tally;
  std::uint64_t rows = 0;      // counted
  std::uint64_t excluded = 0;  // left out because of a missing value
};

// Throws UserError that says which row is wrong and why, or how many values are missing.
Collected collect(Database& database, const Source& source, const Columns& columns,
                  const CellRowsOptions& options, const NullPolicy& nulls);

// Of the same rows, for each cell of the tally.
std::vector<SquaredWeights> squared_weights(Database& database, const Source& source,
                                            const Columns& columns, const Tally& tally,
                                            const NullPolicy& nulls);

}  // namespace evenhand::cli
