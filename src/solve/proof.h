// The proof of a fit: from prices to bound, rates, violation, gap.
#pragma once

#include <vector>

#include "solve/comparison.h"
#include "solve/constraints.h"
#include "solve/evaluate.h"

namespace evenhand {

// One rate. Given solution.rule and, for each cell, the price of one unit of its rate (0 if not
// compared), fills in solution.cells and all that `evaluate` and `conclude` know. Any prices give a
// bound.
void conclude_with_proof(const Problem& problem, const Comparisons& comparisons,
                         const std::vector<double>& multipliers, Solution& solution);

// Several constraints: the same given solution.rule and the multipliers of solution.constraints.
void conclude_with_proof(const Problem& problem, const System& system, Solution& solution);

// What the cells of each part (parts.h) are worth together, with what the constraints' multipliers
// add to its bound; `cells` is what each cell is worth.
std::vector<Worth> worth_of_parts(const System& system,
                                  const std::vector<std::vector<CellCode>>& alike,
                                  const std::vector<Constraint>& constraints,
                                  const std::vector<Worth>& cells);

// Another rule, with the same multipliers.
void prove_again(const Problem& problem, Solution& solution);

}  // namespace evenhand
