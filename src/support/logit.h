#pragma once

#include <evenhand/scale.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace evenhand {

inline double sigmoid(double z) noexcept {
  return 1 / (1 + std::exp(-z));
}

inline constexpr double largest_logit = 53 * std::numbers::ln2;

// Of the probability of the favourable outcome, from a turned score; NaN on the raw scale. Written
// so that neither small p nor small 1 - p lose digits, and limited where p is 0 or 1
// (TemperatureCurve says to what).
inline double logit_of(double x, const Reading& reading) noexcept {
  const auto limited = [](double z) { return std::clamp(z, -largest_logit, largest_logit); };
  switch (reading.scale) {
    case Scale::probability:
      return limited(reading.favorable == Favorable::high ? std::log(x) - std::log1p(-x)
                                                          : std::log1p(x) - std::log(-x));
    case Scale::signed_:
      return limited(std::log1p(x) - std::log1p(-x));
    case Scale::logit:
      return x;
    case Scale::raw:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace evenhand
