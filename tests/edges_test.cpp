// The solver's edges: sizes of requirements and weights, rounding.
#include <evenhand/evenhand.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing {
namespace {

Tally two_groups(const std::vector<double>& weight = {}) {
  const std::vector<double> score = {0.1, 0.4, 0.6, 0.9, 0.2, 0.5, 0.7, 0.8};
  const std::vector<std::string> group = {"a", "a", "a", "a", "b", "b", "b", "b"};
  const std::vector<double> label = {0, 1, 0, 1, 0, 0, 1, 1};
  TallyOptions options{.label = label};
  if (!weight.empty()) options.weight = weight;
  return Tally::of(score, Cells::from({{"g", group}}), options);
}

TEST(Edges, RequirementsAreJudgedWhateverTheirSize) {
  for (const char* text : {"1e-12 * rate[g=a] >= 5e-13", "1e12 * rate[g=a] >= 5e11"}) {
    const Criterion criterion = requirements({text, "rate[g=a] <= 0.4"});
    const Solution clash = solve(two_groups(), criterion);
    ASSERT_EQ(clash.status, Status::infeasible) << text;
    EXPECT_TRUE(proves_infeasible(two_groups(), *clash.infeasibility)) << text;
    const Solution alone = solve(two_groups(), requirements({text}));
    EXPECT_EQ(alone.status, Status::optimal) << text;
    EXPECT_NEAR(alone.dual, alone.primal, 1e-9 * alone.magnitude) << text;
  }
}

// Everybody with a favourable outcome must be accepted: that takes no coin.
TEST(Edges, RoundingMakesNoLotteries) {
  Random random(12);
  for (int trial = 0; trial < 20; ++trial) {
    const Rows rows = random_rows(random, {.groups = 3, .strata = 1, .most_rows = 200});
    const Tally tally = rows.tally();
    if (tally.total().n1 == 0) continue;
    const Solution fit = solve(tally, requirements({"tpr >= 1"}));
    ASSERT_EQ(fit.status, Status::optimal);
    EXPECT_EQ(fit.lottery_share, 0) << "trial " << trial;
  }
}

TEST(Edges, WeightsThatCannotBeComputedWithAreRefused) {
  for (const double weight : {1e-313, 1e-160, 1e160}) {
    expect_throw<std::invalid_argument>([&] { two_groups(std::vector<double>(8, weight)); },
                                        "multiply all of them by one number");
  }
  for (const double weight : {1e-90, 1e90}) {
    const Tally tally = two_groups(std::vector<double>(8, weight));
    for (const char* name : {"statistical-parity", "equal-opportunity", "equalized-odds"}) {
      const Solution fit = solve(tally, criterion_from(name, {{{"g"}}, 0.1}));
      EXPECT_EQ(fit.status, Status::optimal) << name << " " << weight;
      EXPECT_NEAR(fit.primal / weight,
                  solve(two_groups(), criterion_from(name, {{{"g"}}, 0.1})).primal, 1e-9)
          << name;
    }
  }
}

}  // namespace
}  // namespace evenhand::testing
