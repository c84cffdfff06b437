// Intervals and tests of two rates: against scipy's answers on random counts (tests/rates), against
// numbers computed separately, against enumeration, and bad counts one by one.
#include <evenhand/tests_of_rates.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

#include "support/throws.h"

namespace evenhand::testing::tests_of_rates_test {
namespace {

struct Answer {
  RateCount group, reference;
  double confidence, fisher, mid_p, difference_low, difference_high, ratio_low, ratio_high,
      limit_low, limit_high, fresh_difference, fresh_ratio, cmh, cmh_p;
};

std::vector<Answer> answers() {
  std::ifstream file(EVENHAND_RATES "/pairs.tsv");
  std::string line;
  std::getline(file, line);
  std::vector<Answer> out;
  while (std::getline(file, line)) {
    Answer a;
    const char* at = line.data();
    const char* const end = line.data() + line.size();
    for (double* field :
         {&a.group.positive, &a.group.rows, &a.reference.positive, &a.reference.rows, &a.confidence,
          &a.fisher, &a.mid_p, &a.difference_low, &a.difference_high, &a.ratio_low, &a.ratio_high,
          &a.limit_low, &a.limit_high, &a.fresh_difference, &a.fresh_ratio, &a.cmh, &a.cmh_p}) {
      const auto [next, error] = std::from_chars(at, end, *field);
      EXPECT_EQ(error, std::errc{}) << line;
      at = next == end ? end : next + 1;
    }
    out.push_back(a);
  }
  return out;
}

void expect_close(double found, double expected, const char* what) {
  if (std::isinf(expected)) {
    EXPECT_EQ(found, expected) << what;
  } else {
    EXPECT_NEAR(found, expected, 1e-8 + 1e-7 * std::abs(expected)) << what;
  }
}

TEST(TestsOfRates, AgreeWithScipyOnRandomCounts) {
  const std::vector<Answer> all = answers();
  ASSERT_EQ(all.size(), 200u);
  std::vector<RatesOfTwo> strata;
  for (const Answer& a : all) {
    SCOPED_TRACE(::testing::Message() << a.group.positive << "/" << a.group.rows << " against "
                                      << a.reference.positive << "/" << a.reference.rows);
    const ExactTest exact = fisher_exact(a.group, a.reference);
    expect_close(exact.p, a.fisher, "Fisher");
    expect_close(exact.mid_p, a.mid_p, "mid-p");
    const RateLimits difference = difference_interval(a.group, a.reference, a.confidence);
    expect_close(difference.low, a.difference_low, "difference, low");
    expect_close(difference.high, a.difference_high, "difference, high");
    const RateLimits ratio = ratio_interval(a.group, a.reference, a.confidence);
    expect_close(ratio.low, a.ratio_low, "ratio, low");
    expect_close(ratio.high, a.ratio_high, "ratio, high");
    const double alpha = (1 - a.confidence) / 2;
    const RateLimits limits = exact_limits(a.group, alpha);
    expect_close(limits.low, a.limit_low, "limit, low");
    expect_close(limits.high, a.limit_high, "limit, high");
    expect_close(fresh_difference_at_most(a.group, a.reference, alpha), a.fresh_difference,
                 "difference at most");
    expect_close(fresh_ratio_at_least(a.group, a.reference, alpha), a.fresh_ratio,
                 "ratio at least");
    strata.push_back({a.group, a.reference});
    if (strata.size() > 3) strata.erase(strata.begin());
    const ChiSquareTest test = mantel_haenszel(strata);
    expect_close(test.statistic, a.cmh, "Cochran-Mantel-Haenszel");
    expect_close(test.p, a.cmh_p, "Cochran-Mantel-Haenszel, p");
  }
}

TEST(TestsOfRates, NumbersComputedSeparately) {
  const RateCount group{18, 60}, reference{150, 300};
  const ExactTest exact = fisher_exact(group, reference);
  EXPECT_NEAR(exact.p, 0.00465068, 5.1e-9);
  EXPECT_NEAR(exact.mid_p, 0.00367438, 5.1e-9);
  const RateLimits difference = difference_interval(group, reference);
  EXPECT_NEAR(difference.low, -0.317628, 5.1e-7);
  EXPECT_NEAR(difference.high, -0.062978, 5.1e-7);
  const RateLimits other = difference_interval({56, 70}, {48, 80});
  EXPECT_NEAR(other.low, 0.052830, 5.1e-7);
  EXPECT_NEAR(other.high, 0.338173, 5.1e-7);
  const RatesOfTwo strata[] = {{group, reference}, {{5, 20}, {40, 90}}};
  EXPECT_NEAR(mantel_haenszel(strata).statistic, 10.549425, 5.1e-7);
  // 48 of 80 against 12 of 40, the example of the federal guidelines' questions and answers.
  EXPECT_NEAR(standard_deviations({12, 40}, {48, 80}), -0.3 / std::sqrt(0.25 * (1. / 40 + 1. / 80)),
              1e-12);
  EXPECT_EQ(shortfall({12, 40}, {48, 80}), 12);
  EXPECT_NEAR(shortfall({12, 40}, {48, 80}, 0.8), 7.2, 1e-12);
}

TEST(TestsOfRates, SwappingTheGroupsSwapsTheAnswers) {
  for (const Answer& a : answers()) {
    const RateLimits there = difference_interval(a.group, a.reference, a.confidence);
    const RateLimits back = difference_interval(a.reference, a.group, a.confidence);
    EXPECT_NEAR(there.low, -back.high, 1e-12);
    const RateLimits ratio = ratio_interval(a.group, a.reference, a.confidence);
    const RateLimits inverse = ratio_interval(a.reference, a.group, a.confidence);
    if (ratio.low > 0) {
      EXPECT_NEAR(ratio.low * inverse.high, 1, 1e-9);
    }
    EXPECT_EQ(standard_deviations(a.group, a.reference),
              -standard_deviations(a.reference, a.group));
    EXPECT_NEAR(fisher_exact(a.group, a.reference).p, fisher_exact(a.reference, a.group).p, 1e-12);
  }
}

TEST(TestsOfRates, NothingIsLeftToChanceWhereEverybodyIsTreatedAlike) {
  for (const double share : {0.0, 1.0}) {
    const RateCount group{10 * share, 10}, reference{300 * share, 300};
    EXPECT_EQ(fisher_exact(group, reference).p, 1);
    EXPECT_EQ(standard_deviations(group, reference), 0);
    EXPECT_EQ(shortfall(group, reference), 0);
    const RatesOfTwo strata[] = {{group, reference}};
    EXPECT_EQ(mantel_haenszel(strata).p, 1);
    const RateLimits difference = difference_interval(group, reference);
    EXPECT_LT(difference.low, 0);
    EXPECT_GT(difference.high, 0);
    const RateLimits ratio = ratio_interval(group, reference);
    EXPECT_LT(ratio.low, 1);
    EXPECT_GT(ratio.high, 1);
    const std::vector<RateCount> groups[] = {{group, reference}};
    EXPECT_EQ(largest_difference_test(groups).p, 1);
  }
}

TEST(TestsOfRates, ManyRowsTakeNoLongerAndUnderflowNowhere) {
  const ExactTest far = fisher_exact({1e8, 1e9}, {9e8, 1e9});
  EXPECT_EQ(far.p, 0);
  const ExactTest near = fisher_exact({500'000'500, 1e9}, {499'999'500, 1e9});
  // 1,000 apart, with a standard deviation of 22,361: the normal test agrees in so large samples.
  EXPECT_NEAR(near.mid_p,
              std::erfc(std::abs(standard_deviations({500'000'500, 1e9}, {499'999'500, 1e9})) /
                        std::sqrt(2.0)),
              1e-6);
}

// All ways to deal out the positive decisions of one stratum, with their probabilities.
double enumerated(const std::vector<RateCount>& groups) {
  double all = 0, hits = 0, positive = 0;
  double low = 1, high = 0;
  for (const RateCount& g : groups) {
    positive += g.positive;
    low = std::min(low, g.positive / g.rows);
    high = std::max(high, g.positive / g.rows);
  }
  const double seen = high - low;
  const auto choose = [](double n, double k) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
  };
  const std::function<void(std::size_t, double, double, double, double)> deal =
      [&](std::size_t i, double left, double weight, double least, double most) {
        if (i == groups.size()) {
          if (left > 0) return;
          all += weight;
          if (most - least >= seen - 1e-9) hits += weight;
          return;
        }
        for (double k = 0; k <= std::min(left, groups[i].rows); ++k) {
          const double rate = k / groups[i].rows;
          deal(i + 1, left - k, weight * choose(groups[i].rows, k), std::min(least, rate),
               std::max(most, rate));
        }
      };
  deal(0, positive, 1, 1, 0);
  return hits / all;
}

TEST(TestsOfRates, PermutationsComeNearToAllOfThem) {
  const std::vector<std::vector<RateCount>> problems = {
      {{3, 9}, {7, 10}, {4, 12}}, {{1, 30}, {6, 25}}, {{0, 4}, {5, 9}, {2, 7}, {3, 5}}};
  for (const std::vector<RateCount>& groups : problems) {
    const double expected = enumerated(groups);
    const std::vector<RateCount> strata[] = {groups};
    const double found = largest_difference_test(strata).p;
    EXPECT_NEAR(found, expected, 4.5 * std::sqrt(expected * (1 - expected) / 9999) + 1e-4);
    EXPECT_EQ(found, largest_difference_test(strata).p);  // the same seed
  }
  // Two groups of one stratum: Fisher's test, by the difference instead of by likelihood.
  const std::vector<RateCount> large[] = {{{30'000, 100'000}, {30'900, 100'000}}};
  const double z = standard_deviations(large[0][0], large[0][1]);
  EXPECT_NEAR(largest_difference_test(large).p, std::erfc(std::abs(z) / std::sqrt(2.0)), 5e-4);
  // So wide that deals come from the normal distribution.
  const std::vector<RateCount> huge[] = {{{5e8 - 20'000, 1e9}, {5e8 + 20'000, 1e9}}};
  const double wide = standard_deviations(huge[0][0], huge[0][1]);
  const double p = std::erfc(std::abs(wide) / std::sqrt(2.0));
  EXPECT_NEAR(largest_difference_test(huge).p, p, 4.5 * std::sqrt(p * (1 - p) / 9999) + 1e-3);
}

TEST(TestsOfRates, PermutationsStayInsideStrata) {
  // Equal rates inside each stratum, though not over both: nothing to see.
  const std::vector<RateCount> strata[] = {{{10, 100}, {20, 200}}, {{160, 200}, {80, 100}}};
  const PermutationTest test = largest_difference_test(strata);
  EXPECT_EQ(test.largest_difference, 0);
  EXPECT_EQ(test.p, 1);
}

TEST(TestsOfRates, HolmStepsDown) {
  const double p[] = {0.01, 0.04, 0.03, 0.005};
  const std::vector<double> found = holm(p);
  const double expected[] = {0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 1e-15);
  EXPECT_TRUE(holm({}).empty());
}

TEST(TestsOfRates, EffectiveSizeOfEqualWeightsIsTheirNumber) {
  EXPECT_NEAR(effective_size(50 * 0.3, 50 * 0.3 * 0.3), 50, 1e-12);
  EXPECT_NEAR(effective_size(1 + 3, 1 + 9), 1.6, 1e-12);
}

TEST(TestsOfRates, BadInput) {
  using Bad = std::invalid_argument;
  const RateCount good{1, 2};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const RateCount& bad : {RateCount{0, 0}, RateCount{3, 2}, RateCount{-1, 2},
                               RateCount{nan, 2}, RateCount{1, INFINITY}}) {
    expect_throw<Bad>([&] { fisher_exact(bad, good); }, "a rate needs rows");
    expect_throw<Bad>([&] { difference_interval(good, bad); }, "a rate needs rows");
    expect_throw<Bad>([&] { ratio_interval(bad, good); }, "a rate needs rows");
    expect_throw<Bad>([&] { standard_deviations(good, bad); }, "a rate needs rows");
    expect_throw<Bad>([&] { shortfall(bad, good); }, "a rate needs rows");
    const RatesOfTwo strata[] = {{good, bad}};
    expect_throw<Bad>([&] { mantel_haenszel(strata); }, "a rate needs rows");
    const std::vector<RateCount> groups[] = {{good, bad}};
    expect_throw<Bad>([&] { largest_difference_test(groups); }, "a rate needs rows");
  }
  const RateCount expected{1.5, 2};
  expect_throw<Bad>([&] { fisher_exact(expected, good); }, "tests need whole counts");
  const RatesOfTwo strata[] = {{good, expected}};
  expect_throw<Bad>([&] { mantel_haenszel(strata); }, "tests need whole counts");
  EXPECT_NO_THROW(difference_interval(expected, good));
  for (const double confidence : {0.0, 1.0, -0.1, nan}) {
    expect_throw<Bad>([&] { difference_interval(good, good, confidence); }, "confidence");
    expect_throw<Bad>([&] { ratio_interval(good, good, confidence); }, "confidence");
  }
  expect_throw<Bad>([&] { shortfall(good, good, -1); }, "ratio of rates");
  const double p[] = {0.5, 1.5};
  expect_throw<Bad>([&] { holm(p); }, "p-value");
  expect_throw<Bad>([&] { effective_size(0, 0); }, "weights above 0");
  const std::vector<RateCount> groups[] = {{good, good}};
  expect_throw<Bad>([&] { largest_difference_test(groups, {.draws = 0}); }, "once or more");
}

}  // namespace
}  // namespace evenhand::testing::tests_of_rates_test
