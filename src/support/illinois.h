#pragma once

#include <cmath>

namespace evenhand {

// Where a rising function has all but vanished, |f| <= close, between `low` (f < 0) and `high`
// (f > 0): regula falsi with the Illinois correction, which cannot stall.
template <class Function>
double illinois(const Function& f, double low, double at_low, double high, double at_high,
                double close) {
  for (int round = 0; round < 100; ++round) {
    const double t = low + (high - low) * (at_low / (at_low - at_high));
    if (!(t > low && t < high)) break;
    const double here = f(t);
    if (std::abs(here) <= close) return t;
    if (here < 0) {
      low = t;
      at_low = here;
      at_high /= 2;
    } else {
      high = t;
      at_high = here;
      at_low /= 2;
    }
  }
  return low > 0 ? low : high;
}

}  // namespace evenhand
