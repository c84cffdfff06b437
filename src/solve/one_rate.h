// One rate, cells compared by themselves, no requirements.
#pragma once

#include <evenhand/solve.h>

#include "solve/problem.h"

namespace evenhand {

Solution solve_one_rate(const Problem& problem);

}  // namespace evenhand
