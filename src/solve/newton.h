// gamma > 0 with several constraints: Newton's method on the dual.
#pragma once

#include <evenhand/solve.h>

#include <vector>

#include "solve/chain.h"
#include "solve/constraints.h"

namespace evenhand {

// The constraints that matter, with their multipliers; the rule is read off these.
std::vector<Constraint> minimise_dual(const System& system,
                                      const std::vector<const CellCurve*>& curves, double gamma);

}  // namespace evenhand
