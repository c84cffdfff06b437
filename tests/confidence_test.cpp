// Bounds of rates that two cells have in the population: against numbers computed separately
// (docs/method.md), against a slow search over all pairs of true rates, and what must hold of any
// bound.
#include <evenhand/confidence.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/throws.h"
#include "support/trials.h"

namespace evenhand::testing::confidence_test {
namespace {

constexpr double digits = 5.1e-7;  // half a unit of the sixth
constexpr double digits3 = 5.1e-4;

// Two groups at 95 % confidence.
const Allowance usual = same_rate_allowance(0.025);

double bound(double over, double rows_over, double under, double rows_under) {
  return difference_at_most(over, under, {rows_over, rows_under}, usual);
}

PairBounds equal_pairs(std::size_t count, double rows, BoundKind kind) {
  return PairBounds(std::vector<PairSizes>(count, {rows, rows}), 0.05, kind);
}

TEST(Confidence, NumbersOfTheDistance) {
  EXPECT_NEAR(rate_distance(0.2, 0.3), 0.025179, digits);
  EXPECT_NEAR(rate_distance(0, 0.05), 0.027260, digits);
  EXPECT_EQ(rate_distance(0.3, 0.3), 0);
  EXPECT_NEAR(rate_distance_factor, 3.640728, digits);
  EXPECT_NEAR(usual.over, 4.981063, digits);
  EXPECT_EQ(usual.over, usual.under);
}

TEST(Confidence, DistanceKeepsItsDigitsNearZero) {
  // J is x^2 / (2 R (1 - R)) to second order, with R the squeezed rate: at 1e-9 the next term is a
  // part in 1e8 of it.
  const double r = (0.3 + 0.02) / 1.04;
  for (const double x : {1e-6, 1e-7, 1e-9}) {
    EXPECT_NEAR(rate_distance(0.3, 0.3 + x) / (x * x / (2 * r * (1 - r))), 1, 3 * x + 1e-7);
  }
}

TEST(Confidence, NumbersOfTheSameRate) {
  EXPECT_NEAR(bound(0.2, 200, 0.2, 200), 0.129561, digits);
  EXPECT_NEAR(bound(0.5, 200, 0.5, 200), 0.156910, digits);
  EXPECT_NEAR(bound(0.25, 200, 0.2, 200), 0.183871, digits);
  EXPECT_NEAR(bound(0.1, 60, 0.1, 3000), 0.168069, digits);
  EXPECT_NEAR(bound(0.1, 3000, 0.1, 60), 0.092924, digits);
  EXPECT_NEAR(bound(0, 50, 0, 50), 0.127053, digits);
  EXPECT_NEAR(ratio_at_least(0.2, 0.25, {2000, 2000}, usual), 0.660407, digits);
}

TEST(Confidence, NumbersOfAnyRule) {
  const Allowance unequal = any_rule_allowance(0.025, {200, 20000});
  EXPECT_NEAR(unequal.over, 5.319812, digits);
  EXPECT_NEAR(unequal.under, 37.238681, digits);
  const Allowance equal = any_rule_allowance(0.025, {200, 200});
  EXPECT_NEAR(equal.over, 8.156011, digits);
  EXPECT_NEAR(equal.under, 8.156011, digits);
  EXPECT_NEAR(difference_at_most(0.2, 0.2, {200, 200}, equal), 0.166229, digits);
}

TEST(Confidence, NumbersOfLevels) {
  const std::vector<PairSizes> pairs = {{60, 3000}, {3000, 60}, {500, 700}, {700, 500}};
  const std::vector<double> levels = pair_levels(pairs, 0.05);
  EXPECT_NEAR(levels[0], 0.018750, digits);
  EXPECT_NEAR(levels[1], 0.018750, digits);
  EXPECT_NEAR(levels[2], 0.006250, digits);
  EXPECT_NEAR(levels[3], 0.006250, digits);
  EXPECT_NEAR(std::accumulate(levels.begin(), levels.end(), 0.0), 0.05, 1e-12);
}

TEST(Confidence, NumbersOfAllKinds) {
  struct Row {
    std::size_t pairs;
    double rows, rate, same, any, dkw, unit;
  };
  for (const Row& row : {Row{2, 50, 0.2, 0.262, 0.336, 0.322, digits3},
                         {2, 200, 0.05, 0.083, 0.110, 0.161, digits3},
                         {2, 200, 0.2, 0.130, 0.166, 0.161, digits3},
                         {2, 20000, 0.01, 0.0053, 0.0068, 0.0161, digits3 / 10},
                         {60, 200, 0.2, 0.169, 0.202, 0.209, digits3}}) {
    const auto at = [&](BoundKind kind) {
      return equal_pairs(row.pairs, row.rows, kind).difference(0, row.rate, row.rate);
    };
    EXPECT_NEAR(at(BoundKind::same_rate), row.same, row.unit) << row.rows << " " << row.rate;
    EXPECT_NEAR(at(BoundKind::any), row.any, row.unit) << row.rows << " " << row.rate;
    EXPECT_NEAR(at(BoundKind::dkw), row.dkw, row.unit) << row.rows << " " << row.rate;
  }
}

TEST(Confidence, NumbersOfFreshRows) {
  EXPECT_NEAR(fresh_difference_at_most({150, 300}, {18, 60}, 0.025), 0.325727, digits);
  EXPECT_NEAR(fresh_ratio_at_least({18, 60}, {150, 300}, 0.025), 0.372751, digits);
  // A rate fixed beforehand: its rows count as fresh.
  EXPECT_NEAR(fresh_difference_at_most({40, 200}, {40, 200}, 0.025), 0.082, digits3);
}

TEST(Confidence, DkwIsTheTailOfASumOfTwo) {
  // P(X + Y > d) where X and Y jump to their lowest point with probability 1/2: by sampling their
  // inverse tails on a grid.
  const PairSizes sizes{50, 300};
  const double alpha = 0.01;
  const double d = dkw_margin(alpha, sizes);
  constexpr int steps = 2000;
  const auto inverse = [](double rows, int i) {
    const double u = std::min(0.5, (i + 0.5) / steps);
    return std::sqrt(-std::log(u) / (2 * rows));
  };
  double above = 0;
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < steps; ++j) above += inverse(sizes.over, i) + inverse(sizes.under, j) > d;
  }
  EXPECT_NEAR(above / steps / steps, alpha, 2e-4);
}

