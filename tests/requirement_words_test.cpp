// Requirements beyond rates: other measures, distances, `for each`, base decisions.
#include <evenhand/evenhand.h>

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::testing::requirement_words_test {
namespace {

void expect_same(std::string_view text, std::string_view other) {
  EXPECT_EQ(parse_requirement(text), parse_requirement(other)) << text << " and " << other;
}

void expect_refused(std::string_view text, const std::string& part) {
  expect_throw<std::invalid_argument>([&] { parse_requirement(text); }, part);
}

// Scores of four women and six men (docs/requirements.md has the words).
struct People {
  std::vector<double> score = {.35, .45, .55, .7, .2, .4, .6, .75, .8, .9};
  std::vector<std::uint8_t> label = {0, 1, 0, 1, 0, 0, 1, 1, 0, 1};
  std::vector<std::string> sex = {"F", "F", "F", "F", "M", "M", "M", "M", "M", "M"};
  Tally tally(bool labelled = true) const {
    TallyOptions options;
    if (labelled) options.label = label;
    return Tally::of(score, Cells::from({{"sex", sex}}), options);
  }
};

TEST(RequirementWords, OtherNamesMeanTheSameQuantity) {
  expect_same("recall >= 0.5", "tpr >= 0.5");
  expect_same("ppv[a=b] >= 0.5", "precision[a=b] >= 0.5");
  expect_same("selection_rate <= 0.5", "rate <= 0.5");
  expect_same("fnr <= 0.25", "-tpr <= -0.75");
  expect_same("tnr >= 0.25", "-fpr >= -0.75");
  expect_same("error <= 0.25", "-accuracy <= -0.75");
  expect_same("fdr <= 0.25", "-precision <= -0.75");
  expect_same("2 * fnr + rate <= 1", "-2 * tpr + rate <= -1");
  expect_same("base(fnr) + rate <= 1", "-base(tpr) + rate <= 0");
}

TEST(RequirementWords, PrintedTextReadsBackTheSame) {
  for (const char* text :
       {"abs(tpr[a=b] - tpr[a=c]) <= 0.02", "abs(rate - 0.5) <= 0.1",
        "for each race, \"a b\": rate >= 0.1", "for each race: abs(error[s=F] - error[s=M]) <= 0.1",
        "tpr[sex=M] >= base(tpr[sex=M])", "selected[sex=F] <= 500", "share[sex=F] >= 0.4",
        "cost - 0.5 * base(cost) <= 0.1", "npv >= 0.9"}) {
    const Requirement read = parse_requirement(text);
    EXPECT_EQ(parse_requirement(to_string(read)), read) << to_string(read);
  }
}

TEST(RequirementWords, RatiosStandAloneAgainstAConstant) {
  for (const char* text :
       {"precision[a=b] >= precision[a=c]", "abs(npv[a=b] - npv[a=c]) <= 0.1",
        "share[a=b] >= 2 * share[a=c]", "fdr - 0.1 * rate <= 0.2", "precision >= rate"}) {
    expect_refused(text, "must stand alone against a constant");
  }
  EXPECT_NO_THROW(parse_requirement("precision[a=b] >= base(precision[a=b]) - 0.05"));
}

TEST(RequirementWords, RefusesWhatIsIncomplete) {
  expect_refused("share >= 0.1", "say whose share");
  expect_refused("abs(rate >= 0.1", "'+', '-' or ')'");
  expect_refused("abs(rate) >= 0.1", "only be limited from above");
  expect_refused("abs(rate) <= tpr", "expected a number");
  expect_refused("abs(rate) <= 0.1 + 0.1", "expected the end");
  expect_refused("for race: rate <= 1", "expected 'each'");
  expect_refused("for each race rate <= 1", "expected ',' or ':'");
  expect_refused("for each race, race: rate <= 1", "expected another attribute");
  expect_refused("for each race: rate[race=a] <= 1", "comes after 'for each' and in brackets");
  expect_refused("base(rate) <= 1", "no rule changes the base decisions");
  expect_refused("rate >= base(2)", "expected a rate");
  expect_refused("rate >= base(rate", "expected ')'");
}

TEST(RequirementWords, NoWorseIsARequirementForEachGroup) {
  EXPECT_EQ(no_worse("tpr", {{"sex"}, {"race"}}), "for each sex, race: tpr >= base(tpr)");
  EXPECT_EQ(no_worse("rate", {}), "rate >= base(rate)");
  expect_throw<std::invalid_argument>([] { no_worse("fpr", {}); }, "rate or tpr, not fpr");
}

TEST(RequirementWords, NobodyIsWorseOffThanBefore) {
  const People people;
  Criterion criterion = equal_opportunity({.sensitive = {"sex"}, .tolerance = 0.1});
  criterion.require = {no_worse("rate", criterion.roles), no_worse("tpr", criterion.roles)};
  const Tally tally = people.tally();
  const Solution solution = solve(tally, criterion);
  ASSERT_EQ(solution.status, Status::optimal);
  // Before: two of four women, four of six men; half of the women's favourable outcomes, all men's.
  EXPECT_GT(solution.primal, 0);
  for (const Constraint& constraint : solution.constraints) {
    if (!constraint.required) continue;
    EXPECT_GE(constraint.value, constraint.bound - 1e-9) << constraint.text;
    EXPECT_TRUE(constraint.bound == 0.5 || constraint.bound == 4.0 / 6 || constraint.bound == 1)
        << constraint.text << ": " << constraint.bound;
  }
}

TEST(RequirementWords, CapacityCountsPeople) {
  const Tally tally = People().tally(false);
  const Solution solution = solve(tally, requirements({"selected <= 3"}));
  ASSERT_EQ(solution.status, Status::optimal);
  EXPECT_NEAR(solution.primal, 0.8 + 0.6 + 0.5, 1e-12);
  EXPECT_NEAR(solution.constraints.at(0).value, 3, 1e-12);
}

TEST(RequirementWords, RequirementsAreFreeOfScale) {
  const Tally tally = People().tally(false);
  for (const double scale : {1e-12, 1e-3, 1.0, 1e9}) {
    const Criterion criterion = requirements(
        {fmt::format("{} * rate[sex=F] >= {}", scale, 0.5 * scale), "rate[sex=F] <= 0.4"});
    const Solution solution = solve(tally, criterion);
    ASSERT_EQ(solution.status, Status::infeasible) << scale;
    EXPECT_NEAR(solution.infeasibility->total_violation, 0.1, 1e-9) << scale;
    EXPECT_TRUE(proves_infeasible(tally, *solution.infeasibility)) << scale;
  }
}

TEST(RequirementWords, AVacuousRatioIsPointedOut) {
  const Tally tally = People().tally();
  const Solution solution = solve(tally, requirements({"precision[sex=M] >= 1.5", "rate <= 0.2"}));
  ASSERT_EQ(solution.status, Status::optimal);
  ASSERT_EQ(solution.notes.size(), 1U);
  EXPECT_EQ(solution.notes[0],
            "precision[sex=M] >= 1.5 holds only because nobody it is about is selected");
}

TEST(RequirementWords, ForEachLeavesOutGroupsWithoutOutcomesAndSaysSo) {
  People people;
  people.sex[0] = "X";  // one person, unfavourable
  const Solution solution = solve(people.tally(), requirements({"for each sex: tpr >= 0.4"}));
  ASSERT_EQ(solution.status, Status::optimal);
  ASSERT_EQ(solution.notes.size(), 2U);
  EXPECT_NE(solution.notes[1].find("sex=X"), std::string::npos) << solution.notes[1];
  EXPECT_EQ(
      solution.notes[0],
      "for each sex: tpr >= 0.4 does not count for sex=X: there are no favourable outcomes in "
      "these cells");
  expect_throw<std::invalid_argument>(
      [&] { solve(people.tally(), requirements({"for each sx: tpr >= 0.4"})); },
      "no attribute sx; did you mean 'sex'?");
}

}  // namespace
}  // namespace evenhand::testing::requirement_words_test
