// The bound of a rule on the rows of its fit: the two-cell bounds put together, and where there is
// none.
#include <evenhand/evenhand.h>

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::confidence_bound_test {
namespace {

// Groups of so many rows each in each stratum, with distinct scores, and labels that follow them.
Rows rows_of(const std::vector<std::vector<int>>& strata, unsigned seed = 1) {
  Random random(seed);
  Rows out;
  for (std::size_t k = 0; k < strata.size(); ++k) {
    for (std::size_t s = 0; s < strata[k].size(); ++s) {
      for (int i = 0; i < strata[k][s]; ++i) {
        const double p = std::pow(random.unit(), s == 0 ? 1 : 1.5);
        out.score.push_back(p);
        out.sex.push_back("g" + std::to_string(s));
        out.race.push_back("k" + std::to_string(k));
        out.label.push_back(random.unit() < p ? 1 : 0);
      }
    }
  }
  return out;
}

const std::vector<std::string> sex = {"sex"};
const std::vector<std::string> race = {"race"};

TEST(ConfidenceBound, OfParityIsTheWidestPair) {
  const Tally tally = rows_of({{200, 150}, {60, 3000, 400}}).tally();
  const Solution fit = solve(tally, statistical_parity({.sensitive = sex, .within = race}));
  const ConfidenceBound bound = confidence_bound(tally, fit);
  const std::vector<PairSizes> pairs = {{200, 150}, {150, 200},  {60, 3000}, {60, 400},
                                        {3000, 60}, {3000, 400}, {400, 60},  {400, 3000}};
  const PairBounds bounds(pairs, 0.05, BoundKind::same_rate);
  double largest = 0;
  std::vector<double> by_stratum(2);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double rate =
        fit.cells[i < 2 ? tally.cells().code_of({"g0", "k0"}) : tally.cells().code_of({"g0", "k1"})]
            .rate;
    const double value = bounds.difference(i, rate, rate);
    largest = std::max(largest, value);
    by_stratum[i < 2 ? 0 : 1] = std::max(by_stratum[i < 2 ? 0 : 1], value);
  }
  ASSERT_TRUE(bound.value);
  EXPECT_NEAR(*bound.value, largest, 1e-9);
  EXPECT_NEAR(bound.observed, 0, 1e-12);
  EXPECT_EQ(bound.kind, BoundKind::same_rate);
  ASSERT_EQ(bound.strata.size(), 2U);
  EXPECT_NEAR(bound.strata[0].value, by_stratum[0], 1e-9);
  EXPECT_NEAR(bound.strata[1].value, by_stratum[1], 1e-9);
  EXPECT_EQ(bound.strata[1].over.rows, 60);
  EXPECT_TRUE(bound.small.empty());
}

TEST(ConfidenceBound, ToleranceCountsInFullWhateverTheRatesAre) {
  const Tally tally = rows_of({{300, 200}}).tally();
  double last = 0;
  for (const double tolerance : {0.0, 0.02, 0.05, 0.1}) {
    const Solution fit = solve(
        tally, statistical_parity({.sensitive = sex, .within = race, .tolerance = tolerance}));
    const ConfidenceBound bound = confidence_bound(tally, fit);
    EXPECT_GE(*bound.value, tolerance);
    EXPECT_GE(*bound.value, bound.observed);
    EXPECT_GT(*bound.value, last);
    last = *bound.value;
  }
}

TEST(ConfidenceBound, WidensWithConfidenceAndTheKindsAreOrdered) {
  const Tally tally = rows_of({{300, 200}}).tally();
  const Solution fit = solve(tally, statistical_parity({.sensitive = sex, .within = race}));
  const auto at = [&](double confidence, BoundKind kind) {
    return *confidence_bound(tally, fit, {confidence, kind}).value;
  };
  EXPECT_LT(at(0.9, BoundKind::same_rate), at(0.99, BoundKind::same_rate));
  EXPECT_LT(at(0.95, BoundKind::same_rate), at(0.95, BoundKind::any));
  EXPECT_LT(at(0.95, BoundKind::same_rate), at(0.95, BoundKind::dkw));
}

TEST(ConfidenceBound, OfOddsCountsBothRatesAndTheirOwnRows) {
  const Tally tally = rows_of({{400, 300}}).tally();
  const Solution fit = solve(tally, equalized_odds({.sensitive = sex, .within = race}));
  const ConfidenceBound bound = confidence_bound(tally, fit);
  const CellTotal& one = tally.total(0);
  const CellTotal& two = tally.total(1);
  const Audit audited = audit(tally, {sex, race}, fit.rule);
  const double tpr = *audited.cells[0].figures.true_positive_rate;
  const double fpr = *audited.cells[0].figures.false_positive_rate;
  const PairBounds bounds({{one.n1, two.n1},
                           {two.n1, one.n1},
                           {one.n - one.n1, two.n - two.n1},
                           {two.n - two.n1, one.n - one.n1}},
                          0.05, BoundKind::same_rate);
  const double expected =
      std::max({bounds.difference(0, tpr, tpr), bounds.difference(1, tpr, tpr),
                bounds.difference(2, fpr, fpr), bounds.difference(3, fpr, fpr)});
  EXPECT_NEAR(*bound.value, expected, 1e-9);
  EXPECT_EQ(bound.strata.size(), 1U);
}

TEST(ConfidenceBound, OfARatioIsALowerOne) {
  const Tally tally = rows_of({{2000, 2000}}).tally();
  const Solution fit = solve(tally, four_fifths({.sensitive = sex, .within = race}));
  const ConfidenceBound bound = confidence_bound(tally, fit);
  EXPECT_TRUE(bound.is_ratio);
  EXPECT_LT(*bound.value, 0.8);
  EXPECT_GT(*bound.value, 0.6);
  EXPECT_GE(bound.observed, 0.8 - 1e-12);
  EXPECT_NE(bound.in_words()[0].find("smallest ratio is at least 0."), std::string::npos);
}

TEST(ConfidenceBound, ARateGivenBeforehandIsTighter) {
  const Tally tally = rows_of({{200, 200}}).tally();
  const auto fit = [&](Rho rho) {
    return solve(tally, equal_rates({.sensitive = sex, .within = race, .rho = rho}));
  };
  const ConfidenceBound given = confidence_bound(tally, fit(Rho::given(0.2)));
  EXPECT_NEAR(*given.value, 0.082, 5.1e-4);
  EXPECT_FALSE(given.kind);
  EXPECT_EQ(confidence_bound(tally, fit(Rho::best())).kind, BoundKind::same_rate);
}

TEST(ConfidenceBound, RampsAndRequirementsAreAnyRules) {
  const Tally tally = rows_of({{300, 200}}).tally();
  Criterion parity = statistical_parity({.sensitive = sex, .within = race});
  const Solution ramp = solve(tally, parity, {.gamma = 0.1});
  EXPECT_EQ(confidence_bound(tally, ramp).kind, BoundKind::any);
  expect_throw<std::invalid_argument>(
      [&] { confidence_bound(tally, ramp, {.kind = BoundKind::same_rate}); }, "use any or dkw");
  parity.require = {"rate <= 0.3"};
  EXPECT_EQ(confidence_bound(tally, solve(tally, parity)).kind, BoundKind::any);
}

TEST(ConfidenceBound, ThereIsNoneWhereTheMethodDoesNotReach) {
  Rows rows = rows_of({{100, 80}, {100, 80}});
  const auto none = [](const Tally& tally, const Criterion& criterion, const char* part) {
    const ConfidenceBound bound = confidence_bound(tally, solve(tally, criterion));
    EXPECT_FALSE(bound.value);
    EXPECT_NE(bound.reason.find(part), std::string::npos) << bound.reason;
    EXPECT_NE(bound.in_words()[0].find(part), std::string::npos);
  };
  const Tally tally = rows.tally();
  none(tally, requirements({"rate <= 0.3"}), "requirements alone");
  none(tally, statistical_parity({.sensitive = {"sex", "race"}, .across = Across::marginal}),
       "single columns");
  rows.weight.assign(rows.size(), 1.5);
  none(rows.tally(), statistical_parity({.sensitive = sex, .within = race}), "weights");
}

TEST(ConfidenceBound, NamesTheWidestPairAndSmallGroups) {
  const Tally tally = rows_of({{25, 52}, {400, 300}}).tally();
  const Solution fit = solve(tally, statistical_parity({.sensitive = sex, .within = race}));
  const ConfidenceBound bound = confidence_bound(tally, fit);
  ASSERT_EQ(bound.small.size(), 1U);
  EXPECT_EQ(bound.small[0].group.rows, 25);
  std::string text;
  for (const std::string& line : bound.in_words()) text += line + "\n";
  for (const char* part :
       {"On new people like these, the largest difference is at most ",
        "(95 % confidence). In these data it is 0.", "(25 rows)", "(52 rows)", "k0: at most",
        "k1: at most", "Too small", "fewer columns in --within"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  // Nobody is told to use fewer columns of none.
  const ConfidenceBound whole =
      confidence_bound(tally, solve(tally, statistical_parity({.sensitive = {"sex", "race"}})));
  ASSERT_EQ(whole.small.size(), 1U);
  EXPECT_EQ(whole.in_words().back(), "Small groups: merge their values before fitting.");
  expect_throw<std::invalid_argument>(
      [&] {
        confidence_bound(tally, fit, {1.0, {}});
      },
      "confidence lies between");
}

TEST(ConfidenceBound, OfFreshRowsIsByExactLimits) {
  const Tally tally = rows_of({{300, 200}}).tally();
  const Tally fresh = rows_of({{250, 400}}, 2).tally();
  const Criterion parity = statistical_parity({.sensitive = sex, .within = race});
  const Rule rule = solve(tally, parity).rule;
  const ConfidenceBound bound = fresh_bound(fresh, parity, rule);
  const Audit audited = audit(fresh, {sex, race}, rule);
  const double one = *audited.cells[0].figures.selection_rate;
  const double two = *audited.cells[1].figures.selection_rate;
  const RateCount first{one * 250, 250};
  const RateCount second{two * 400, 400};
  EXPECT_NEAR(*bound.value,
              std::max(fresh_difference_at_most(first, second, 0.025),
                       fresh_difference_at_most(second, first, 0.025)),
              1e-12);
  EXPECT_GE(*fresh_bound(fresh, parity, rule, 0.95, true).value, *bound.value);
  EXPECT_NEAR(bound.observed, std::abs(one - two), 1e-12);
}

}  // namespace
}  // namespace evenhand::testing::confidence_bound_test
