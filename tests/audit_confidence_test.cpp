// What an audit says beyond its rows: bounds of fresh and of fitted rows, tests of pairs, strata
// and all groups, and effective sizes.
#include <evenhand/evenhand.h>

#include <cmath>
#include <stdexcept>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::audit_confidence_test {
namespace {

const std::vector<std::string> sex = {"sex"};
const std::vector<std::string> race = {"race"};

Rows some_rows(std::uint64_t seed, int groups = 2, int strata = 2, int most_rows = 400) {
  Random random(seed);
  return random_rows(random, {.groups = groups, .strata = strata, .most_rows = most_rows});
}

FitRecord record_of(const Solution& fit, const Tally& tally) {
  FitRecord out = FitRecord::of(fit);
  out.add({tally, {.roles = fit.criterion.roles}});
  return out;
}

// Decisions that were taken, by sex within race.
AuditReport decisions(const std::vector<std::vector<RateCount>>& strata,
                      const AuditScope& more = {}) {
  Rows rows;
  std::vector<double> taken;
  for (std::size_t k = 0; k < strata.size(); ++k) {
    for (std::size_t g = 0; g < strata[k].size(); ++g) {
      for (double i = 0; i < strata[k][g].rows; ++i) {
        rows.sex.push_back("g" + std::to_string(g));
        rows.race.push_back("k" + std::to_string(k));
        taken.push_back(i < strata[k][g].positive ? 1 : 0);
      }
    }
  }
  AuditScope scope = more;
  scope.roles = {.sensitive = sex, .within = race};
  return audit_report(Tally::of(taken, rows.cells()), scope, AuditOptions{.decisions = true});
}

TEST(AuditConfidence, RowsOfTheFitAreKnownByTheirFingerprintAndBoundedAsTheFit) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Tally tally = some_rows(seed).tally();
    const Tally others = some_rows(seed + 100).tally();
    const Roles roles{.sensitive = sex, .within = race};
    for (const Criterion& criterion :
         {statistical_parity({.sensitive = sex, .within = race}),
          statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.05}),
          equal_opportunity({.sensitive = sex, .within = race, .tolerance = 0.02}),
          equalized_odds({.sensitive = sex, .within = race, .tolerance = 0.05}),
          four_fifths({.sensitive = sex, .within = race})}) {
      const Solution fit = solve(tally, criterion);
      const FitRecord record = record_of(fit, tally);
      EXPECT_TRUE(record.fitted_on({tally, {.roles = roles}}));
      EXPECT_FALSE(record.fitted_on({others, {.roles = roles}}));
      EXPECT_FALSE(FitRecord::of(fit).fitted_on({tally, {.roles = roles}}));
      const AuditReport report = audit_report(tally, scope_of(criterion), fit.rule);
      const AuditConfidence found = confidence_of(report, {.fitted_by = record});
      const ConfidenceBound bound = confidence_bound(tally, fit);
      ASSERT_EQ(found.of(criterion.relation).value.has_value(), bound.value.has_value());
      if (bound.value) {
        EXPECT_NEAR(*found.of(criterion.relation).value, *bound.value, 1e-9) << criterion.name;
      }
      EXPECT_EQ(found.of(criterion.relation).kind, bound.kind);
      EXPECT_EQ(found.of(criterion.relation).strata.size(), bound.strata.size());  // each once
      // Fresh rows, and other rates than those of the fit.
      EXPECT_FALSE(confidence_of(report).of(criterion.relation).kind);
      AuditScope other = scope_of(criterion);
      other.rates = {Rate::false_positive};
      const AuditConfidence any =
          confidence_of(audit_report(tally, other, fit.rule), {.fitted_by = record});
      if (any.difference.value) {
        EXPECT_EQ(any.difference.kind, BoundKind::any);
      }
    }
  }
}

TEST(AuditConfidence, CertifiedRulesStayWithinTheirTolerance) {
  const Tally tally = some_rows(3, 2, 1, 4000).tally();
  const Criterion parity = statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.2});
  const CertifiedFit fit = certify(tally, parity);
  ASSERT_FALSE(fit.too_few);
  FitRecord record = record_of(fit.solution, tally);
  record.bound = fit.bound;
  record.certified = 0.95;
  const FitRecord again = FitRecord::from_json(record.to_json());
  EXPECT_EQ(again.to_json(), record.to_json());
  const AuditReport report = audit_report(tally, scope_of(parity), fit.solution.rule);
  EXPECT_LE(*confidence_of(report, {.fitted_by = again}).difference.value, 0.2);
  // A higher confidence than the certificate's is not covered by it.
  EXPECT_GT(*confidence_of(report, {.confidence = 0.9999, .fitted_by = again}).difference.value,
            0.2);
}

