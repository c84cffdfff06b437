// A criterion as linear constraints over the rates of cells.
#pragma once

#include <evenhand/solve.h>

#include <string>
#include <vector>

#include "solve/chain.h"

namespace evenhand {

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
};

// Throws std::invalid_argument as solve does.
System compile(const Tally& tally, const Criterion& criterion, double rho);

// sum over cells of (n * sum n q + n1 * sum n1 q) = the constraint's value.
struct Coefficient {
  CellCode cell;
  double n, n1;
};
std::vector<Coefficient> coefficients(const Constraint& constraint, const Tally& tally);

double rate_of(const PooledRate& pooled, const Tally& tally, const std::vector<Reach>& reach);

double value_of(const std::vector<Coefficient>& coefficients, const std::vector<Reach>& reach);

// Constraints that always count: comparisons without tolerance, targets.
std::vector<Constraint> standing_constraints(const System& system);

// Pairs of a comparison that `reach` violates by more than `slack`.
std::vector<Constraint> violated_pairs(const System& system, const Tally& tally,
                                       const std::vector<Reach>& reach, double slack);

// The largest violation of the whole system.
double violation(const System& system, const Tally& tally, const std::vector<Reach>& reach);

// Prices of all cells: sum over constraints of multiplier * coefficients.
std::vector<CellPrice> prices(const std::vector<Constraint>& constraints, const Tally& tally);

}  // namespace evenhand
