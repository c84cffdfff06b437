// Soft columns that are refused, one by one; columns that cannot be compared; the file of a fit.
#include <evenhand/evenhand.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::soft_input_test {
namespace {

using testing::expect_throw;

TEST(Soft, ColumnThatIsTheSameForAllIsNotCompared) {
  const std::vector<double> p = {0.2, 0.4, 0.8};
  const std::vector<double> same(3, 0.3);
  const std::vector<double> none(3, 0);
  const std::vector<double> differs = {0, 0.5, 1};
  const SoftSolution solution = solve_soft({p, {{"same", same}, {"none", none}, {"s", differs}}});
  EXPECT_EQ(solution.status, Status::optimal);
  EXPECT_FALSE(solution.strata[0].columns[0].compared);
  EXPECT_FALSE(solution.strata[0].columns[1].compared);
  EXPECT_TRUE(solution.strata[0].columns[2].compared);
  expect_throw<std::invalid_argument>(
      [&] {
        solve_soft({p, {{"same", same}}});
      },
      "nothing to compare");
}

TEST(Soft, FileIsASoftRuleWithARecordOfTheFit) {
  const std::vector<double> p = {0.2, 0.4, 0.8};
  const std::vector<double> s = {0, 0.5, 1};
  const SoftSolution solution = solve_soft({p, {{"s", s}}});
  const std::string json = solution.to_json();
  EXPECT_EQ(SoftRule::from_json(json), solution.rule);
  EXPECT_NE(fit_record(json).find(R"("status":"optimal")"), std::string::npos);
}

TEST(SoftInput, IsRefusedOneByOne) {
  const std::vector<double> p = {0.2, 0.4, 0.8};
  const std::vector<double> s = {0, 0.5, 1};
  const std::vector<double> t = {1, 0.5, 0};
  const std::vector<double> two = {0, 1};
  const double nan = std::nan("");
  const auto refuse = [](const SoftRows& rows, const SoftOptions& options,
                         const std::string& part) {
    expect_throw<std::invalid_argument>([&] { solve_soft(rows, options); }, part);
  };
  refuse({{}, {{"s", {}}}}, {}, "no rows");
  refuse({p, {}}, {}, "no soft columns");
  refuse({p, {{"", s}}}, {}, "empty name");
  refuse({p, {{"\xFF", s}}}, {}, "not valid UTF-8");
  refuse({p, {{"s", s}, {"s", t}}}, {}, "s is given twice");
  refuse({p, {{"s", two}}}, {}, "3 scores but 2 values of s");
  const std::vector<double> bad_score = {0.2, 1.4, 0.8};
  refuse({bad_score, {{"s", s}}}, {}, "row 1: the score 1.4 is not valid");
  for (const double bad : {-0.1, 1.1, nan, std::numeric_limits<double>::infinity()}) {
    const std::vector<double> column = {0, 0.5, bad};
    refuse({p, {{"s", column}}}, {}, "row 2: s is ");
  }
  refuse({p, {{"s", s}}}, {.weight = two}, "3 scores but 2 weights");
  const std::vector<double> negative = {1, -1, 1};
  refuse({p, {{"s", s}}}, {.weight = negative}, "row 1: the weight -1");
  const std::vector<double> zero(3);
  refuse({p, {{"s", s}}}, {.weight = zero}, "every weight is zero");
  refuse({p, {{"s", s}}}, {.scale = Scale::raw}, "raw scores say nothing of the outcome");
  refuse({p, {{"s", s}}}, {.costs = {-1, 1}}, "costs are at least 0");
  refuse({p, {{"s", s}}}, {.gamma = -1}, "gamma, the width of randomization, is at least 0");
  refuse({p, {{"s", s}}}, {.gamma = nan}, "gamma");
  refuse({p, {{"s", s}}}, {.exhaustive = true}, "exhaustive columns are at least two");
  const std::vector<double> off = {1, 0.5, 0.1};
  refuse({p, {{"s", s}, {"t", off}}}, {.exhaustive = true}, "row 2: the columns add up to 1.1");
  EXPECT_EQ(solve_soft({p, {{"s", s}, {"t", t}}}, {.exhaustive = true}).status, Status::optimal);
  Cells within = Cells::from({{"a", std::vector<std::string>{"x", "y"}}});
  refuse({p, {{"s", s}}, &within}, {}, "3 scores but 2 strata");
  within.codes = {0, 1, 2};
  refuse({p, {{"s", s}}, &within}, {}, "row 2: there is no stratum with code 2");
}

}  // namespace
}  // namespace evenhand::soft_input_test