TEST(AuditConfidence, GroupsOfSeveralThresholdsAndWeightsHaveNoBoundOfAFit) {
  const Rows rows = some_rows(5);
  const Tally tally = rows.tally();
  const Solution fit = solve(tally, statistical_parity({.sensitive = sex, .within = race}));
  const AuditReport pooled = audit_report(tally, {.roles = {.sensitive = sex}}, fit.rule);
  const AuditConfidence found = confidence_of(pooled, {.fitted_by = record_of(fit, tally)});
  EXPECT_FALSE(found.difference.value);
  EXPECT_NE(found.difference.reason.find("several cells"), std::string::npos);
  EXPECT_TRUE(confidence_of(pooled).difference.value);  // fresh rows may be pooled
  expect_throw<std::invalid_argument>([&] { confidence_of(pooled, {.confidence = 1}); },
                                      "confidence");
  expect_throw<std::invalid_argument>([&] { tests_of(pooled, 0); }, "confidence");
  expect_throw<std::invalid_argument>(
      [&] {
        confidence_of(pooled, {.fitted_by = record_of(fit, tally), .kind = BoundKind::same_rate});
      },
      "same-rate");
}

TEST(AuditConfidence, BothSidesOfFreshRowsAreByExactLimits) {
  const AuditReport report = decisions({{{18, 60}, {150, 300}}});
  const AuditConfidence found = confidence_of(report);
  const RateCount few{18, 60}, many{150, 300};
  EXPECT_NEAR(*found.difference.value, fresh_difference_at_most(many, few, 0.025), 1e-12);
  EXPECT_NEAR(*found.difference.value, 0.325727, 5.1e-7);
  EXPECT_NEAR(*found.difference.shown, -fresh_difference_at_most(few, many, 0.025), 1e-12);
  EXPECT_GT(*found.difference.shown, 0);
  EXPECT_NEAR(*found.ratio.value, 0.372751, 5.1e-7);
  EXPECT_NEAR(*found.ratio.shown, 1 / fresh_ratio_at_least(many, few, 0.025), 1e-12);
  EXPECT_LT(*found.ratio.shown, 1);
  // Nothing is shown where rates agree.
  const AuditConfidence alike = confidence_of(decisions({{{30, 60}, {150, 300}}}));
  EXPECT_EQ(*alike.difference.shown, 0);
  EXPECT_EQ(*alike.ratio.shown, 1);
}

TEST(AuditConfidence, AReferenceLeavesFewerPairsAndTighterBounds) {
  const std::vector<std::vector<RateCount>> strata = {{{18, 60}, {150, 300}, {90, 200}}};
  AuditScope against;
  against.reference = {"g1"};
  const AuditConfidence all = confidence_of(decisions(strata));
  const AuditConfidence some = confidence_of(decisions(strata, against));
  EXPECT_LT(*some.difference.value, *all.difference.value);
  EXPECT_NEAR(*some.difference.value, fresh_difference_at_most({150, 300}, {18, 60}, 0.05 / 4),
              1e-12);
}

TEST(AuditTests, PairsAreThoseOfTheFunctions) {
  const std::vector<RateCount> groups = {{18, 60}, {150, 300}, {90, 200}};
  const AuditTests tests = tests_of(decisions({groups}), 0.9);
  ASSERT_EQ(tests.pairs.size(), 2u);  // against the highest, g1
  std::vector<double> p;
  for (const auto& [a, b] : {std::pair(0, 1), {0, 2}, {1, 2}}) {
    p.push_back(fisher_exact(groups[std::size_t(a)], groups[std::size_t(b)]).p);
  }
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < 2; ++i) {
    const TestedPair& pair = tests.pairs[i];
    const RateCount& group = groups[i == 0 ? 0 : 2];
    EXPECT_EQ(pair.reference.values, std::vector<std::string>{"g1"});
    EXPECT_EQ(pair.difference_interval.low, difference_interval(group, groups[1], 0.9).low);
    EXPECT_EQ(pair.ratio_interval.high, ratio_interval(group, groups[1], 0.9).high);
    EXPECT_EQ(pair.standard_deviations, standard_deviations(group, groups[1]));
    EXPECT_EQ(pair.shortfall, shortfall(group, groups[1]));
    EXPECT_EQ(pair.shortfall_to_fifths, shortfall(group, groups[1], 0.8));
    EXPECT_EQ(pair.exact->p, p[i == 0 ? 0 : 2]);
    EXPECT_EQ(*pair.holm_p, adjusted[i == 0 ? 0 : 2]);
  }
  ASSERT_EQ(tests.views.size(), 1u);
  const std::vector<RateCount> strata[] = {groups};
  EXPECT_EQ(tests.views[0].test.p, largest_difference_test(strata).p);
  EXPECT_TRUE(tests.strata.empty());
}

