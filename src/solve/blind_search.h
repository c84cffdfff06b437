// Blind rules without coins, or with coins for few people: branch and bound over thresholds.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "solve/constraints.h"
#include "solve/pooled_scores.h"

namespace evenhand {

using MixedThresholds = std::vector<std::pair<std::size_t, double>>;  // with their weights

struct BlindSearchOptions {
  // The share of each cell that coins may decide, one score always; none: no coins at all.
  std::optional<double> share = {};
  bool integral = false;  // all objectives without coins are whole numbers
  double magnitude = 1;   // what a gap is relative to
};

struct BlindChoice {
  double value = 0;
  double bound = 0;                       // no rule of the kind has a larger value
  std::vector<MixedThresholds> mixtures;  // of each stratum; empty: none was found
};

// `strata` share the constraints of `system`, and their cells are called by its codes. One stratum
// without coins is searched threshold by threshold; everything else by branch and bound, whose
// relaxation mixes all thresholds between two of them.
BlindChoice choose_blind(const System& system, const std::vector<const PooledScores*>& strata,
                         const BlindSearchOptions& options);

}  // namespace evenhand
