// What the stochastic solver knows before its first row: strata, multipliers, boxes, learning rate.
#pragma once

#include <evenhand/sgd.h>

#include <vector>

#include "solve/comparison.h"
#include "solve/problem.h"

namespace evenhand::sgd {

struct Box {
  double low, high;
};

// Cells whose multipliers move together: the compared cells of a stratum, or a single cell for
// equal rates. Group i of the stratum is cells[i]; the first share.size() groups have a multiplier.
struct StratumPlan {
  std::vector<CellCode> cells;
  std::vector<double> share;  // w = 1 - share in the multiplier's own group, -share in the others
  std::vector<Box> box;
  double bound = 0;   // b: rho for equal rates
  double weight = 0;  // of the rows
};

struct Place {
  std::size_t stratum = 0;
  std::size_t group = 0;
};

struct Plan {
  Comparisons comparisons;
  std::vector<StratumPlan> strata;
  std::vector<std::optional<Place>> place;  // of each cell; none: not compared
  double radius = 0;                        // 1 + gamma at unit costs
  double steepest = 0;                      // 1 + |b|: bounds the gradient of a row

  std::size_t multipliers() const;
  double weight() const;
  double learning_rate(double steps) const;  // Proposition 4's
};

// Throws std::invalid_argument for what the method does not serve.
void check(const Criterion& criterion, const SgdOptions& options);
SolveOptions solve_options(const SgdOptions& options);
// With `shares_known` false boxes hold for any shares.
Plan make_plan(const Problem& problem, const SgdOptions& options, bool shares_known = true);

// The price of a positive decision in each cell, given all multipliers in the order of the strata.
std::vector<double> prices(const Plan& plan, const std::vector<double>& multipliers);

// The multipliers' cells, in the same order.
std::vector<CellCode> multiplier_cells(const Plan& plan);

}  // namespace evenhand::sgd
