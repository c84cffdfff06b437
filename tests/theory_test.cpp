// The paper's bounds, against values worked by hand; and Theorem 2's witness, on random spaces.
#include <evenhand/evenhand.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::theory_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Theorem2, ByHand) {
  // Four people, two of them selected: d = 1, 1, 0, 0 and g = 1, 0, 1, 0. E g = E d = 1/2 and
  // E|g - 1/2| = 1/2, so the bound is 1/2 * 1/2 * 1/2 = 1/8. Parity holds: the covariance over all
  // four is 0. The witness is W = {1, 4}, where g = d = 1 or 0: covariance 1/4. Outside of it,
  // {2, 3}, d = 1 - g: covariance -1/4. The mean absolute covariance is 1/4.
  const std::vector<int> d = {1, 1, 0, 0};
  const std::vector<double> g = {1, 0, 1, 0};
  const Impossibility found = impossibility(d, g);
  EXPECT_EQ(found.selection_rate, 0.5);
  EXPECT_EQ(found.mean_membership, 0.5);
  EXPECT_EQ(found.deviation, 0.5);
  EXPECT_EQ(found.bound, 0.125);
  EXPECT_EQ(found.value, 0.25);
  EXPECT_EQ(found.witness, (std::vector<std::uint8_t>{1, 0, 0, 1}));
}

TEST(Theorem2, ByHandWithWeightsAndSoftMembership) {
  // Weights 2, 1, 1; g = 0.8, 0.4, 0; d = 0, 1, 1. E g = (1.6 + 0.4) / 4 = 0.5, E d = 1/2,
  // E|g - 0.5| = (2 * 0.3 + 0.1 + 0.5) / 4 = 0.3; bound 0.3 / 2 * 0.5 = 0.075.
  // No row is in W: g is above its mean where d = 0, and below where d = 1. So the other side is
  // everybody: E[g d] = 0.4 / 4 = 0.1, less 0.5 * 0.5 = -0.15.
  const std::vector<std::uint8_t> d = {0, 1, 1};
  const std::vector<double> g = {0.8, 0.4, 0};
  const std::vector<int> weight = {2, 1, 1};
  const Impossibility found = impossibility(d, g, weight);
  EXPECT_NEAR(found.bound, 0.075, 1e-15);
  EXPECT_NEAR(found.value, 0.15, 1e-15);
  EXPECT_EQ(found.witness, (std::vector<std::uint8_t>{0, 0, 0}));
}

// The mean absolute covariance of a split, from Definition 1.
double covariance_of_split(const std::vector<double>& d, const std::vector<double>& g,
                           const std::vector<double>& n, const std::vector<std::uint8_t>& in) {
  double total = 0;
  for (const double weight : n) total += weight;
  double sum = 0;
  for (const int side : {0, 1}) {
    double weight = 0, ed = 0, eg = 0, edg = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      if (in[i] != side) continue;
      weight += n[i];
      ed += n[i] * d[i];
      eg += n[i] * g[i];
      edg += n[i] * d[i] * g[i];
    }
    if (weight > 0) {
      sum += weight / total * std::abs(edg / weight - ed / weight * (eg / weight));
    }
  }
  return sum;
}

TEST(Theorem2, WitnessReachesTheBoundOn10000RandomSpaces) {
  Random random(1);
  for (int trial = 0; trial < 10'000; ++trial) {
    const int rows = 1 + random.below(30);
    const bool soft = random.chance(0.5);
    const double rate = random.unit();
    std::vector<double> d, g, n;
    for (int i = 0; i < rows; ++i) {
      d.push_back(random.chance(rate) ? 1 : 0);
      g.push_back(soft ? std::pow(random.unit(), 3) : random.below(2));
      n.push_back(random.chance(0.3) ? random.below(4) : 1 + random.unit());
    }
    n[0] = 1;
    const Impossibility found = impossibility(d, g, n);
    ASSERT_NEAR(found.value, covariance_of_split(d, g, n, found.witness), 1e-14);
    ASSERT_GE(found.value, found.bound - 1e-15);
    ASSERT_GE(found.bound, 0);
  }
}

TEST(Theorem2, NothingIsImpossibleForConstantDecisionsOrMembership) {
  const std::vector<int> all = {1, 1, 1};
  const std::vector<double> g = {0.25, 0.5, 1};
  EXPECT_EQ(impossibility(all, g).bound, 0);
  EXPECT_NEAR(impossibility(all, g).value, 0, 1e-16);
  const std::vector<int> d = {1, 0, 1};
  const std::vector<double> constant = {0.5, 0.5, 0.5};
  EXPECT_EQ(impossibility(d, constant).bound, 0);
  EXPECT_EQ(impossibility(d, constant).value, 0);
}

