// What a rule is worth, recomputed from the tally: nothing here trusts the search.
#pragma once

#include <evenhand/solve.h>

#include <vector>

#include "solve/comparison.h"
#include "solve/pieces.h"

namespace evenhand {

// Where the benefit comes from, and what a cell's objective and bound are made of.
struct Problem {
  const Tally& tally;
  const Criterion& criterion;
  const SolveOptions& options;
  const Comparisons& comparisons;
  bool from_labels;  // the benefit comes from pooled labels, else from the scores
  double base_from;  // base decisions are positive from this turned score on
  double rho = 0;    // for Relation::target
};

// Fills in primal, dual, gap, violation, magnitude, base, lottery shares, rates and status, given
// the rule and the multipliers. `pieces` of each cell are needed where benefits come from labels.
void evaluate(const Problem& problem, const std::vector<Pieces>& pieces, Solution& solution);

}  // namespace evenhand
