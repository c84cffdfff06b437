// Certified fits: numbers computed separately, brute force over the window family, the check on
// which their validity rests, and what cannot be certified.
#include <evenhand/evenhand.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::certify_test {
namespace {

const std::vector<std::string> sex = {"sex"};
const std::vector<std::string> race = {"race"};

Rows rows_of(const std::vector<std::vector<int>>& strata, unsigned seed) {
  Random random(seed);
  Rows out;
  for (std::size_t k = 0; k < strata.size(); ++k) {
    for (std::size_t s = 0; s < strata[k].size(); ++s) {
      for (int i = 0; i < strata[k][s]; ++i) {
        const double p = std::pow(random.unit(), 1 + static_cast<double>(s));
        out.score.push_back(p);
        out.sex.push_back("g" + std::to_string(s));
        out.race.push_back("k" + std::to_string(k));
        out.label.push_back(random.unit() < p ? 1 : 0);
      }
    }
  }
  return out;
}

TEST(Certify, NumberOfTheWindow) {
  const PairBounds bounds({{2000, 2000}, {2000, 2000}}, 0.05, BoundKind::same_rate);
  const std::vector<std::size_t> pairs = {0, 1};
  EXPECT_NEAR(highest_certified(bounds, pairs, {false, 0.10}, 0.2), 0.257522, 5.1e-7);
  EXPECT_LT(highest_certified(bounds, pairs, {false, 0.01}, 0.2), 0.2);
}

// The objective of a stratum in a window, straight from the rows.
double objective_in(const Rows& rows, double low, double high) {
  double sum = 0;
  for (const char* name : {"g0", "g1", "g2"}) {
    std::vector<double> benefit;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.sex[i] == name) benefit.push_back(2 * rows.score[i] - 1);
    }
    if (benefit.empty()) continue;
    std::sort(benefit.rbegin(), benefit.rend());
    const double m = static_cast<double>(benefit.size());
    const double best = static_cast<double>(std::count_if(benefit.begin(), benefit.end(),
                                                          [](double h) { return h > 0; })) /
                        m;
    double left = std::clamp(best, low, high) * m;
    for (const double h : benefit) {
      sum += h * std::clamp(left, 0.0, 1.0);
      left -= 1;
    }
  }
  return sum;
}

TEST(Certify, NoWindowThatCertifiesDoesBetter) {
  for (const bool is_ratio : {false, true}) {
    const Rows rows = rows_of({{1500, 1500}}, 3);
    const Tally tally = rows.tally();
    const Criterion criterion =
        is_ratio ? four_fifths({.sensitive = sex, .within = race, .ratio = 0.7})
                 : statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.1});
    const CertifiedFit fit = certify(tally, criterion);
    ASSERT_FALSE(fit.too_few);
    EXPECT_EQ(fit.solution.status, Status::optimal);
    const PairBounds bounds({{1500, 1500}, {1500, 1500}}, 0.05, BoundKind::same_rate);
    const std::vector<std::size_t> pairs = {0, 1};
    double most = 0;
    for (int i = 0; i <= 100; ++i) {
      const double low = i / 100.0;
      const double high = highest_certified(bounds, pairs, {is_ratio, is_ratio ? 0.7 : 0.1}, low);
      if (high >= low) most = std::max(most, objective_in(rows, low, high));
    }
    // The table has 4,096 points, these are 101 of any.
    EXPECT_GE(fit.solution.primal, most - 2e-3 * fit.solution.magnitude);
    EXPECT_LE(fit.solution.primal, fit.plain.primal + 1e-9);
    EXPECT_NEAR(fit.solution.primal,
                objective_in(rows, fit.solution.strata[0].lowest, fit.solution.strata[0].highest),
                1e-6);
  }
}

TEST(Certify, EveryBoundIsWithinTheToleranceWhateverTheCriterion) {
  const Tally tally = rows_of({{1000, 900}, {1200, 700, 900}}, 4).tally();
  const std::vector<Criterion> criteria = {
      statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.2}),
      equal_opportunity({.sensitive = sex, .within = race, .tolerance = 0.25}),
      false_positive_parity({.sensitive = sex, .within = race, .tolerance = 0.25}),
      equalized_odds({.sensitive = sex, .within = race, .tolerance = 0.25}),
      four_fifths({.sensitive = sex, .within = race, .ratio = 0.5})};
  for (const Criterion& criterion : criteria) {
    const CertifiedFit fit = certify(tally, criterion);
    ASSERT_FALSE(fit.too_few) << criterion.name;
    ASSERT_TRUE(fit.bound.value);
    if (fit.bound.is_ratio) {
      EXPECT_GE(*fit.bound.value, criterion.ratio);
    } else {
      EXPECT_LE(*fit.bound.value, criterion.tolerance);
    }
    EXPECT_EQ(fit.solution.criterion, criterion);
    EXPECT_EQ(fit.solution.status, Status::optimal) << criterion.name;
    EXPECT_LE(fit.solution.primal, fit.plain.primal + 1e-9) << criterion.name;
    EXPECT_NO_THROW(fit.solution.to_json());
  }
}