TEST(Theorem2, RejectsBadInput) {
  const std::vector<double> good = {0, 1};
  const auto reject = [&](const std::vector<double>& d, const std::vector<double>& g,
                          const std::vector<double>& n, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { impossibility(d, g, n); }, part);
  };
  reject({0, 0.5}, good, good, "row 1: the decision 0.5 is not 0 or 1");
  reject({nan, 0}, good, good, "row 0: the decision");
  reject(good, {0, 1.5}, good, "row 1: the membership 1.5 is not a probability");
  reject(good, {nan, 0}, good, "row 0: the membership");
  reject(good, good, {1, -1}, "row 1: the weight -1 is not finite and at least 0");
  reject(good, good, {infinity, 1}, "row 0: the weight");
  reject(good, good, {0, 0}, "every weight is zero");
  reject(good, good, {1e308, 1e308}, "the sum of weights is infinite");
  reject(good, {0, 1, 1}, good, "2 decisions but 3 memberships and 2 weights");
  try {
    impossibility(good, std::vector<double>{0, 1, 1});
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "there are 2 decisions but 3 memberships");
  }
  reject({}, {}, {}, "there are no rows");
}

TEST(Theorem3, IsVacuousAtTheSizeOfAnExperiment) {
  // N = 10,000, K = 1, delta = 0.05, gamma = 0.01; N^(1/3) = 21.5443469.
  // printed: 0.02 + 8 * 102 / 21.5443469 + 4 sqrt((3 + 2 ln 40) / 10000)
  //        = 0.02 + 37.8753649          + 4 * 0.0322145           = 38.0242230
  // corrected: 0.02 + 8 * 101 / 21.5443469 + 4 sqrt((4 * 0.6931472 * 21.5443469 + 7.3777589) / 1e4)
  //          = 0.02 + 37.5040378          + 4 * 0.0819215           = 37.8517239
  const ExcessRisk risk = excess_risk({.rows = 10'000, .gamma = 0.01});
  EXPECT_NEAR(risk.printed.value, 38.0242230, 1e-6);
  EXPECT_NEAR(risk.corrected.value, 37.8517239, 1e-6);
  EXPECT_TRUE(risk.printed.vacuous);
  EXPECT_TRUE(risk.corrected.vacuous);
}

TEST(Theorem3, ByHandWhereItSaysSomething) {
  // N = 1e9 = 1000^3, gamma = 0.1, K = 4, delta = 2 / e^8, so that 2 ln(2 / delta) = 16.
  // printed: 0.2 + 8 * 12 / 1000 + 4 sqrt((12 + 16) / 1e9) = 0.296 + 4 * 1.6733201e-4 = 0.2966693
  // corrected: 0.2 + 8 * 11 / 1000 + 4 sqrt((16 ln 2 * 1000 + 16) / 1e9)
  //          = 0.288 + 4 sqrt(1.1106355e-5) = 0.288 + 4 * 3.3326198e-3 = 0.3013305
  const double delta = 2 / std::exp(8);
  const ExcessRisk risk = excess_risk({.rows = 1e9, .gamma = 0.1, .strata = 4, .delta = delta});
  EXPECT_NEAR(risk.printed.value, 0.29666932803, 1e-10);
  EXPECT_NEAR(risk.corrected.value, 0.30133047929, 1e-10);
  EXPECT_FALSE(risk.printed.vacuous);
  EXPECT_FALSE(risk.corrected.vacuous);
  const ExcessRisk wrong = excess_risk(
      {.rows = 1e9, .gamma = 0.1, .strata = 4, .delta = delta, .regressor_error = 0.75});
  EXPECT_NEAR(wrong.printed.value, risk.printed.value + 0.75, 1e-15);
  EXPECT_TRUE(wrong.printed.vacuous);
}

// Erratum 4: the printed condition gamma N^(-1/3) -> infinity cannot hold while gamma -> 0; with
// gamma N^(1/3) -> infinity the bound vanishes, as along the paper's own schedule.
TEST(Theorem3, VanishesAlongTheScheduleAndNotBelowIt) {
  double last = infinity;
  for (const double rows : {1e6, 1e9, 1e12, 1e15, 1e18, 1e21}) {
    const double bound = excess_risk({.rows = rows, .gamma = gamma_schedule(rows)}).corrected.value;
    EXPECT_LT(bound, last);
    last = bound;
    // gamma = N^(-1/3): gamma N^(1/3) stays 1, and 8 / (gamma N^(1/3)) = 8 does not go away.
    EXPECT_GT(excess_risk({.rows = rows, .gamma = std::pow(rows, -1.0 / 3)}).corrected.value, 8);
  }
  EXPECT_LT(last, 0.01);
}

// Erratum 4, its constant: with many strata the cover of size 2 K R costs more than R + 2 K.
TEST(Theorem3, CorrectedCoverCostsMoreWithManyStrata) {
  // N = 1e6, gamma = 0.5, delta = 0.05, K = 100. N^(1/3) = 100.
  // printed: 1 + 8 * 4 / 100 + 4 sqrt((300 + 7.3777589) / 1e6) = 1.32 + 0.0701288
  // corrected: 1 + 8 * 3 / 100 + 4 sqrt((40000 ln 2 + 7.3777589) / 1e6) = 1.24 + 0.6661323
  const ExcessRisk risk = excess_risk({.rows = 1e6, .gamma = 0.5, .strata = 100});
  EXPECT_NEAR(risk.printed.value, 1.3901288, 1e-6);
  EXPECT_NEAR(risk.corrected.value, 1.9061323, 1e-6);
}

TEST(Theorem3, RejectsBadInput) {
  const auto reject = [](const ExcessRiskOptions& options, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { excess_risk(options); }, part);
  };
  reject({.rows = 0, .gamma = 0.1}, "the number of rows is at least 1, not 0");
  reject({.rows = nan, .gamma = 0.1}, "the number of rows");
  reject({.rows = infinity, .gamma = 0.1}, "the number of rows");
  reject({.rows = 10, .gamma = 0}, "gamma is above 0, not 0");
  reject({.rows = 10, .gamma = nan}, "gamma");
  reject({.rows = 10, .gamma = 0.1, .strata = 0}, "the number of strata is at least 1");
  reject({.rows = 10, .gamma = 0.1, .delta = 0}, "delta is above 0 and below 1, not 0");
  reject({.rows = 10, .gamma = 0.1, .delta = 1}, "delta");
  reject({.rows = 10, .gamma = 0.1, .regressor_error = -1}, "the regressor's error is at least 0");
}

TEST(GammaSchedule, IsTheSixthRoot) {
  EXPECT_EQ(gamma_schedule(1.0), 1);
  EXPECT_NEAR(gamma_schedule(64.0), 0.5, 1e-15);  // 64 = 2^6
  EXPECT_NEAR(gamma_schedule(1e6), 0.1, 1e-15);
  expect_throw<std::invalid_argument>([] { gamma_schedule(0.0); }, "at least 1");
}

TEST(GammaSchedule, CountsTheRowsOfATally) {
  const std::vector<double> score(64, 0.5);
  const std::vector<std::string> group(64, "A");
  const Cells cells = Cells::from({{"group", group}});
  EXPECT_NEAR(gamma_schedule(Tally::of(score, cells)), 0.5, 1e-15);
  const std::vector<double> weight(64, 0.5);
  expect_throw<std::invalid_argument>(
      [&] { gamma_schedule(Tally::of(score, cells, {.weight = weight})); }, "rows are weighted");
}

TEST(Proposition4, ByHand) {
  // T = 10,000, K = 4, gamma = 0.5, b = 0.25: sqrt(K / T) = 0.02.
  // rate = 1.5 / 1.25 * 0.02 = 0.024; printed = 2 * 1.5 / 1.25 * 0.02 = 0.048
  // corrected = 1.5 * 1.25 * 0.02 = 0.0375: its two terms are 1.25^2 * 0.024 / 2 = 0.01875 and
  // 1.5^2 * 4 / (20000 * 0.024) = 0.01875.
  // wider box at that rate: 0.01875 + 2.5^2 * 4 / (20000 * 0.024) = 0.01875 + 0.0520833
  // at its own, 2.5 / 1.25 * 0.02 = 0.04: 2.5 * 1.25 * 0.02 = 0.0625.
  const SgdError error = sgd_error({.steps = 10'000, .gamma = 0.5, .strata = 4, .b = 0.25});
  EXPECT_NEAR(error.learning_rate, 0.024, 1e-15);
  EXPECT_NEAR(error.printed, 0.048, 1e-15);
  EXPECT_NEAR(error.corrected, 0.0375, 1e-15);
  EXPECT_NEAR(error.wider_box, 0.01875 + 25.0 / 480, 1e-15);
  EXPECT_NEAR(error.wider_learning_rate, 0.04, 1e-15);
  EXPECT_NEAR(error.wider_box_at_its_rate, 0.0625, 1e-15);
}

// Erratum 2: the printed last step is not what the two terms of the proposition add up to. At b = 0
// it is twice that; above b = sqrt(2) - 1 it promises less than the proof gives.
TEST(Proposition4, PrintedLastStepPromisesTooMuchForLargeB) {
  for (const double b : {0.0, 0.5, 1.0}) {
    const SgdErrorOptions options{.steps = 400, .gamma = 0.1, .b = b};
    const SgdError error = sgd_error(options);
    EXPECT_NEAR(error.corrected, sgd_error_at(options, error.learning_rate, 1.1), 1e-15);
    EXPECT_NEAR(error.corrected, 1.1 * (1 + b) / 20, 1e-15);
    EXPECT_NEAR(error.printed, 2 * 1.1 / (1 + b) / 20, 1e-15);
  }
  const SgdError below = sgd_error({.steps = 400, .gamma = 0.1, .b = 0.41});
  const SgdError above = sgd_error({.steps = 400, .gamma = 0.1, .b = 0.42});
  EXPECT_GT(below.printed, below.corrected);
  EXPECT_LT(above.printed, above.corrected);
}

TEST(Proposition4, LearningRateIsTheBestOneForItsBox) {
  const SgdErrorOptions options{.steps = 500, .gamma = 0.2, .strata = 3, .b = 0.4};
  const SgdError error = sgd_error(options);
  for (const double factor : {0.5, 0.9, 1.1, 2.0}) {
    EXPECT_GT(sgd_error_at(options, factor * error.learning_rate, 1.2), error.corrected);
    EXPECT_GT(sgd_error_at(options, factor * error.wider_learning_rate, 2.2),
              error.wider_box_at_its_rate);
  }
}

TEST(Proposition4, WiderBoxCostsAtMostTwoToTwoAndAHalfTimes) {
  const SgdError narrow = sgd_error({.steps = 100, .gamma = 1e-9});
  EXPECT_NEAR(narrow.wider_box / narrow.corrected, 2.5, 1e-6);
  EXPECT_NEAR(narrow.wider_box_at_its_rate / narrow.corrected, 2, 1e-6);
  for (const double gamma : {0.01, 0.5, 3.0}) {
    const SgdError error = sgd_error({.steps = 100, .gamma = gamma});
    EXPECT_LT(error.wider_box / error.corrected, 2.5);
    EXPECT_LT(error.wider_box_at_its_rate, error.wider_box);
  }
}

TEST(Proposition4, RejectsBadInput) {
  const auto reject = [](const SgdErrorOptions& options, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { sgd_error(options); }, part);
  };
  reject({.steps = 0, .gamma = 0.1}, "the number of steps is at least 1, not 0");
  reject({.steps = 10, .gamma = 0}, "gamma is above 0, not 0");
  reject({.steps = 10, .gamma = 0.1, .strata = 0.5}, "the number of strata is at least 1");
  for (const double b : {nan, infinity, -0.1, 1.1}) {
    reject({.steps = 10, .gamma = 0.1, .b = b}, "b is 0, or rho: a rate from 0 to 1, not");
  }
  const SgdErrorOptions good{.steps = 10, .gamma = 0.1};
  expect_throw<std::invalid_argument>([&] { sgd_error_at(good, 0, 1); }, "the learning rate");
  expect_throw<std::invalid_argument>([&] { sgd_error_at(good, 1, -1); }, "the multipliers");
}

// Erratum 5: with X_k = {y = k} in Definition 1 a rule would know y when it decides.
TEST(EqualizedOdds, DoesNotLookAtTheLabel) {
  // A: 2 of 10 are favourable at 0.25 and 8 of 10 at 0.75; B: 3 and 6 of 10. Selecting the 19
  // favourable ones, which takes the label, gains 19. By the score B can have (f, t) = (4/11, 6/9)
  // at best, its threshold between the scores: 6 - 4 = 2. A's curve lies above, so A has to be
  // worsened to the same point: 10 * 6/9 - 10 * 4/11 = 100/33.
  const std::vector<std::string> group = {"A", "A", "B", "B"};
  const std::vector<double> score = {0.25, 0.75, 0.25, 0.75};
  const std::vector<int> people = {10, 10, 10, 10};
  const std::vector<int> favourable = {2, 8, 3, 6};
  const Tally tally =
      Tally::counted(score, people, Cells::from({{"group", group}}), {.positives = favourable});
  const Solution fit = solve(tally, equalized_odds({.sensitive = {"group"}}));
  EXPECT_EQ(tally.total().n1, 19);
  EXPECT_NEAR(fit.primal, 2 + 100.0 / 33, 1e-12);
  EXPECT_EQ(fit.status, Status::optimal);
}

}  // namespace
}  // namespace evenhand::testing::theory_test
