// Equalized odds, marginal criteria and requirements at gamma = 0: the optimum against the linear
// program over atoms, the proof from the constraints' multipliers, and everything required on the
// applied rule.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/many.h"
#include "support/many_check.h"
#include "support/trials.h"

namespace evenhand::testing::many::many_oracle_test {
namespace {

class ManyOracle : public ::testing::TestWithParam<Family> {};

TEST_P(ManyOracle, RuleIsOptimalMeetsEverythingAndIsProvenSo) {
  Draws draws(GetParam(), 4000, trials(150), 1500);
  int binding = 0;
  while (draws.more()) {
    const Problem problem = draws.problem();
    SCOPED_TRACE(outline(problem, draws.trial()));
    const Model model = model_of(problem);
    const Tally tally = problem.people.tally();
    if (!comparable(model, problem.criterion)) {
      EXPECT_THROW(solve(tally, problem.criterion, problem.options), std::invalid_argument);
      continue;
    }
    const std::optional<double> best = best_objective(model);
    if (!best) {
      const double violation = least_violation(model);
      ASSERT_GT(violation, 1e-9) << "the linear program failed";
      if (violation < 1e-7) continue;
    }
    const Solution solution = solve(tally, problem.criterion, problem.options);
    if (!best) {
      EXPECT_EQ(solution.status, Status::infeasible);
      continue;
    }
    draws.count();
    if (*best < unconstrained(model) - 1e-6 * model.scale()) ++binding;
    EXPECT_NEAR(solution.primal, *best, 1e-9 * model.scale());
    check_solution(problem, model, solution);
  }
  EXPECT_GE(binding,
            draws.counted() < 150 ? 1 : 30);  // else the problems are too easy to tell anything
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, ManyOracle, ::testing::ValuesIn(all_families()),
                         name_of_family);

}  // namespace
}  // namespace evenhand::testing::many::many_oracle_test