TEST(Certify, LimitsForPairsBeatOneWindowWhereSizesDiffer) {
  const Rows rows = rows_of({{4639, 437, 3409}}, 8);
  const Tally tally = rows.tally();
  const CertifiedFit fit =
      certify(tally, statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.17}));
  ASSERT_FALSE(fit.too_few);
  const PairBounds bounds(
      {{4639, 437}, {4639, 3409}, {437, 4639}, {437, 3409}, {3409, 4639}, {3409, 437}}, 0.05,
      BoundKind::same_rate);
  const std::vector<std::size_t> pairs = {0, 1, 2, 3, 4, 5};
  double by_window = 0;
  for (int i = 0; i <= 100; ++i) {
    const double low = i / 100.0;
    const double high = highest_certified(bounds, pairs, {false, 0.17}, low);
    if (high >= low) by_window = std::max(by_window, objective_in(rows, low, high));
  }
  EXPECT_GT(fit.solution.primal, by_window);
  EXPECT_LE(*fit.bound.value, 0.17);
}

TEST(Certify, TooFewRowsSayWhatWouldDo) {
  const Tally tally = rows_of({{60, 50}}, 5).tally();
  const CertifiedFit fit =
      certify(tally, statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.05}));
  EXPECT_TRUE(fit.too_few);
  EXPECT_GT(fit.smallest, 0.05);
  EXPECT_GT(fit.rows_needed, 5);
}

TEST(Certify, PartlyCertifiesTheStrataThatHaveEnough) {
  const Tally tally = rows_of({{30, 20}, {2000, 2000}}, 6).tally();
  const Criterion criterion =
      statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.1});
  EXPECT_TRUE(certify(tally, criterion).too_few);
  const CertifiedFit fit = certify(tally, criterion, {}, {.partial = true});
  EXPECT_FALSE(fit.too_few);
  ASSERT_EQ(fit.uncertified.size(), 1U);
  EXPECT_EQ(fit.uncertified[0], (std::vector<std::string>{"k0"}));
  ASSERT_EQ(fit.bound.strata.size(), 1U);
  EXPECT_LE(*fit.bound.value, 0.1);
  const Audit audited = audit(tally, {sex, race}, fit.solution.rule);
  EXPECT_LE(audited.strata[0].selection_rate->difference, 0.1 + 1e-9);
}

TEST(Certify, RefusesWhatCannotBeCertifiedAndSaysWhy) {
  using Bad = std::invalid_argument;
  Rows rows = rows_of({{100, 80}, {90, 70}}, 7);
  const Tally tally = rows.tally();
  const ParityOptions parity{.sensitive = sex, .within = race, .tolerance = 0.1};
  const auto refused = [&](const Criterion& criterion, const SolveOptions& options,
                           const char* part) {
    expect_throw<Bad>([&] { certify(tally, criterion, options); }, part);
  };
  refused(statistical_parity({.sensitive = sex, .within = race}), {}, "tolerance 0");
  refused(four_fifths({.sensitive = sex, .within = race, .ratio = 1}), {}, "ratio 1");
  refused(statistical_parity(parity), {.gamma = 0.1}, "gamma above 0");
  refused(statistical_parity(parity), {.lottery = Lottery::none}, "without coins");
  refused(statistical_parity(parity), {.max_lottery = 0.01}, "without coins");
  refused(requirements({"rate <= 0.1"}), {}, "requirements alone");
  Criterion both = statistical_parity(parity);
  both.require = {"rate <= 0.1"};
  refused(both, {}, "requirements move");
  refused(statistical_parity(
              {.sensitive = {"sex", "race"}, .tolerance = 0.1, .across = Across::marginal}),
          {}, "single columns");
  refused(equal_rates({.sensitive = sex, .within = race, .tolerance = 0.1, .rho = Rho::given(0.2)}),
          {}, "target rate");
  for (const double confidence : {0.0, 1.0, std::nan("")}) {
    expect_throw<Bad>(
        [&] { certify(tally, statistical_parity(parity), {}, {.confidence = confidence}); },
        "confidence lies between");
  }
  rows.weight.assign(rows.size(), 2.5);
  expect_throw<Bad>([&] { certify(rows.tally(), statistical_parity(parity)); }, "weights");
}

}  // namespace
}  // namespace evenhand::testing::certify_test
