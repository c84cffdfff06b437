// How much each pair may err, and what that allows.
#include <evenhand/confidence.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "confidence/bisect.h"
#include "confidence/check.h"
#include "support/illinois.h"

namespace evenhand {
namespace {

// P(x_i / c_i + x_j / c_j > 1) at most, when both have tails A exp(-x): ln A plus an exponential.
double sum_tail(const Allowance& c) {
  const double a = 1 / c.over;
  const double b = 1 / c.under;
  const double u = 1 - (a + b) * std::log(rate_distance_factor);
  if (u <= 0) return 1;
  if (std::abs(a - b) < 1e-6 * a) return (1 + u / a) * std::exp(-u / a);
  return (a * std::exp(-u / a) - b * std::exp(-u / b)) / (a - b);
}

// The smallest allowance of level alpha of which `share` goes to the first cell. The logarithm of
// the tail is 0 where the sum is ln A / (share (1 - share)), falls from there on and is soon close
// to a line, so that the search takes a few steps; it ends just outside, on the safe side.
Allowance allowance_of_share(double alpha, double share) {
  const auto of = [&](double sum) { return Allowance{share * sum, (1 - share) * sum}; };
  const double goal = std::log(alpha);
  constexpr double tiny = std::numeric_limits<double>::denorm_min();  // stands for what underflows
  const auto excess = [&](double sum) {
    return goal - std::log(std::max(tiny, sum_tail(of(sum))));
  };
  const double low = std::log(rate_distance_factor) / (share * (1 - share));
  double high = 2 * low;
  double at_high = excess(high);
  while (at_high < 0) {
    high *= 2;
    at_high = excess(high);
  }
  double found = illinois(excess, low, goal, high, at_high, 1e-13);
  while (excess(found) < 0) found *= 1 + 1e-14;
  return of(found);
}

// P(X + Y > d) where X and Y have the tails exp(-2 m x^2) of the one-sided inequality, which is
// proved from x = sqrt(ln 2 / 2m) on and therefore 1 below: half of the mass is there. The rest of
// X meets the tail of Y; the product is a normal density but for its factor.
double dkw_tail(double d, const PairSizes& m) {
  const double x0 = std::sqrt(std::numbers::ln2 / (2 * m.over));
  const double y0 = std::sqrt(std::numbers::ln2 / (2 * m.under));
  if (d <= x0 + y0) return 1;
  const auto tail = [](double rows, double x) { return std::exp(-2 * rows * x * x); };
  const double all = m.over + m.under;
  const double middle = m.under * d / all;
  const double low = x0 - middle;
  const double high = d - y0 - middle;
  const double root = std::sqrt(2 * all);
  const double inside = 4 * m.over * std::exp(-2 * m.over * m.under / all * d * d) *
                        ((tail(all, low) - tail(all, high)) / (4 * all) +
                         middle * std::sqrt(std::numbers::pi) / (2 * root) *
                             (std::erf(root * high) - std::erf(root * low)));
  return tail(m.under, d - x0) / 2 + inside + tail(m.over, d - y0);
}

}  // namespace

std::vector<double> pair_levels(std::span<const PairSizes> pairs, double delta) {
  check_level(delta);
  std::vector<double> halves;  // half the harmonic mean of both sizes
  halves.reserve(pairs.size());
  for (const PairSizes& sizes : pairs) {
    if (!(sizes.over > 0 && sizes.under > 0)) {
      throw std::invalid_argument("cells that are compared have rows");
    }
    halves.push_back(sizes.over * sizes.under / (sizes.over + sizes.under));
  }
  if (pairs.empty()) return {};
  const auto share = [](double half, double d) {
    return rate_distance_factor * std::exp(-2 * half * d * d);
  };
  const double width = last_of_bisection(
      0, 50 / std::sqrt(*std::min_element(halves.begin(), halves.end())), [&](double d) {
        double sum = 0;
        for (const double half : halves) sum += share(half, d);
        return sum > delta;
      });
  std::vector<double> out;
  out.reserve(pairs.size());
  for (const double half : halves) {
    out.push_back(delta / (2 * static_cast<double>(pairs.size())) + share(half, width) / 2);
  }
  return out;
}

Allowance same_rate_allowance(double alpha) {
  check_level(alpha);
  const double c = std::log(rate_distance_factor / alpha);
  return {c, c};
}

// Any share is valid, as it depends on sizes alone; this one makes the bound narrow where the rates
// are alike.
Allowance any_rule_allowance(double alpha, const PairSizes& sizes) {
  check_level(alpha);
  const auto width = [&](int n) {
    const Allowance c = allowance_of_share(alpha, n / 64.0);
    return c.over / sizes.over + c.under / sizes.under;
  };
  int low = 1;
  int high = 63;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (width(middle) <= width(middle + 1)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return allowance_of_share(alpha, low / 64.0);
}

double dkw_margin(double alpha, const PairSizes& sizes) {
  check_level(alpha);
  return last_of_bisection(0, 50 / std::sqrt(std::min(sizes.over, sizes.under)),
                           [&](double d) { return dkw_tail(d, sizes) > alpha; });
}

// Levels depend on sizes alone: pairs of the same sizes, in either order, are worked out once.
PairBounds::PairBounds(std::vector<PairSizes> pairs, double delta, BoundKind kind)
    : pairs_(std::move(pairs)), kind_(kind) {
  const std::vector<double> levels = pair_levels(pairs_, delta);
  std::map<std::pair<double, double>, double> margins;
  std::map<std::pair<double, double>, Allowance> allowances;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (kind == BoundKind::same_rate) {
      allowances_.push_back(same_rate_allowance(levels[i]));
      continue;
    }
    const auto [few, many] = std::minmax(pairs_[i].over, pairs_[i].under);
    const std::pair sizes(few, many);
    if (kind == BoundKind::dkw) {
      const auto [known, fresh] = margins.try_emplace(sizes);
      if (fresh) known->second = dkw_margin(levels[i], {few, many});
      margins_.push_back(known->second);
    } else {
      const auto [known, fresh] = allowances.try_emplace(sizes);
      if (fresh) known->second = any_rule_allowance(levels[i], {few, many});
      const Allowance& found = known->second;
      const bool swapped = pairs_[i].over > pairs_[i].under;
      allowances_.push_back(swapped ? Allowance{found.under, found.over} : found);
    }
  }
}

double PairBounds::difference(std::size_t pair, double over, double under) const {
  const double bound = kind_ == BoundKind::dkw
                           ? over - under + margins_[pair]
                           : difference_at_most(over, under, pairs_[pair], allowances_[pair]);
  return std::clamp(bound, -1.0, 1.0);
}

// By margins, p_j falls below r_j and p_i rises above r_i by no more than the margin together; the
// ratio is least where one of them takes all of it.
double PairBounds::ratio(std::size_t pair, double under, double over) const {
  if (kind_ != BoundKind::dkw) {
    return ratio_at_least(under, over, pairs_[pair], allowances_[pair]);
  }
  const double margin = margins_[pair];
  const double lower = std::max(0.0, under - margin);
  if (lower == 0) return 0;
  return std::min(lower / over, under / std::min(1.0, over + margin));
}

}  // namespace evenhand
