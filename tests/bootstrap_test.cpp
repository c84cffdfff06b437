// Refits on rows drawn again, and what else front ends ask of fits: batches, plans, promises.
#include <evenhand/bootstrap.h>
#include <evenhand/fit_words.h>
#include <evenhand/monitor.h>
#include <evenhand/plan.h>
#include <evenhand/sgd.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::testing::bootstrap_test {
namespace {

struct People {
  std::vector<double> score, label;
  std::vector<std::string> sex, month;

  explicit People(std::size_t rows) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> unit;
    for (std::size_t i = 0; i < rows; ++i) {
      sex.emplace_back(i % 3 == 0 ? "F" : "M");
      month.emplace_back(i % 2 == 0 ? "a" : "b");
      score.push_back(std::round(unit(random) * (sex.back() == "F" ? 80 : 100)) / 100);
      label.push_back(unit(random) < score.back() ? 1 : 0);
    }
  }
  Tally by(const Cells& cells, bool labelled = true) const {
    return Tally::of(score, cells, {.label = labelled ? Numbers(label) : Numbers()});
  }
  Tally tally(bool labelled = true) const { return by(Cells::from({{"sex", sex}}), labelled); }
};

Criterion parity() {
  return statistical_parity({.sensitive = {"sex"}, .tolerance = 0.05});
}

TEST(Bootstrap, IsTheSameForAnyNumberOfThreads) {
  const Tally tally = People(300).tally();
  const Solution fit = solve(tally, parity());
  const auto one = bootstrap(tally, fit, {.times = 8, .threads = 1});
  const auto many = bootstrap(tally, fit, {.times = 8, .threads = 3});
  const auto other = bootstrap(tally, fit, {.times = 8, .seed = 5});
  bool differs = false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].difference, many[i].difference);
    EXPECT_EQ(one[i].changed, many[i].changed);
    EXPECT_GE(one[i].difference.value(), 0);
    EXPECT_LE(one[i].changed.value(), 1);
    EXPECT_GT(one[i].accuracy.value(), 0.4);
    differs = differs || one[i].difference != other[i].difference;
  }
  EXPECT_TRUE(differs);
}

TEST(Bootstrap, RefusesWeightsAndTimesOutOfRange) {
  const People people(60);
  const Tally tally = people.tally();
  const Solution fit = solve(tally, parity());
  expect_throw<std::invalid_argument>([&] { bootstrap(tally, fit, {.times = 0}); }, "1 to 100,000");
  const std::vector<double> half(people.score.size(), 0.5);
  const Tally weighted =
      Tally::of(people.score, Cells::from({{"sex", people.sex}}), {.weight = half});
  expect_throw<std::invalid_argument>([&] { bootstrap(weighted, solve(weighted, parity())); },
                                      "weighted rows");
}

TEST(FitWords, ScoresPromiseWhatTheyMaximise) {
  const People people(200);
  const Tally tally = people.tally();
  const Solution fit = solve(tally, parity());
  const std::optional<Promise> promise = promise_of(tally, fit);
  ASSERT_TRUE(promise);
  // Without labels the same figures are all that there is.
  const Tally bare = people.tally(false);
  const Figures expected =
      audit(bare, {.sensitive = {"sex"}}, solve(bare, parity()).rule).overall.figures;
  EXPECT_EQ(promise->after.accuracy, expected.accuracy);
  EXPECT_FALSE(promise_of(bare, solve(bare, parity())));
  SolveOptions isotonic;
  isotonic.calibrate = Calibration::isotonic;
  EXPECT_FALSE(promise_of(tally, solve(tally, parity(), isotonic)));
  EXPECT_FALSE(promise_of(tally, solve(tally, equal_opportunity({.sensitive = {"sex"}}))));
}

TEST(FitWords, CriteriaNameGroupsAndStrictness) {
  EXPECT_EQ(
      in_words(statistical_parity({.sensitive = {"sex"}, .within = {"race"}, .tolerance = 0.02})),
      "statistical-parity between the groups of sex within race, tolerance 0.02");
  EXPECT_EQ(in_words(requirements({"rate <= 0.1"})), "requirements: rate <= 0.1");
  EXPECT_EQ(proof_in_words(Status::optimal, 2e-17, 0),
            "proven optimal: within 2e-17 of the best fair rule; violation 0");
}

TEST(Batches, AColumnSplitsWhatOneBatchAddsUp) {
  const People people(240);
  const Tally tally = people.tally();
  const Solution fit = solve(tally, parity());
  const Roles roles{.sensitive = {"sex"}};
  const Tally by_month = people.by(Cells::from({{"sex", people.sex}, {"month", people.month}}));
  const auto batches = monitored_batches(by_month, roles, "month", &fit.rule);
  const MonitorBatch whole = monitored_batch("all", tally, roles, &fit.rule);
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[0].name, "a");
  for (std::size_t g = 0; g < whole.groups.size(); ++g) {
    double rows = 0, positive = 0;
    for (const MonitorBatch& batch : batches) {
      rows += batch.groups[g].count.rows;
      positive += batch.groups[g].count.positive;
    }
    EXPECT_EQ(rows, whole.groups[g].count.rows);
    EXPECT_NEAR(positive, whole.groups[g].count.positive, 1e-9);
  }
  EXPECT_NE(monitored_subject(fit.rule), "");
}

TEST(Plan, NumbersMakeStrata) {
  EXPECT_EQ(planned_strata(0.2, 3, 2).size(), 2U);
  EXPECT_EQ(planned_strata(0.2, 3, 2)[1].rows.size(), 3U);
  expect_throw<std::invalid_argument>([&] { planned_strata(0.2, 1, 1); }, "at least 2 groups");
  expect_throw<std::invalid_argument>([&] { planned_strata(0.2, 300, 100'000); }, "100,000 pairs");
}

TEST(Sgd, AStreamOverATallyIsTheOneSettledByHand) {
  const People people(200);
  const Cells cells = Cells::from({{"sex", people.sex}});
  const Tally tally = Tally::of(people.score, cells);
  const Criterion criterion = statistical_parity({.sensitive = {"sex"}});
  SgdOptions options;
  options.steps = 400;
  options.record_every = 4;
  SgdStream by_hand(tally.cells(), criterion,
                    {.reading = tally.reading(),
                     .cell_weights = {tally.total(0).n, tally.total(1).n},
                     .sgd = options});
  SgdStream settled = SgdStream::over(tally, criterion, {}, 2);
  for (SgdStream* const stream : {&by_hand, &settled}) {
    for (int pass = 0; pass < 2; ++pass) stream->add(cells.codes, people.score);
  }
  const SgdResult found = settled.finish(tally);
  EXPECT_EQ(found.solution.rule, by_hand.finish(tally).solution.rule);
  EXPECT_EQ(found.trace.points.size(), by_hand.finish(tally).trace.points.size());
  const SgdComparison comparison = compare(found, tally);
  EXPECT_EQ(comparison.distance.violation, found.solution.violation);
  EXPECT_GE(comparison.distance.dual, 0);
}

}  // namespace
}  // namespace evenhand::testing::bootstrap_test
