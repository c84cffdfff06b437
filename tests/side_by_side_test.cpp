#include <evenhand/side_by_side.h>

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::side_by_side_test {
namespace {

const Roles sex_within_race{{"sex"}, {"race"}};

// Row by row, for a fine grid of coins that every rule shares.
TEST(SideBySide, ChangesAreThoseOfTheSamePeopleWithTheSameCoins) {
  Random random(3);
  for (int trial = 0; trial < 10; ++trial) {
    const Rows rows = random_rows(random, {.groups = 2, .strata = 2, .most_rows = 30});
    const Tally tally = rows.tally();
    const Criterion strict = statistical_parity({.sensitive = {"sex"}, .within = {"race"}});
    const std::vector<Rule> rules = {
        solve(tally, strict).rule, solve(tally, strict, {.gamma = 0.5}).rule,
        solve(tally,
              statistical_parity({.sensitive = {"sex"}, .within = {"race"}, .tolerance = 0.1}))
            .rule};
    const SideBySide found = side_by_side(tally, {.roles = sex_within_race}, rules);
    ASSERT_EQ(found.rules.size(), 3U);
    const Cells cells = rows.cells();
    const std::vector<double> first = rules[0].probability(cells, rows.score);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      const std::vector<double> q = rules[r].probability(cells, rows.score);
      std::vector<double> to_yes(tally.cells().size()), to_no(tally.cells().size());
      constexpr int coins = 2000;
      for (std::size_t i = 0; i < q.size(); ++i) {
        const double n = (rows.weight.empty() ? 1 : rows.weight[i]) / coins;
        for (int k = 0; k < coins; ++k) {
          const double u = (k + 0.5) / coins;
          to_yes[cells.codes[i]] += u >= first[i] && u < q[i] ? n : 0;
          to_no[cells.codes[i]] += u < first[i] && u >= q[i] ? n : 0;
        }
      }
      for (const Change& change : found.rules[r].changes) {
        const double margin = 1e-9 + change.weight / coins;  // the grid's
        EXPECT_NEAR(change.to_yes, to_yes[change.cell], margin);
        EXPECT_NEAR(change.to_no, to_no[change.cell], margin);
      }
      EXPECT_EQ(found.rules[r].report.audit().overall.figures.selection_rate,
                audit(tally, sex_within_race, rules[r]).overall.figures.selection_rate);
    }
    EXPECT_EQ(found.rules[0].changed().to_yes + found.rules[0].changed().to_no, 0);
  }
}

TEST(SideBySide, SaysWhichRuleNeedsTheGroup) {
  const std::vector<double> score = {0.9, 0.2, 0.6, 0.3};
  const std::vector<std::string> sex = {"F", "F", "M", "M"};
  const std::vector<std::string> race = {"a", "b", "a", "b"};
  const Tally tally = Tally::of(score, Cells::from({{"sex", sex}, {"race", race}}));
  const auto by = [&](const std::string& name) {
    return solve(tally.project(std::vector{name}), statistical_parity({.sensitive = {name}})).rule;
  };
  const std::vector<Rule> rules = {by("sex"), by("race")};
  const SideBySide found = side_by_side(tally, {.roles = {.sensitive = {"sex"}}}, rules);
  EXPECT_TRUE(found.rules[0].needs_group);
  EXPECT_FALSE(found.rules[1].needs_group);
  expect_throw<std::invalid_argument>(
      [&] { side_by_side(tally, {.roles = {.sensitive = {"sex"}}}, {}); }, "no rule to compare");
}

}  // namespace
}  // namespace evenhand::testing::side_by_side_test
