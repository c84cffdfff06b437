// What a rule is worth, recomputed from the tally: nothing here trusts the search.
#pragma once

#include <evenhand/solve.h>

#include <vector>

#include "solve/chain.h"

namespace evenhand {

// What is being solved, as all ways of solving see it.
struct Problem {
  const Tally& tally;
  const Criterion& criterion;
  const SolveOptions& options;
  bool from_labels;  // the benefit comes from pooled labels, else from the scores
  double base_from;  // base decisions are positive from this turned score on
  Outlook outlook;   // where benefits from scores come from
  double rho = 0;    // for Relation::target
};

// Fills in primal, dual (of the cells: constraints add their part), magnitude, base and lottery
// shares of solution.rule, given the cells' prices; returns what the rule reaches in each cell.
std::vector<Reach> evaluate(const Problem& problem, const std::vector<CellPrice>& prices,
                            Solution& solution);

// What a rate counts: the weight of positive decisions among its rows.
double numerator(Rate rate, const Reach& reach) noexcept;

// A cell's rate, 0 if it has none.
double rate_of(Rate rate, const Reach& reach, const CellTotal& total) noexcept;

// The largest z q - gamma / 2 q^2 over q in [0, 1].
double largest_reduced(double z, double gamma) noexcept;

// Whether a gap and a violation are small enough to be called optimal.
bool proven(double gap, double violation) noexcept;

// The last step: gap and status, from dual, primal and violation.
void conclude(Solution& solution);

}  // namespace evenhand
