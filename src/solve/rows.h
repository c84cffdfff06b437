// Constraints as rows: linear in what a rule reaches in each cell.
#pragma once

#include <evenhand/solve.h>

#include <vector>

#include "solve/chain.h"

namespace evenhand {

// Who the rates are about: each cell's weight and, as labels count them or else as scores expect
// them, its favourable outcomes.
struct Population {
  std::vector<CellTotal> cells;
  Costs costs;
  // Cells whose n1 in a reach is borrowed, and counts for benefits alone: their own outcomes are
  // all of one kind. Empty: none.
  std::vector<bool> borrows = {};

  // sum n1 q of the cell's own outcomes.
  double outcomes(CellCode c, const Reach& reach) const {
    if (borrows.empty() || !borrows[c]) return reach.n1;
    return cells[c].n1 > 0 ? reach.n : 0;
  }
};

// sum over cells of (n * sum n q + n1 * sum n1 q).
struct Coefficient {
  CellCode cell;
  double n, n1;
};

// The sum of coefficients (<=, = or >=) bound, which says the same as its constraint. Solvers
// divide both by `unit`, so that any row is about as large as a rate, however it was written.
struct Row {
  std::vector<Coefficient> coefficients;
  double bound = 0;
  double unit = 1;
};
Row row_of(const Constraint& constraint, const Population& population);

double value_of(const std::vector<Coefficient>& coefficients, const std::vector<Reach>& reach);

// By how much the rule misses the constraint, in units of a rate; below 0 if it does not.
double violation(const Constraint& constraint, const Population& population,
                 const std::vector<Reach>& reach);

// The measure under a rule; NaN if it divides by nobody.
double measured(const Pooled& pooled, const Population& population,
                const std::vector<Reach>& reach);

// Prices of all cells: sum over constraints of multiplier * coefficients.
std::vector<CellPrice> prices(const std::vector<Constraint>& constraints,
                              const Population& population);

}  // namespace evenhand
