// Bisection over the doubles themselves.
#pragma once

#include <evenhand/scale.h>

#include <bit>
#include <cstdint>
#include <limits>

namespace evenhand {

// The smallest turned score of the reading for which a condition holds that, once it does, holds
// for all larger ones; infinity if there is none.
template <class Condition>
double first_where(const Reading& reading, Condition holds) noexcept {
  if (!holds(reading.highest())) return std::numeric_limits<double>::infinity();
  if (holds(reading.lowest())) return reading.lowest();
  // As integers doubles are in the same order once the negative ones are flipped.
  const auto key = [](double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
  };
  const auto value = [](std::int64_t k) {
    return std::bit_cast<double>(k < 0 ? std::numeric_limits<std::int64_t>::min() - k : k) + 0.0;
  };
  std::int64_t low = key(reading.lowest());
  std::int64_t high = key(reading.highest());
  while (high - 1 > low) {
    const std::int64_t middle = (low & high) + ((low ^ high) >> 1);  // cannot overflow
    (holds(value(middle)) ? high : low) = middle;
  }
  return value(high);
}

}  // namespace evenhand
