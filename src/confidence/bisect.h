#pragma once

namespace evenhand {

// Where a condition that holds near `low` and not at `high` ends: the side where it does not hold,
// to the last bit or so.
template <class Condition>
double last_of_bisection(double low, double high, const Condition& holds) {
  for (int round = 0; round < 200; ++round) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high || high - low <= 1e-15 * high) break;
    (holds(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace evenhand
