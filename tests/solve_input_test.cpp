// What solve refuses, one by one, and what the file of a fit holds.
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/everybody.h"
#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::solve_input_test {
namespace {

TEST(Solve, TheFileOfAFitReadsBackAsItsRule) {
  Random random(13);
  const Rows rows = random_rows(random, {.groups = 2, .strata = 2});
  const Solution fit = solve(rows.tally(), statistical_parity({{"sex"}, {"race"}}));
  EXPECT_EQ(Rule::from_json(fit.to_json()), fit.rule);
  const std::string record = fit_record(fit.to_json());
  for (const char* member : {"\"criterion\"", "\"status\":\"optimal\"", "\"gap\"", "\"version\""}) {
    EXPECT_NE(record.find(member), std::string::npos) << member;
  }
}

TEST(Solve, TheRecordOfAFitNamesItsConstraints) {
  Random random(14);
  const Rows rows = random_rows(random, {.groups = 2, .strata = 2});
  Criterion criterion = statistical_parity({{"sex", "race"}, {}, 0, Across::marginal});
  criterion.require = {"rate <= 0.3"};
  const Solution fit = solve(rows.tally(), criterion);
  ASSERT_EQ(fit.status, Status::optimal);
  const std::string record = fit_record(fit.to_json());
  for (const char* member : {"\"across\":\"marginal\"", "\"require\":[\"rate <= 0.3\"]",
                             "\"text\":\"rate[sex=M] - rate[sex=F] = 0\""}) {
    EXPECT_NE(record.find(member), std::string::npos) << member << " in " << record;
  }
  criterion.require = {"rate <= 0.3", "rate >= 0.4"};
  const Solution none = solve(rows.tally(), criterion);
  EXPECT_EQ(none.status, Status::infeasible);
  expect_throw<std::invalid_argument>([&] { (void)none.to_json(); }, "there is no rule to write");
}

class SolveInput : public ::testing::Test {
 protected:
  Everybody people{{0.1, 0.6, 0.4, 0.9}, {"a", "a", "b", "b"}, {}};
  Tally tally = people.tally();

  void reject(const Criterion& criterion, const SolveOptions& options, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { solve(tally, criterion, options); }, part);
  }
};

TEST_F(SolveInput, RejectsLabelCriteriaWithoutLabels) {
  reject(equal_opportunity({.sensitive = {"group"}}), {},
         "equal-opportunity: true- and false-positive rates need labels");
  reject(false_positive_parity({.sensitive = {"group"}}), {}, "need labels to fit");
  reject(parity_of_groups(), {.calibrate = Calibration::isotonic},
         "isotonic calibration needs labels");
}

TEST_F(SolveInput, RejectsOptionsOutOfRange) {
  reject(parity_of_groups(), {.gamma = -1}, "gamma");
  reject(parity_of_groups(), {.gamma = NAN}, "gamma");
  reject(parity_of_groups(), {.gamma = INFINITY}, "gamma");
  reject(parity_of_groups(), {.costs = {0, 0}}, "costs are at least 0 and not both 0");
  reject(parity_of_groups(), {.costs = {-1, 1}}, "costs");
  reject(parity_of_groups(), {.costs = {1, NAN}}, "costs");
  reject(parity_of_groups(), {.base_threshold = 1.5}, "base threshold 1.5");
  reject(parity_of_groups(), {.base_threshold = NAN}, "base threshold");
  reject(parity_of_groups(-1), {}, "tolerance");
}

TEST_F(SolveInput, RejectsRolesThatDoNotFitTheData) {
  reject(statistical_parity({.sensitive = {"grup"}}), {},
         "no attribute grup; did you mean 'group'?");
  reject(statistical_parity({.sensitive = {}}), {}, "at least one sensitive attribute");
  reject(statistical_parity({.sensitive = {"group"}, .within = {"group"}}), {}, "has two roles");
  const std::vector<std::string> region = {"x", "y", "x", "y"};
  tally = Tally::of(people.score, Cells::from({{"group", people.group}, {"region", region}}));
  reject(parity_of_groups(), {}, "the attribute region has no role");
}

TEST_F(SolveInput, RejectsWhenNothingIsLeftToCompare) {
  people.group = {"a", "a", "a", "a"};
  tally = people.tally();
  reject(parity_of_groups(), {}, "nothing to compare: no stratum has two groups with rows");
  people.group = {"a", "a", "b", "b"};
  const std::vector<std::uint8_t> label = {1, 0, 0, 0};
  tally = people.tally({.label = label});
  reject(equal_opportunity({.sensitive = {"group"}}), {}, "two groups with favourable outcomes");
  const std::vector<std::uint8_t> ones = {1, 0, 1, 1};
  tally = people.tally({.label = ones});
  reject(false_positive_parity({.sensitive = {"group"}}), {},
         "two groups with unfavourable outcomes");
}

TEST_F(SolveInput, RejectsRequirementsThatNameNoCell) {
  reject(requirements({"rate[grup=a] <= 0.5"}), {},
         "at character 6 of \"rate[grup=a] <= 0.5\": there is no attribute grup; did you mean "
         "'group'?");
  reject(requirements({"rate[group=aa] <= 0.5"}), {},
         "at character 12 of \"rate[group=aa] <= 0.5\": group has no value aa; did you mean 'a'?");
  reject(requirements({"tpr <= 0.5"}), {}, "need labels to fit");
  reject(requirements({"rate < 0.5"}), {}, "at character 6 of");
  reject(requirements({}), {}, "say what is fair");
  const std::vector<std::string> region = {"x", "x", "y", "y"};
  tally = Tally::of(people.score, Cells::from({{"group", people.group}, {"region", region}}));
  reject(requirements({"rate[group=a, region=y] <= 0.5"}), {}, "no cell has these values together");
  const std::vector<std::uint8_t> label = {1, 0, 0, 0};
  tally = people.tally({.label = label});
  reject(requirements({"tpr[group=b] <= 0.5"}), {}, "no favourable outcomes in these cells");
}

TEST_F(SolveInput, RejectsMarginsOfEqualRates) {
  Criterion criterion = equal_rates({.sensitive = {"group"}});
  criterion.roles.across = Across::marginal;
  reject(criterion, {}, "across has no meaning");
}

}  // namespace
}  // namespace evenhand::testing::solve_input_test
