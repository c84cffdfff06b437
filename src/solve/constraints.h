// A criterion as linear constraints over the rates of cells.
#pragma once

#include <evenhand/solve.h>

#include <optional>
#include <string>
#include <vector>

#include "solve/problem.h"
#include "solve/rows.h"

namespace evenhand {

// A rate of all rows of some cells together.
struct PooledRate {
  Rate rate = Rate::selection;
  std::vector<CellCode> cells;
};

// Rates that must be near each other (or near a target): all of them, so that only the pairs that
// matter become constraints.
struct Compared {
  Relation relation = Relation::difference;
  double tolerance = 0;
  double ratio = 1;
  double rho = 0;
  std::vector<PooledRate> members;  // at least two, unless relation is target
  std::vector<std::string> names;   // "tpr[sex=F, race=Black]"
};

struct System {
  std::vector<Compared> comparisons;
  std::vector<Constraint> requirements;
  std::vector<std::string>
      reasons;  // for each cell why nothing compares it; empty if something does
  std::vector<StratumOutcome> strata;
  Population population;
  std::vector<std::string> notes;  // requirements that do not count, and why
};

// Throws std::invalid_argument as solve does.
System compile(const Problem& problem);

Pooled measure_of(const PooledRate& rate);

double rate_of(const PooledRate& pooled, const Population& population,
               const std::vector<Reach>& reach);

// Constraints that always count: comparisons without tolerance, targets.
std::vector<Constraint> standing_constraints(const System& system);

// Pairs of a comparison that `reach` violates by more than `slack`.
std::vector<Constraint> violated_pairs(const System& system, const std::vector<Reach>& reach,
                                       double slack);

// A comparison by a tolerance or a ratio, as one range: all rates lie between `from_bottom` times
// and `from_top` times a common number, plus the tolerance at the top.
struct Range {
  double from_bottom, from_top, tolerance;
};
std::optional<Range> range_of(const Compared& compared);

// The prices of a comparison's rates, which balance each other, as prices of its pairs: those held
// back at the top (> 0) against those at the bottom (< 0).
std::vector<Constraint> priced_pairs(const Compared& compared, const std::vector<double>& price);

// A solution that says who is compared, and nothing else yet.
Solution begun(const Problem& problem, const System& system);

// The largest violation of the whole system.
double violation(const System& system, const std::vector<Reach>& reach);

}  // namespace evenhand
