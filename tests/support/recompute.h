// Everything that a solution claims, worked out again from the rows: with plain loops over atoms,
// none of the library's tallies, curves or sums.
#pragma once

#include <evenhand/evenhand.h>

#include <map>
#include <vector>

#include "support/problems.h"

namespace evenhand::testing {

struct Atom {
  double x;  // turned score
  double n = 0, n1 = 0;
  double nh = 0;  // benefit of a positive decision: from the score, or from the labels
};

// The atoms of each cell in ascending order of score; benefits from labels where asked.
struct Atoms {
  Cells cells;
  std::vector<std::vector<Atom>> of;
  bool from_labels = false;
  double magnitude = 0;  // sum |nh|, over pooled labels where benefits come from labels

  double share(CellCode c, const Atom& atom, Rate rate) const;  // a of method.md
  double denominator(CellCode c, Rate rate) const;
};
Atoms atoms_of(const Rows& rows, const Criterion& criterion, const SolveOptions& options);

// The strata of cells that can be compared, by the definition.
std::vector<std::vector<CellCode>> compared_cells(const Atoms& atoms, const Criterion& criterion);

// The optimum, by the linear program over atoms (gamma = 0).
double best_objective(const Atoms& atoms, const Criterion& criterion, double rho);

double base_rate(const Atoms& atoms, const Rows& rows, const SolveOptions& options);

// The upper bound that the solution's multipliers prove, from these alone.
double bound_from_multipliers(const Atoms& atoms, const Solution& solution, double rho);

struct Applied {
  double objective = 0;
  double violation = 0;
  bool nondecreasing = true;
};
// The rule applied to the rows by Rule::probability.
Applied apply(const Rows& rows, const Atoms& atoms, const Solution& solution, double rho);

}  // namespace evenhand::testing
