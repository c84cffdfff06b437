// The best rule with few coins or none under any linear constraints: branch and bound.
#pragma once

#include <optional>
#include <vector>

#include "lottery/limits.h"

namespace evenhand {

struct BranchOptions {
  // The share of each cell that coins may decide, one score always; none: no coins at all.
  std::optional<double> share = {};
  bool integral = false;  // all objectives without coins are whole numbers
  double magnitude = 1;   // what a gap is relative to
  std::size_t most_nodes = 1000;
};

struct Branched {
  double value = 0;
  double bound = 0;               // no rule of the kind has a larger value
  std::vector<Mixture> mixtures;  // of each cell; empty: none was found
};

// `points` are those of limits.cells. `start`, thresholds that meet the constraints, may be
// empty.
Branched branch_and_bound(const Limits& limits, const std::vector<Points>& points,
                          const BranchOptions& options, const std::vector<std::size_t>& start = {});

// Coordinate search from these thresholds: the best one of a cell, the others staying, until none
// moves; the least violation first. True if the constraints are met in the end.
bool improve(const Limits& limits, const std::vector<Points>& points, std::vector<std::size_t>& at);

}  // namespace evenhand
