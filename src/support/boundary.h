// Where the step between two neighbouring scores belongs.
#pragma once

#include <optional>

#include "support/dyadic.h"

namespace evenhand {

// In the middle between them, or at the upper one where rounding would give the lower; of scores
// cut to intervals, in the middle between these.
inline double boundary_between(double lower, double upper, std::optional<int> level) {
  const double low = level ? interval_end(lower, *level) : lower;
  const double high = level ? interval_start(upper, *level) : upper;
  const double middle = low / 2 + high / 2;
  return middle > lower && middle <= high ? middle : high;
}

}  // namespace evenhand