TEST(AuditTests, StrataAreTestedTogether) {
  const AuditTests tests = tests_of(decisions({{{18, 60}, {150, 300}}, {{5, 20}, {40, 90}}}));
  EXPECT_EQ(tests.pairs.size(), 2u);
  ASSERT_EQ(tests.strata.size(), 1u);
  EXPECT_EQ(tests.strata[0].strata, 2u);
  EXPECT_NEAR(tests.strata[0].test.statistic, 10.549425, 5.1e-7);
}

TEST(AuditTests, ExpectedCountsHaveIntervalsAndNoTests) {
  const Tally tally = some_rows(8).tally();
  const Criterion parity = statistical_parity({.sensitive = sex, .within = race});
  const AuditReport report = audit_report(tally, scope_of(parity), solve(tally, parity).rule);
  const AuditTests tests = tests_of(report);
  EXPECT_FALSE(tests.why_no_tests.empty());
  ASSERT_FALSE(tests.pairs.empty());
  EXPECT_FALSE(tests.pairs[0].exact);
  EXPECT_FALSE(tests.pairs[0].holm_p);
  EXPECT_TRUE(tests.views.empty());
}

TEST(AuditTests, SmallGroupsAreNeitherTestedNorBounded) {
  const std::vector<std::vector<RateCount>> strata = {{{0, 3}, {150, 300}, {90, 200}}};
  AuditScope scope{.roles = {.sensitive = sex, .within = race}};
  const AuditReport all = decisions(strata);
  EXPECT_EQ(tests_of(all).pairs.size(), 2u);
  // The same people, with groups of fewer than 10 left alone.
  Rows rows;
  std::vector<double> taken;
  for (int g = 0; g < 3; ++g) {
    const RateCount& count = strata[0][std::size_t(g)];
    for (double i = 0; i < count.rows; ++i) {
      rows.sex.push_back("g" + std::to_string(g));
      rows.race.emplace_back("k");
      taken.push_back(i < count.positive ? 1 : 0);
    }
  }
  const AuditReport few = audit_report(Tally::of(taken, rows.cells()), scope,
                                       AuditOptions{.decisions = true, .min_group = 10});
  EXPECT_EQ(tests_of(few).pairs.size(), 1u);
  EXPECT_NEAR(*confidence_of(few).difference.value,
              fresh_difference_at_most({150, 300}, {90, 200}, 0.025), 1e-12);
}

TEST(AuditTests, WeightsCountByTheirEffectiveSize) {
  Rows rows;
  std::vector<double> taken, weight;
  for (int g = 0; g < 2; ++g) {
    for (int i = 0; i < 100; ++i) {
      rows.sex.push_back(g == 0 ? "F" : "M");
      rows.race.emplace_back("k");
      taken.push_back(i % (g + 2) == 0 ? 1 : 0);
      weight.push_back(i < 50 ? 1.5 : 0.5);
    }
  }
  const Tally tally = Tally::of(taken, rows.cells(), {.weight = weight});
  const AuditScope scope{.roles = {.sensitive = sex, .within = race}};
  AuditOptions options{.decisions = true};
  const AuditReport unknown = audit_report(tally, scope, options);
  EXPECT_FALSE(confidence_of(unknown).difference.value);
  EXPECT_FALSE(tests_of(unknown).why_no_intervals.empty());
  options.squared_weights.assign(2, {50 * (1.5 * 1.5 + 0.5 * 0.5), 0});
  const AuditReport known = audit_report(tally, scope, options);
  EXPECT_TRUE(known.effective);
  const CountedGroup& first = known.views[0].compared[0].groups[0];
  EXPECT_NEAR(first.count.rows, 80, 1e-9);  // 100^2 / 125
  EXPECT_NEAR(first.count.positive / first.count.rows, first.rate, 1e-12);
  EXPECT_TRUE(confidence_of(known).difference.value);
  const AuditTests tests = tests_of(known);
  EXPECT_EQ(tests.pairs.size(), 1u);
  EXPECT_FALSE(tests.pairs[0].exact);
  EXPECT_TRUE(known.audit().overall.groups[0].figures.selection_interval);
  options.squared_weights.pop_back();
  expect_throw<std::invalid_argument>([&] { audit_report(tally, scope, options); },
                                      "squared weights");
}

}  // namespace
}  // namespace evenhand::testing::audit_confidence_test
