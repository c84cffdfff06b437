// Everything that is not one rate: exact equalized odds on the hulls, linear programs for gamma =
// 0, Newton's method for gamma > 0.
#pragma once

#include <evenhand/solve.h>

#include "solve/problem.h"

namespace evenhand {

Solution solve_many(const Problem& problem);

}  // namespace evenhand
