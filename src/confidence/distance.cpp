// Two cells whose observed rates lie near their true ones by the distance J (docs/method.md, "A
// bound without splitting the data").
#include <evenhand/confidence.h>

#include <algorithm>
#include <cmath>

#include "support/illinois.h"

namespace evenhand {
namespace {

constexpr double kappa = 0.02;
constexpr double scale = 1 + 2 * kappa;

double squeezed(double rate) noexcept {
  return (rate + kappa) / scale;
}

double stretched(double squeezed_rate) noexcept {
  return std::clamp(squeezed_rate * scale - kappa, 0.0, 1.0);
}

// x - log(1 + x), which is x^2 / 2 near 0: there the difference itself would be rounding alone.
double log_gap(double x) noexcept {
  if (std::abs(x) > 0.01) return x - std::log1p(x);
  double sum = 0;
  for (int n = 9; n >= 2; --n) sum = 1.0 / n - x * sum;
  return x * x * sum;
}

// A cell in its part of the sum: `weight` is its rows over its allowance.
struct Side {
  double rate;
  double weight;

  // The true rate, squeezed, where `weight J - price p` is least: where the slope of the distance
  // is the price. Never further than 0 or 1.
  double pushed_up(double price) const noexcept {
    const double b = weight * scale;
    const double t = b - price;
    const double root = std::sqrt(t * t + 4 * price * b * squeezed(rate));
    const double q = t > 0 ? 2 * b * squeezed(rate) / (t + root) : (root - t) / (2 * price);
    return std::min(q, squeezed(1));
  }
  double pushed_down(double price) const noexcept {
    const double b = weight * scale;
    const double t = b + price;
    const double q =
        2 * b * squeezed(rate) / (t + std::sqrt(t * t - 4 * price * b * squeezed(rate)));
    return std::max(q, squeezed(0));
  }
  double used(double squeezed_rate) const noexcept {
    const double r = squeezed(rate);
    const double x = squeezed_rate - r;
    return weight * scale * scale * (r * log_gap(x / r) + (1 - r) * log_gap(-x / (1 - r)));
  }
  double variance() const noexcept { return squeezed(rate) * (1 - squeezed(rate)); }
};

struct Extreme {
  double over, under;  // true rates
};

// The largest ratio * p_i - p_j with used_i + used_j <= 1. The root of what is used is close to
// proportional to the price, so that the search takes a few steps; it ends just outside, on the
// safe side.
Extreme extreme(const Side& over, const Side& under, double ratio) {
  const auto excess = [&](double price) {
    return std::sqrt(over.used(over.pushed_up(ratio * price)) +
                     under.used(under.pushed_down(price))) -
           1;
  };
  double high = std::sqrt(
      2 / (ratio * ratio * over.variance() / over.weight + under.variance() / under.weight));
  double at_high = excess(high);
  while (at_high <= 0) {
    // Both at the ends of the scale: the whole of it is allowed.
    if (over.pushed_up(ratio * high) >= squeezed(1) && under.pushed_down(high) <= squeezed(0)) {
      return {1, 0};
    }
    high *= 2;
    at_high = excess(high);
  }
  const double found = illinois(excess, 0, -1, high, at_high, 1e-13);
  const double price = found * (1 + 1e-12);
  return {stretched(over.pushed_up(ratio * price)), stretched(under.pushed_down(price))};
}

}  // namespace

double rate_distance(double observed, double actual) noexcept {
  return Side{observed, 1}.used(squeezed(actual));
}

double difference_at_most(double over, double under, const PairSizes& sizes,
                          const Allowance& allowance, double factor) {
  const Extreme at =
      extreme({over, sizes.over / allowance.over}, {under, sizes.under / allowance.under}, factor);
  return factor * at.over - at.under;
}

// The smallest p_j / p_i: where p_j - t p_i is least at some t, the ratio is below t, and a smaller
// t to go on with, until it stands still (Dinkelbach); convergence is faster than linear.
double ratio_at_least(double under, double over, const PairSizes& sizes,
                      const Allowance& allowance) {
  const Side upper{over, sizes.over / allowance.over};
  const Side lower{under, sizes.under / allowance.under};
  if (under <= 0) return 0;
  double ratio = over > 0 ? under / over : 1;
  for (int round = 0; round < 60; ++round) {
    const Extreme at = extreme(upper, lower, ratio);
    const double next = at.under / at.over;
    const bool still = std::abs(next - ratio) <= 1e-13 * ratio;
    ratio = next;
    if (still || ratio == 0) break;
  }
  return ratio;
}

}  // namespace evenhand
