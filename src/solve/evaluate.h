// What a rule is worth, recomputed from the tally: nothing here trusts the search.
#pragma once

#include <evenhand/solve.h>

#include <vector>

#include "solve/chain.h"
#include "solve/problem.h"

namespace evenhand {

// Of cells that constraints tie together, and to no others.
struct Worth {
  double primal = 0;
  double dual = 0;
  double magnitude = 0;
  double weight = 0;

  void add(const Worth& other);
};

// Fills in primal, dual (of the cells: constraints add their part), magnitude, base and lottery
// shares of solution.rule, given the cells' prices; returns what the rule reaches in each cell, and
// what each is worth.
struct Evaluated {
  std::vector<Reach> reach;
  std::vector<Worth> worth;
};
Evaluated evaluate(const Problem& problem, const std::vector<CellPrice>& prices,
                   Solution& solution);

// What a rate counts: the weight of positive decisions among its rows.
double numerator(Rate rate, const Reach& reach) noexcept;

// A cell's rate, 0 if it has none.
double rate_of(Rate rate, const Reach& reach, const CellTotal& total) noexcept;

// The largest z q - gamma / 2 q^2 over q in [0, 1].
double largest_reduced(double z, double gamma) noexcept;

// Whether a gap and a violation are small enough to be called optimal.
bool proven(double gap, double violation) noexcept;

// The last step of a search that found `value` and excluded all above `bound`: bound, gap and
// status. It adds up in another order than the tally: what is left of a closed gap is rounding.
void conclude_search(Solution& solution, double value, double bound);

// The last step: bound, gap and status, from dual, primal and violation. Each part has to be proven
// by itself, or one that is next to nothing beside the others might have any rule.
void conclude(Solution& solution, const std::vector<Worth>& parts);

}  // namespace evenhand
