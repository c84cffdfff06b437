// verify accepts what fits record, with all their data, and rejects what was changed. The oracle
// tests call it on each of their problems.
#include <evenhand/calibrate.h>
#include <evenhand/certify.h>
#include <evenhand/decision_log.h>
#include <evenhand/verify.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"
#include "support/trials.h"
#include "support/verified.h"

namespace evenhand::testing::verify_test {
namespace {

StoredTally some_data(unsigned seed, bool raw = false) {
  Random random(seed);
  Rows rows = random_rows(random, {.groups = 3, .strata = 2, .most_rows = 200});
  if (raw) rows.scale = Scale::raw;
  return {.tally = rows.tally(), .source = {.roles = {{"sex"}, {"race"}}, .score = "p"}};
}

Verification verified(const StoredTally& data, const Solution& fit) {
  FitRecord record = FitRecord::of(fit);
  record.add(data, fit);
  return verify(data, fit.rule, FitRecord::from_json(record.to_json()));
}

TEST(Verify, AcceptsEveryFigureOfTheRecord) {
  for (unsigned seed = 1; seed < 5; ++seed) {
    const StoredTally data = some_data(seed);
    for (const Criterion& criterion :
         {statistical_parity({{"sex"}, {"race"}, 0.01}), four_fifths({{"sex"}, {"race"}}),
          equalized_odds({{"sex"}, {"race"}, 0.02}),
          equal_rates({{"sex"}, {"race"}, 0.1, Rho::base()}),
          statistical_parity({{"sex", "race"}, {}, 0, Across::both}),
          requirements({"rate <= 0.2", "cost >= 0", "selected >= 1"})}) {
      const Solution fit = solve(data.tally, criterion, {.costs = {2, 1}, .base_threshold = 0.375});
      const Verification found = verified(data, fit);
      EXPECT_TRUE(found.passed()) << criterion.name << '\n' << found.to_text();
      EXPECT_EQ(verdict_of(found, "before"), Verdict::yes);
      EXPECT_EQ(verdict_of(found, "after"), Verdict::yes);
    }
  }
}

// Whatever the multipliers, what they prove is true.
TEST(Verify, NoMultipliersProveLessThanTheOptimum) {
  Random random(7);
  for (int trial = 0; trial < trials(200); ++trial) {
    const StoredTally data = some_data(static_cast<unsigned>(trial % 10 + 1));
    const Criterion criterion = trial % 2 ? statistical_parity({{"sex"}, {"race"}, 0.05})
                                          : equalized_odds({{"sex"}, {"race"}, 0.05});
    const Solution fit = solve(data.tally, criterion);
    FitRecord record = FitRecord::of(fit);
    for (RecordedCell& cell : *record.cells) {
      if (cell.multiplier) *cell.multiplier += 3 * random.unit() - 1.5;
    }
    for (RecordedConstraint& constraint : record.constraints) {
      constraint.multiplier += 3 * random.unit() - 1.5;
    }
    const Verification found = verify(data, fit.rule, record);
    for (const Check& check : found.checks) {
      if (check.name == "bound" && check.found) {
        EXPECT_GE(*check.found, fit.primal - 1e-9 * fit.magnitude);
      }
    }
  }
}

TEST(Verify, ACalibratorThatWasGivenIsToldFromPooledLabels) {
  const StoredTally data = some_data(3, true);
  const Criterion criterion = statistical_parity({{"sex"}, {"race"}, 0.01});
  const Solution pooled = solve(data.tally, criterion, {.calibrate = Calibration::isotonic});
  EXPECT_TRUE(verified(data, pooled).passed()) << verified(data, pooled).to_text();
  SolveOptions given;
  given.calibrator = calibrate(data.tally, Calibration::isotonic);
  const Solution by_curve = solve(data.tally, criterion, given);
  EXPECT_TRUE(verified(data, by_curve).passed()) << verified(data, by_curve).to_text();
}

TEST(Verify, CertifiedFitsLeaveTheirBoundOpen) {
  Random random(5);
  const Rows rows = random_rows(random, {.groups = 2, .strata = 1, .most_rows = 4000});
  const StoredTally data{.tally = rows.tally(), .source = {.roles = {{"sex"}, {"race"}}}};
  const CertifiedFit fit =
      certify(data.tally, statistical_parity({{"sex"}, {"race"}, 0.4}), {}, {.confidence = 0.5});
  ASSERT_FALSE(fit.too_few);
  const Verification found = verified(data, fit.solution);
  EXPECT_TRUE(found.passed()) << found.to_text();
  EXPECT_EQ(verdict_of(found, "bound"), Verdict::unchecked);
}

TEST(Verify, RejectsOtherDataAndOtherRules) {
  const StoredTally data = some_data(1);
  const StoredTally other = some_data(2);
  const Criterion criterion = statistical_parity({{"sex"}, {"race"}, 0.01});
  const Solution fit = solve(data.tally, criterion);
  FitRecord record = FitRecord::of(fit);
  record.add(data, fit);
  EXPECT_EQ(verdict_of(verify(other, fit.rule, record), "data"), Verdict::no);
  RuleParts parts = fit.rule.parts();
  parts.otherwise = 0.25;
  EXPECT_EQ(verdict_of(verify(data, Rule(parts), record), "rule"), Verdict::no);
}

TEST(Verify, SaysWhenThereIsNothingToGoBy) {
  const StoredTally data = some_data(1);
  const Solution fit = solve(data.tally, statistical_parity({{"sex"}, {"race"}}));
  expect_throw<std::invalid_argument>([&] { (void)verify(data, fit.rule, FitRecord()); },
                                      "no record of its fit");
  FitRecord bare = FitRecord::of(fit);
  bare.cells.reset();
  const Verification found = verify(data, fit.rule, bare);
  EXPECT_TRUE(found.passed());
  EXPECT_EQ(verdict_of(found, "status"), Verdict::unchecked);
  EXPECT_EQ(verdict_of(found, "data"), Verdict::unchecked);
}

TEST(Verify, SoftRulesFromTheirRows) {
  Random random(11);
  std::vector<double> p, f, w;
  for (int i = 0; i < 200; ++i) {
    p.push_back(random.unit());
    f.push_back(random.unit());
    w.push_back(1 + random.below(3));
  }
  const SoftRows rows{p, {{"f", f}}};
  for (const double gamma : {0.0, 0.1}) {
    const SoftSolution fit = solve_soft(rows, {.weight = w, .gamma = gamma});
    FitRecord record = FitRecord::of(fit);
    EXPECT_TRUE(verify(rows, w, fit.rule, record).passed())
        << verify(rows, w, fit.rule, record).to_text();
    record.proof->dual -= 0.01;
    EXPECT_FALSE(verify(rows, w, fit.rule, record).passed());
  }
}

TEST(DecisionLog, GivesTheDecisionsOfTheRuleAndFindsWhatWasChanged) {
  const StoredTally data = some_data(4);
  const Coin coin = Coin::keyed("a key");
  for (const double gamma : {0.0, 0.3}) {
    const Rule rule =
        solve(data.tally, statistical_parity({{"sex"}, {"race"}}), {.gamma = gamma}).rule;
    const DecisionLog log(rule);
    for (CellCode c = 0; c < rule.cells().size(); ++c) {
      for (int i = 0; i <= 50; ++i) {
        const double score = i / 50.0;
        const std::string id = std::to_string(i);
        const DecisionReason why =
            log.reason(c, score, Unseen::error, [&] { return coin(std::string_view(id)); });
        EXPECT_EQ(why.probability, rule.probability(c, score));
        EXPECT_EQ(why.decision, rule.decide(c, score, id, coin));
        LoggedDecision line{
            id, log.rule_fingerprint(), fingerprint(coin), rule.cells().name(c), score, why};
        EXPECT_EQ(log.wrong_with(line, &coin), "");
        EXPECT_EQ(log.wrong_with(line, nullptr), "");
        line.why.decision = !line.why.decision;
        EXPECT_NE(log.wrong_with(line, nullptr), "");
      }
    }
  }
  EXPECT_EQ(fingerprint(Coin::seeded(7)), "seed 7");
  EXPECT_NE(fingerprint(coin), coin.prefix());
}

}  // namespace
}  // namespace evenhand::testing::verify_test
