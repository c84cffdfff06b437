// When no rule meets the requirements.
#pragma once

#include <evenhand/solve.h>

namespace evenhand::cli {

// Says why, as JSON on standard output too if asked, and returns the exit status.
int say_infeasible(const Criterion& criterion, const Infeasibility& why, bool json);

}  // namespace evenhand::cli
