// gamma = 0 with several constraints: a small linear program over vertices of the cells' polygons,
// to which new vertices (columns) are added until none is missing.
// Where several cells share one rule, a column is what a threshold of theirs reaches in all of
// them.
#pragma once

#include <evenhand/solve.h>

#include <functional>
#include <optional>
#include <vector>

#include "solve/chain.h"
#include "solve/constraints.h"

namespace evenhand {

// One of the rules that are mixed for a block: what it reaches in the block's cells.
struct Column {
  double benefit = 0;
  std::vector<std::pair<CellCode, CellPrice>> reach;  // sum n q and sum n1 q of each cell
  std::size_t tag = 0;                                // for whoever made it
};

// Parts of the rule that can be chosen by themselves: cells, or sets of cells that share a rule.
struct Blocks {
  std::size_t count = 0;
  std::function<std::vector<Column>(std::size_t block)> start;  // nobody and everybody, at least
  // The best column for benefit_weight * benefit - prices (of all cells), and its value.
  struct Best {
    Column column;
    double value;
  };
  std::function<Best(std::size_t block, double benefit_weight, const std::vector<CellPrice>& price)>
      best;
};

// Whether the requirements can be met at all, and if not why.
std::optional<Infeasibility> find_infeasibility(const System& system, const Blocks& blocks);

struct Generated {
  std::vector<Reach> reach;  // of each cell; `benefit` where a cell is a block of its own
  std::vector<std::vector<std::pair<std::size_t, double>>> mixture;  // of each block: tag, weight
  std::vector<Constraint> constraints;                               // with their multipliers
  std::optional<Infeasibility> infeasibility;                        // then nothing else
};

// `magnitude` is the size of the objective, for scaling.
Generated generate(const System& system, const Blocks& blocks, double magnitude);

}  // namespace evenhand
