// So many positive decisions, dealt out at random to the rows of a group and of the others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace evenhand {

// How many of them the group gets.
struct Hypergeometric {
  double group = 0;     // rows
  double others = 0;    // rows
  double positive = 0;  // at most the rows of both

  double lowest() const { return std::max(0.0, positive - others); }
  double highest() const { return std::min(group, positive); }
  double mean() const { return group / (group + others) * positive; }
  double variance() const {
    const double n = group + others;
    return n > 1 ? mean() * (others / n) * ((n - positive) / (n - 1)) : 0;
  }
  double mode() const {
    const double at = std::floor((group + 1) * (positive + 1) / (group + others + 2));
    return std::clamp(at, lowest(), highest());
  }
  // P(k + 1) / P(k)
  double step(double k) const {
    return (group - k) / (k + 1) * ((positive - k) / (others - positive + k + 1));
  }

  // Below this share of the mode's probability there is nothing. Above the numbers that lose their
  // digits, and from which steps would not lead down to 0.
  static constexpr double nothing = 1e-300;

  // Calls see(k, P(k) / P(mode)) from the mode outwards, up to where nothing is left of it.
  template <class See>
  void each(const See& see) const {
    const double from = mode();
    see(from, 1.0);
    double mass = 1;
    for (double k = from; k < highest() && mass > nothing; ++k) see(k + 1, mass *= step(k));
    mass = 1;
    for (double k = from; k > lowest() && mass > nothing; --k) see(k - 1, mass /= step(k - 1));
  }
  double relative(double at) const;  // P(at) / P(mode), by the same steps
  double probability_of_mode() const;
};

// Random deals: the same on every machine for the same seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double from(const Hypergeometric& dealt);

 private:
  double uniform() { return (static_cast<double>(random_() >> 11U) + 0.5) * 0x1p-53; }

  std::mt19937_64 random_;
};

}  // namespace evenhand
