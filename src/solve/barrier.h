// gamma > 0 with comparisons by a tolerance or a ratio among many groups: which pairs matter, and
// about how much.
#pragma once

#include <vector>

#include "solve/chain.h"
#include "solve/constraints.h"

namespace evenhand {

// Constraints with multipliers near the best ones: all that always count, then pairs of the
// comparisons, no more than these have members. An interior point method on the dual, with one
// range of rates for each comparison.
std::vector<Constraint> approximate_dual(const System& system,
                                         const std::vector<const CellCurve*>& curves, double gamma);

}  // namespace evenhand
