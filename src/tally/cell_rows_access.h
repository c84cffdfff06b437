// A cell's rows from inside: its counts as a sorted tally, its lists.
#pragma once

#include <evenhand/cell_rows.h>

#include <optional>
#include <span>
#include <vector>

#include "tally/data.h"

namespace evenhand {

class CellRowsAccess {
 public:
  using Blocks = std::vector<std::vector<double>>;

  static void flush(CellRows& cell) { cell.flush(); }
  static std::optional<int> level(const CellRows& cell) { return cell.level_; }
  static const Blocks& scores(const CellRows& cell, bool favourable) {
    return cell.scores_[favourable];
  }
  static const Blocks& weights(const CellRows& cell, bool favourable) {
    return cell.weights_[favourable];
  }

  static Sorted counts_of(std::span<const CellRows> cells);
  static void lower_to(CellRows& cell, std::optional<int> level);
  static std::size_t listed(const CellRows& cell, bool favourable);
  static std::size_t listed(const CellRows& cell) {
    return listed(cell, false) + listed(cell, true);
  }
  static void list_counts(CellRows& cell);  // counted rows among the listed ones, one by one

 private:
  static void append_counts(const CellRows& cell, Sorted& out);
};

}  // namespace evenhand
