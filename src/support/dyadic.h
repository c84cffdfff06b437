// Dyadic intervals [k, k + 1) / 2^level: nested, so that cutting to a fine level and then to a
// coarser one is cutting to the coarser one at once.
#pragma once

#include <evenhand/scale.h>

#include <algorithm>
#include <cmath>

namespace evenhand {

inline constexpr int finest_level = 52;
inline constexpr int coarsest_level = -1000;

// The value that stands for the interval with x in it: its midpoint, clipped to the scale. Cutting
// it again gives the same value; that is why k itself stands where k + 1/2 would be rounded.
class Cutter {
 public:
  Cutter(int level, const Reading& reading) noexcept
      : up_(std::ldexp(1.0, level)),
        down_(std::ldexp(1.0, -level)),
        lowest_(reading.lowest()),
        highest_(reading.highest()) {}

  double operator()(double x) const noexcept {
    const double scaled = x * up_;
    if (!std::isfinite(scaled)) return x;  // its interval is narrower than the spacing of doubles
    double k = std::floor(scaled);
    if (x < 0 && k == 0) k = -1;  // x was so small that scaling lost it
    const double middle = std::abs(k) < 0x1p52 ? k + 0.5 : k;
    return std::clamp(middle * down_, lowest_, highest_);
  }

 private:
  double up_, down_;  // powers of two: multiplying by them rounds only what cannot be kept anyway
  double lowest_, highest_;
};

inline double cut(double x, int level, const Reading& reading) noexcept {
  return Cutter(level, reading)(x);
}

// Where the interval with x in it starts and ends; steps between intervals belong there, since the
// midpoint of two values may lie inside an interval when one of them is clipped.
inline double interval_start(double x, int level) noexcept {
  const double scaled = std::ldexp(x, level);
  return std::isfinite(scaled) ? std::ldexp(std::floor(scaled), -level) : x;
}
inline double interval_end(double x, int level) noexcept {
  const double scaled = std::ldexp(x, level);
  return std::isfinite(scaled) ? std::ldexp(std::floor(scaled) + 1, -level) : x;
}

}  // namespace evenhand