struct Pair {
  double over, under;
  PairSizes sizes;
};

std::vector<Pair> random_pairs(int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Pair> out;
  for (int i = 0; i < count; ++i) {
    const auto rate = [&] {
      const double u = unit(random);
      return u < 0.1 ? 0 : u > 0.9 ? 1 : unit(random);
    };
    const auto rows = [&] { return std::floor(std::exp(1 + 8 * unit(random))); };
    out.push_back({rate(), rate(), {rows(), rows()}});
  }
  return out;
}

// The largest difference and smallest ratio over a grid of true rates for one cell; the other is
// then found by bisection: nothing in common with the search for a price.
struct Slow {
  double difference = -1;
  double ratio = 1e300;
};
Slow search_slowly(const Pair& pair, const Allowance& allowance) {
  constexpr int steps = 2000;
  const double weight_over = pair.sizes.over / allowance.over;
  const double weight_under = pair.sizes.under / allowance.under;
  Slow out;
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    const double p =
        pair.over + (1 - pair.over) * share * share * share;  // ratios ask for small ones
    const double left = 1 - weight_over * rate_distance(pair.over, p);
    if (left < 0) break;
    double low = 0;
    double high = pair.under;
    if (weight_under * rate_distance(pair.under, 0) > left) {
      for (int k = 0; k < 50; ++k) {
        const double middle = (low + high) / 2;
        (weight_under * rate_distance(pair.under, middle) > left ? low : high) = middle;
      }
    } else {
      high = 0;
    }
    out.difference = std::max(out.difference, p - high);
    if (p > 0) out.ratio = std::min(out.ratio, high / p);
  }
  return out;
}

TEST(Confidence, IsWhatASlowSearchOverTrueRatesFinds) {
  for (const Pair& pair : random_pairs(trials(200), 1)) {
    for (const Allowance& allowance : {usual, any_rule_allowance(0.025, pair.sizes)}) {
      const Slow slow = search_slowly(pair, allowance);
      const double difference = difference_at_most(pair.over, pair.under, pair.sizes, allowance);
      const double ratio = ratio_at_least(pair.under, pair.over, pair.sizes, allowance);
      EXPECT_GE(difference, slow.difference - 1e-9);
      EXPECT_NEAR(difference, slow.difference, 5e-3);
      EXPECT_LE(ratio, slow.ratio * (1 + 1e-9));
      EXPECT_NEAR(ratio, slow.ratio, 2e-2 * std::max(1.0, slow.ratio));
    }
  }
}

TEST(Confidence, ABoundIsNeverBelowWhatWasSeenAndShrinksWithRowsAndDoubt) {
  for (const BoundKind kind : {BoundKind::same_rate, BoundKind::any, BoundKind::dkw}) {
    for (const Pair& pair : random_pairs(100, 2)) {
      const auto at = [&](double factor, double delta) {
        const PairSizes sizes{pair.sizes.over * factor, pair.sizes.under * factor};
        const PairBounds bounds({sizes, {sizes.under, sizes.over}}, delta, kind);
        return std::pair{bounds.difference(0, pair.over, pair.under),
                         bounds.ratio(0, pair.under, pair.over)};
      };
      const auto [difference, ratio] = at(1, 0.05);
      EXPECT_GE(difference, pair.over - pair.under);
      if (pair.over > 0) {
        EXPECT_LE(ratio, pair.under / pair.over * (1 + 1e-12));
      }
      EXPECT_GE(ratio, 0);
      EXPECT_LE(at(2, 0.05).first, difference + 1e-12);
      EXPECT_GE(at(2, 0.05).second, ratio - 1e-12 * std::max(1.0, ratio));
      // The shares of `any` follow the level in steps, so that only a clear difference counts.
      const double doubtful = kind == BoundKind::any ? 0.5 : 0.1;
      EXPECT_LE(at(1, doubtful).first, difference + 1e-12);
      EXPECT_GE(at(1, doubtful).second, ratio - 1e-12 * std::max(1.0, ratio));
    }
  }
}

