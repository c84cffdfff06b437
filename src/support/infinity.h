// Beyond every score and every rate.
#pragma once

#include <limits>

namespace evenhand {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace evenhand
