// The ways of solving. All make the same kind of solution; solve.cpp chooses.
#pragma once

#include <evenhand/solve.h>

#include <functional>

#include "solve/evaluate.h"

namespace evenhand {

// Checks what is asked, and works out rho and the base decision. The problem refers to all three.
// Throws std::invalid_argument as solve does.
Problem make_problem(const Tally& tally, const Criterion& criterion, const SolveOptions& options);

// The rule with these responses; cells without rows are decided by the score's own benefit.
Rule make_rule(const Problem& problem, const std::function<Response(CellCode)>& respond);

// One rate, cells compared by themselves, no requirements (one_rate.cpp).
Solution solve_one_rate(const Problem& problem);

// Everything else (many.cpp): exact equalized odds on the hulls, linear programs for gamma = 0,
// Newton's method for gamma > 0.
Solution solve_many(const Problem& problem);

}  // namespace evenhand
