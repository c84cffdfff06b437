// Cells whose own labels cannot decide them are named.
#pragma once

#include "solve/problem.h"

namespace evenhand {

// Says in the solution whose outcomes each cell's benefits come from, with a note where these are
// not its own, or where it is decided as a whole because nobody has others to lend.
void say_whose_benefits(const Problem& problem, Solution& solution);

}  // namespace evenhand
