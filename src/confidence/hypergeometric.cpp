#include "confidence/hypergeometric.h"

#include <numbers>

#include "confidence/beta.h"

namespace evenhand {

double Hypergeometric::relative(double at) const {
  double mass = 1;
  for (double k = mode(); k < at && mass > nothing; ++k) mass *= step(k);
  for (double k = mode(); k > at && mass > nothing; --k) mass /= step(k - 1);
  return mass > nothing ? mass : 0;
}

// By binomial masses at the common rate, whose large parts cancel.
double Hypergeometric::probability_of_mode() const {
  const double n = group + others;
  const double k = mode();
  const double rate = positive / n;
  return binomial_mass(group, k, rate) * binomial_mass(others, positive - k, rate) /
         binomial_mass(n, positive, rate);
}

double Draw::from(const Hypergeometric& dealt) {
  const double low = dealt.lowest();
  const double high = dealt.highest();
  if (low >= high) return low;
  // Where the distribution is this wide, a rounded normal one is off by less than 1e-3 of a
  // standard deviation, which no number of draws can tell.
  constexpr double wide = 1e6;
  if (const double variance = dealt.variance(); variance > wide) {
    const double radius = std::sqrt(-2 * std::log(uniform()) * variance);
    const double angle = 2 * std::numbers::pi * uniform();
    return std::clamp(std::round(dealt.mean() + radius * std::cos(angle)), low, high);
  }
  // Takes the mode's mass off a uniform number, then its neighbours' on both sides in turn.
  double left = uniform();
  const double mode = dealt.mode();
  double up = mode, down = mode;
  double mass_up = dealt.probability_of_mode();
  double mass_down = mass_up;
  left -= mass_up;
  while (left > 0 && (up < high || down > low)) {
    if (up < high) {
      mass_up *= dealt.step(up);
      ++up;
      if ((left -= mass_up) <= 0) return up;
    }
    if (down > low) {
      mass_down /= dealt.step(down - 1);
      --down;
      if ((left -= mass_down) <= 0) return down;
    }
    if (mass_up + mass_down <= Hypergeometric::nothing) break;
  }
  return mode;  // also where rounding leaves a rest
}

}  // namespace evenhand
