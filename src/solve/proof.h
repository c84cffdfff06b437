// The proof of a fit with one rate: from a price for each cell to bound, rates, violation, gap.
#pragma once

#include <vector>

#include "solve/comparison.h"
#include "solve/evaluate.h"

namespace evenhand {

// Given solution.rule and, for each cell, the price of one unit of its rate (0 if not compared),
// fills in solution.cells and all that `evaluate` and `conclude` know. Any prices give a bound.
void conclude_with_proof(const Problem& problem, const Comparisons& comparisons,
                         const std::vector<double>& multipliers, Solution& solution);

}  // namespace evenhand
