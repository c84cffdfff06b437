// Rules that see no group: against the linear program with one variable for each score of a
// stratum, whoever has it, and against numbers worked out by hand.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/many.h"
#include "support/many_check.h"
#include "support/throws.h"
#include "support/trials.h"

namespace evenhand::testing::many::blind_test {
namespace {

// Every step leads to another probability, and none is 0 or 1 but for rounding.
void expect_real_chances(const Rule& rule) {
  for (const Response& response : rule.parts().responses) {
    double before = response.start;
    EXPECT_TRUE(before == 0 || before == 1 || (before > 1e-9 && before < 1 - 1e-9)) << before;
    for (const Point& point : response.points) {
      EXPECT_GT(point.q, before);
      EXPECT_TRUE(point.q == 1 || point.q < 1 - 1e-9) << point.q;
      EXPECT_GT(point.q, 1e-9);
      before = point.q;
    }
  }
}

class Blind : public ::testing::TestWithParam<Family> {};

TEST_P(Blind, RuleIsTheBestThatTellsNoGroupsApart) {
  const Family& family = GetParam();
  Random random(seed_of(family.name, 9000));
  int solved = 0;
  for (int trial = 0; solved < trials(200); ++trial) {
    ASSERT_LT(trial, 2000) << "too few problems with a solution";
    Problem problem = random_problem(random, family, trial);
    problem.options.blind = true;
    SCOPED_TRACE(outline(problem, trial));
    const Model model = model_of(problem);
    if (!comparable(model, problem.criterion)) continue;
    const std::optional<double> best = best_objective(model);
    const Tally tally = problem.people.tally();
    if (!best) {
      const double violation = least_violation(model);
      ASSERT_GT(violation, 1e-9) << "the linear program failed";
      if (violation < 1e-7) continue;
      const Solution solution = solve(tally, problem.criterion, problem.options);
      ASSERT_EQ(solution.status, Status::infeasible);
      EXPECT_NEAR(solution.infeasibility->total_violation, violation, 1e-8);
      EXPECT_GT(proof_of_infeasibility(model, solution.infeasibility->certificate), 0);
      EXPECT_TRUE(proves_infeasible(tally, *solution.infeasibility, problem.options));
      continue;
    }
    ++solved;
    const Solution solution = solve(tally, problem.criterion, problem.options);
    EXPECT_NEAR(solution.primal, *best, 1e-9 * model.scale());
    check_solution(problem, model, solution);
    EXPECT_EQ(solution.rule.cells().attributes(), problem.criterion.roles.within);
    expect_real_chances(solution.rule);
  }
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, Blind, ::testing::ValuesIn(all_families()), name_of_family);

Tally women_and_men() {
  const std::vector<double> score = {.35, .45, .55, .7, .2, .4, .6, .75, .8, .9};
  std::vector<std::string> sex(4, "F");
  sex.resize(10, "M");
  return Tally::of(score, Cells::from({{"sex", sex}}));
}

// Women .35 .45 .55 .7 and men .2 .4 .6 .75 .8 .9.
TEST(BlindByHand, MixesTheSixAndTheSevenBest) {
  const Solution solution =
      solve(women_and_men(), statistical_parity({.sensitive = {"sex"}}), {.blind = true});
  ASSERT_EQ(solution.status, Status::optimal);
  EXPECT_NEAR(solution.primal, 2 + 8.0 / 15, 1e-12);
  EXPECT_TRUE(solution.rule.cells().attributes().empty());
  ASSERT_EQ(solution.rule.cells().size(), 1U);
  EXPECT_EQ(solution.rule.probability(0, 0.55), 1);                 // the sixth
  EXPECT_NEAR(solution.rule.probability(0, 0.45), 2.0 / 3, 1e-12);  // the seventh
  EXPECT_EQ(solution.rule.probability(0, 0.4), 0);
}

TEST(BlindByHand, ItsFileNamesNoGroup) {
  const Solution solution =
      solve(women_and_men(), statistical_parity({.sensitive = {"sex"}}), {.blind = true});
  const Rule read = Rule::from_json(solution.to_json());
  EXPECT_EQ(read, solution.rule);
}

TEST(BlindByHand, RefusesWhatDoesNotGoWithIt) {
  const Criterion criterion = statistical_parity({.sensitive = {"sex"}});
  expect_throw<std::invalid_argument>(
      [&] { solve(women_and_men(), criterion, {.gamma = 0.1, .blind = true}); }, "gamma must be 0");
}

}  // namespace
}  // namespace evenhand::testing::many::blind_test