TEST(Confidence, HugeCellsNeedNoMoreThanTheNormalApproximation) {
  // J is (p - r)^2 / (2 W): two cells of m rows give sqrt(4 c W / m).
  for (const double rows : {1e8, 1e10, 1e12}) {
    const double w = 0.22 * 0.82 / 1.04 / 1.04;
    EXPECT_NEAR(bound(0.2, rows, 0.2, rows) / std::sqrt(4 * usual.over * w / rows), 1, 1e-3);
  }
}

TEST(Confidence, TheWholeScaleIsAllowedToOneRow) {
  EXPECT_EQ(bound(1, 1, 0, 1), 1);
  EXPECT_EQ(ratio_at_least(0, 1, {1, 1}, usual), 0);
  EXPECT_EQ(equal_pairs(2, 1, BoundKind::dkw).difference(0, 0.5, 0.5), 1);
}

double binomial_above(int k, int n, double p) {  // P(X >= k)
  double sum = 0;
  for (int i = k; i <= n; ++i) {
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) +
                    (i > 0 ? i * std::log(p) : 0) + (n > i ? (n - i) * std::log1p(-p) : 0));
  }
  return sum;
}

TEST(Confidence, ExactLimitsAreWhereTheBinomialTailsAreAlpha) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    const int n = std::uniform_int_distribution(1, 400)(random);
    const int k = std::uniform_int_distribution(0, n)(random);
    const double alpha = std::exp(-std::uniform_real_distribution(0.5, 9.0)(random));
    const RateLimits limits = exact_limits({1.0 * k, 1.0 * n}, alpha);
    if (k == 0) {
      EXPECT_EQ(limits.low, 0);
    } else {
      EXPECT_NEAR(binomial_above(k, n, limits.low) / alpha, 1, 1e-9);
    }
    if (k == n) {
      EXPECT_EQ(limits.high, 1);
    } else {
      EXPECT_NEAR(binomial_above(n - k, n, 1 - limits.high) / alpha, 1, 1e-9);
    }
  }
}

TEST(Confidence, ExactLimitsOfMillionsAreNormal) {
  const double rows = 1e8;
  const RateLimits limits = exact_limits({0.3 * rows, rows}, 0.025);
  const double error = 1.959963985 * std::sqrt(0.21 / rows);
  EXPECT_NEAR((0.3 - limits.low) / error, 1, 1e-3);
  EXPECT_NEAR((limits.high - 0.3) / error, 1, 1e-3);
}

TEST(Confidence, FreshBoundsMeetTheirDefinitionAndStrictOnesAreWider) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) {
    const auto count = [&] {
      const int n = std::uniform_int_distribution(2, 500)(random);
      return RateCount{1.0 * std::uniform_int_distribution(1, n)(random), 1.0 * n};
    };
    const RateCount over = count();
    const RateCount under = count();
    const double alpha = 0.025;
    const double t = fresh_ratio_at_least(under, over, alpha);
    const double p_over = over.positive / over.rows;
    const double p_under = under.positive / under.rows;
    const double down = p_under - exact_limits(under, alpha).low;
    const double up = exact_limits(over, alpha).high - p_over;
    EXPECT_NEAR(p_under - t * p_over, std::hypot(down, t * up), 1e-12);
    EXPECT_LE(t, p_under / p_over);
    EXPECT_GE(strict_difference_at_most(over, under, alpha),
              fresh_difference_at_most(over, under, alpha) - 1e-12);
    EXPECT_LE(strict_ratio_at_least(under, over, alpha), t + 1e-12);
  }
}

TEST(Confidence, RejectsWhatIsNoLevelNoCountAndNoName) {
  using Bad = std::invalid_argument;
  for (const double level : {0.0, 1.0, -0.1, 1.5, std::nan("")}) {
    expect_throw<Bad>([&] { same_rate_allowance(level); }, "between 0 and 1");
    expect_throw<Bad>([&] { exact_limits({1, 2}, level); }, "between 0 and 1");
    expect_throw<Bad>([&] { PairBounds({{1, 1}}, level, BoundKind::any); }, "between 0 and 1");
  }
  for (const RateCount& count :
       {RateCount{1, 0}, {-1, 5}, {6, 5}, {std::nan(""), 5}, {0, INFINITY}}) {
    expect_throw<Bad>([&] { exact_limits(count, 0.05); }, "from 0 to all of them");
  }
  expect_throw<Bad>([] { PairBounds({{1, 0}}, 0.05, BoundKind::any); }, "have rows");
  expect_throw<Bad>([] { bound_kind_from("sme-rate"); }, "choose same-rate, any or dkw");
  for (const BoundKind kind : {BoundKind::same_rate, BoundKind::any, BoundKind::dkw}) {
    EXPECT_EQ(bound_kind_from(to_string(kind)), kind);
  }
}

}  // namespace
}  // namespace evenhand::testing::confidence_test
