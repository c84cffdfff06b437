#pragma once

#include <evenhand/scale.h>

namespace evenhand {

// Throws std::invalid_argument unless both are finite, >= 0, and not both 0.
void check_costs(const Costs& costs);

}  // namespace evenhand
