#include <evenhand/audit_json.h>
#include <evenhand/audit_report.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::audit_report_test {
namespace {

const std::vector<double> score = {0.9, 0.8, 0.1, 0.2, 0.9, 0.1, 0.1, 0.1, 0.7, 0.3};
const std::vector<std::string> sex = {"F", "F", "F", "F", "M", "M", "M", "M", "F", "M"};
const std::vector<std::string> race = {"a", "a", "b", "b", "a", "a", "b", "b", "b", "a"};
const std::vector<std::uint8_t> label = {1, 1, 1, 0, 1, 1, 0, 0, 0, 1};

Tally of_both() {
  return Tally::of(score, Cells::from({{"sex", sex}, {"race", race}}), {.label = label});
}

// The rates of all groups by their definition, over the cells that the audit has.
std::map<std::vector<std::string>, double> rates_by(const AuditReport& report, const Roles& roles,
                                                    const std::vector<std::string>& stratum) {
  std::map<std::vector<std::string>, std::pair<double, double>> sums;
  const CellNames& names = report.cells;
  for (const AuditedCell& cell : report.audit().cells) {
    std::vector<std::string> inside, group;
    for (const std::string& name : roles.within) {
      inside.push_back(names.values(cell.cell)[names.attribute(name)]);
    }
    if (inside != stratum) continue;
    for (const std::string& name : roles.sensitive) {
      group.push_back(names.values(cell.cell)[names.attribute(name)]);
    }
    sums[group].first += cell.figures.selection_rate.value_or(0) * cell.figures.weight;
    sums[group].second += cell.figures.weight;
  }
  std::map<std::vector<std::string>, double> out;
  for (const auto& [group, sum] : sums) {
    if (sum.second > 0) out[group] = sum.first / sum.second;
  }
  return out;
}

// Over all views and strata, whatever groups there are.
TEST(AuditReport, TheLargestDifferenceIsThatOfAllPairs) {
  Random random(5);
  for (int trial = 0; trial < 60; ++trial) {
    const Rows rows = random_rows(random, {.groups = 3, .strata = 2, .most_rows = 40});
    const Tally tally = rows.tally();
    AuditScope scope{.roles = {.sensitive = {"sex"}, .within = {"race"}}};
    if (trial % 3 > 0) {
      scope.roles = {.sensitive = {"sex", "race"},
                     .across = trial % 3 == 1 ? Across::marginal : Across::both};
    }
    const AuditReport report = audit_report(tally, scope);
    double difference = -1;
    double ratio = 2;
    for (const AuditView& view : report.views) {
      for (const Comparison& stratum : view.audit.strata) {
        const auto rates = rates_by(report, view.roles, stratum.values);
        for (const auto& [g, a] : rates) {
          for (const auto& [h, b] : rates) {
            if (g == h) continue;
            difference = std::max(difference, std::abs(a - b));
            ratio = std::min(ratio, std::max(a, b) > 0 ? std::min(a, b) / std::max(a, b) : 1);
          }
        }
      }
    }
    ASSERT_EQ(report.largest_difference.has_value(), difference >= 0);
    if (!report.largest_difference) continue;
    EXPECT_NEAR(report.largest_difference->difference(), difference, 1e-12);
    EXPECT_NEAR(report.smallest_ratio->ratio(), ratio, 1e-12);
    // The groups it names have the rates it says.
    const Gap& gap = *report.largest_difference;
    const auto rates =
        rates_by(report, {.sensitive = gap.low.attributes, .within = gap.stratum.attributes},
                 gap.stratum.values);
    EXPECT_NEAR(rates.at(gap.low.values), gap.low_rate, 1e-12);
    EXPECT_NEAR(rates.at(gap.high.values), gap.high_rate, 1e-12);
  }
}

TEST(AuditReport, ViewsAreThoseOfAcross) {
  const Roles both{.sensitive = {"sex", "race"}, .within = {"job"}, .across = Across::both};
  ASSERT_EQ(views_of(both).size(), 3U);
  EXPECT_EQ(views_of(both)[0].sensitive, both.sensitive);
  EXPECT_EQ(views_of(both)[2].sensitive, std::vector<std::string>{"race"});
  EXPECT_EQ(views_of(both)[2].within, both.within);
  EXPECT_EQ(views_of({.sensitive = {"sex"}, .across = Across::both}).size(), 1U);
  EXPECT_EQ(views_of({.sensitive = {"sex"}, .across = Across::marginal}).size(), 1U);
  EXPECT_EQ(views_of({.sensitive = {}}).size(), 1U);
}

TEST(AuditReport, AReferenceIsComparedWithEverybodyElse) {
  const AuditReport report =
      audit_report(of_both(), {.roles = {.sensitive = {"sex", "race"}}, .reference = {"M", "a"}});
  const auto& against = report.views.front().against_reference;
  ASSERT_EQ(against.size(), 3U);
  double largest = 0;
  for (const AgainstReference& one : against) {
    EXPECT_DOUBLE_EQ(one.reference, 1.0 / 3);
    EXPECT_DOUBLE_EQ(*one.ratio(), one.value / one.reference);
    largest = std::max(largest, std::abs(one.difference()));
  }
  EXPECT_EQ(report.largest_difference->difference(), largest);
  expect_throw<std::invalid_argument>(
      [&] { audit_report(of_both(), {.roles = {.sensitive = {"sex"}}, .reference = {"X"}}); },
      "the reference X is not one of the groups; there are F, M");
}

TEST(AuditReport, GroupsThatAreTooSmallAreShownButNotCompared) {
  const std::vector<double> scores = {0.9, 0.9, 0.1, 0.9, 0.1, 0.1};
  const std::vector<std::string> group = {"a", "a", "b", "b", "b", "c"};
  const Tally tally = Tally::of(scores, Cells::from({{"g", group}}));
  const AuditScope scope{.roles = {.sensitive = {"g"}}};
  AuditOptions options;
  EXPECT_EQ(audit_report(tally, scope, options).largest_difference->difference(), 1);
  options.min_group = 2;
  const AuditReport report = audit_report(tally, scope, options);
  EXPECT_DOUBLE_EQ(report.largest_difference->difference(), 1 - 1.0 / 3);
  EXPECT_EQ(largest_difference(report.audit(), Rate::selection),
            report.largest_difference->difference());
  EXPECT_FALSE(report.audit().overall.groups[2].compared);
  EXPECT_EQ(report.audit().overall.groups[2].figures.weight, 1);
  options.min_group = 100;
  EXPECT_FALSE(audit_report(tally, scope, options).largest_difference);
  options.min_group = -1;
  expect_throw<std::invalid_argument>([&] { audit_report(tally, scope, options); }, "group");
}

TEST(AuditReport, AllCellsAreComparedWhereTheCriterionSaysSo) {
  const AuditScope scope = scope_of(equal_rates({.sensitive = {"sex"}, .within = {"race"}}));
  const AuditReport report = audit_report(of_both(), scope);
  double low = 1;
  double high = 0;
  for (const AuditedCell& cell : report.audit().cells) {
    low = std::min(low, *cell.figures.selection_rate);
    high = std::max(high, *cell.figures.selection_rate);
  }
  EXPECT_EQ(report.largest_difference->difference(), high - low);
  EXPECT_EQ(report.largest_difference->low.attributes, (std::vector<std::string>{"sex", "race"}));
}

TEST(AuditReport, RequirementsHaveTheirValueOnThesePeople) {
  const AuditReport report = audit_report(
      of_both(),
      {.roles = {.sensitive = {"sex"}},
       .require = {"tpr[sex=F] - tpr[sex=M] <= 0.02", "rate <= 0.4",
                   "rate[race=a] >= 0.8 * rate[race=b]", "rate[sex=X] <= 1", "rate[job=x] <= 1"}});
  ASSERT_EQ(report.requirements.size(), 5U);
  EXPECT_DOUBLE_EQ(*report.requirements[0].value, 2.0 / 3 - 1.0 / 3);
  EXPECT_FALSE(report.requirements[0].holds());
  EXPECT_DOUBLE_EQ(report.requirements[0].missed_by(), 1.0 / 3 - 0.02);
  EXPECT_DOUBLE_EQ(*report.requirements[1].value, 0.4);
  EXPECT_TRUE(report.requirements[1].holds());
  EXPECT_DOUBLE_EQ(*report.requirements[2].value, 3.0 / 5 - 0.8 * 1.0 / 5);
  EXPECT_TRUE(report.requirements[2].holds());
  EXPECT_FALSE(report.requirements[3].value);
  EXPECT_NE(report.requirements[3].why_not.find("sex=X"), std::string::npos);
  EXPECT_FALSE(report.requirements[4].holds());
  expect_throw<std::invalid_argument>(
      [&] { audit_report(of_both(), {.roles = {.sensitive = {"sex"}}, .require = {"rate <= "}}); },
      "expected");
}

// Figures of the rule, of the base decisions and for each group, by their definitions.
TEST(AuditReport, RequirementsMayBeAboutOtherFiguresAndAboutBaseDecisions) {
  const Tally tally = of_both();
  const Rule rule = solve(tally, statistical_parity({.sensitive = {"sex", "race"}})).rule;
  const AuditReport before = audit_report(tally, {.roles = {.sensitive = {"sex"}}});
  const AuditReport after = audit_report(
      tally,
      {.roles = {.sensitive = {"sex"}},
       .require = {"accuracy >= 0", "precision[sex=F] >= 0", "selected <= 500",
                   "rate[sex=M] >= base(rate[sex=M])", "cost <= 1",
                   "abs(rate[sex=F] - rate[sex=M]) <= 0.3", "for each sex: rate <= 1"}},
      rule);
  ASSERT_EQ(after.requirements.size(), 8U);
  const Figures& all = after.audit().overall.figures;
  const Figures& women = after.audit().overall.groups[0].figures;
  const Figures& men = after.audit().overall.groups[1].figures;
  const auto value = [&](std::size_t i) { return after.requirements[i].value.value(); };
  EXPECT_NEAR(value(0), *all.accuracy, 1e-12);
  EXPECT_NEAR(value(1), *women.precision, 1e-12);
  EXPECT_NEAR(value(2), *all.selection_rate * all.weight, 1e-12);
  EXPECT_NEAR(value(3),
              *men.selection_rate - *before.audit().overall.groups[1].figures.selection_rate,
              1e-12);
  EXPECT_NEAR(value(4), *all.cost, 1e-12);
  EXPECT_NEAR(value(5), std::abs(*women.selection_rate - *men.selection_rate), 1e-12);
  EXPECT_EQ(after.requirements[5].bound, 0.3);
  EXPECT_NEAR(value(6), *women.selection_rate, 1e-12);
  EXPECT_NEAR(value(7), *men.selection_rate, 1e-12);
}

// A fit keeps what was required on the rows of the fit, and the audit says so.
TEST(AuditReport, RequirementsOfAFitHoldOnItsRows) {
  Random random(8);
  for (int trial = 0; trial < 20; ++trial) {
    const Rows rows = random_rows(random, {.groups = 2, .strata = 2, .most_rows = 60});
    const Tally tally = rows.tally();
    Criterion criterion = statistical_parity({.sensitive = {"sex"}, .within = {"race"}});
    criterion.require = {"rate <= 0.3"};
    const Solution fit = solve(tally, criterion);
    if (fit.status != Status::optimal) continue;
    const AuditReport after = audit_report(tally, scope_of(criterion), fit.rule);
    ASSERT_EQ(after.requirements.size(), 1U);
    EXPECT_TRUE(after.requirements[0].holds()) << *after.requirements[0].value;
    EXPECT_NEAR(*after.requirements[0].value, *after.audit().overall.figures.selection_rate, 1e-15);
    EXPECT_NEAR(after.audit().lottery_share, fit.lottery_share, 1e-12);
  }
}

TEST(AuditReport, UnseenGroupsAreDecidedAsTheRuleWouldDecideThem) {
  const std::vector<std::string> few(score.size(), "F");
  const Rule rule = solve(Tally::of(score, Cells::from({{"sex", few}}), {.label = label}),
                          requirements({"rate <= 0.2"}))
                        .rule;
  const Cells cells = Cells::from({{"sex", sex}});
  const Tally tally = Tally::of(score, cells, {.label = label});
  const Roles roles{{"sex"}};
  expect_throw<std::out_of_range>([&] { audit(tally, roles, rule); },
                                  "the rule has never seen sex=M (5 rows)");
  for (const Unseen unseen : {Unseen::score, Unseen::reject}) {
    const std::vector<double> q = rule.probability(cells, score, unseen);
    AuditOptions options;
    options.unseen = unseen;
    const Audit found = audit(tally, roles, rule, options);
    ASSERT_EQ(found.unseen, std::vector<CellCode>{1});
    double men = 0;
    for (std::size_t i = 0; i < q.size(); ++i) men += sex[i] == "M" ? q[i] : 0;
    EXPECT_DOUBLE_EQ(*found.cells[1].figures.selection_rate, men / 5);
  }
}

TEST(AuditReport, DecisionsMadeElsewhereSayNothingOfOutcomesWithoutLabels) {
  const std::vector<double> made = {1, 0, 1, 1};
  const std::vector<std::string> group = {"a", "a", "b", "b"};
  const Cells cells = Cells::from({{"g", group}});
  AuditOptions options;
  options.decisions = true;
  const AuditScope scope{.roles = {.sensitive = {"g"}}};
  const AuditReport report = audit_report(Tally::of(made, cells), scope, options);
  EXPECT_EQ(report.largest_difference->difference(), 0.5);
  EXPECT_FALSE(report.audit().expected);
  EXPECT_FALSE(report.audit().overall.figures.accuracy);
  EXPECT_FALSE(report.audit().overall.figures.precision);
  EXPECT_FALSE(report.audit().overall.figures.cost);
  const std::vector<std::uint8_t> happened = {1, 0, 1, 0};
  const Audit labelled = audit(Tally::of(made, cells, {.label = happened}), scope.roles, options);
  EXPECT_EQ(labelled.overall.figures.accuracy, 0.75);
  const auto reject = [&](const std::vector<double>& values, const TallyOptions& how,
                          const std::string& part) {
    expect_throw<std::invalid_argument>(
        [&] { audit(Tally::of(values, cells, how), scope.roles, options); }, part);
  };
  reject({0.5, 0, 1, 1}, {}, "the decision 0.5 is neither 0 nor 1");
  reject(made, {.favorable = Favorable::low}, "decisions are 0 or 1");
  options.unseen = Unseen::reject;
  expect_throw<std::invalid_argument>(
      [&] { audit(Tally::of(made, cells), scope.roles, Rule(), options); }, "not those of a rule");
}

TEST(AuditReport, RatesOfOutcomesNeedLabels) {
  const Tally tally = Tally::of(score, Cells::from({{"sex", sex}}));
  expect_throw<std::invalid_argument>(
      [&] { audit_report(tally, scope_of(equalized_odds({.sensitive = {"sex"}}))); },
      "true-positive rate needs labels");
}

TEST(AuditReport, TheHeadlineNamesRateGroupsAndStratum) {
  const AuditScope scope = scope_of(statistical_parity({.sensitive = {"sex"}, .within = {"race"}}));
  EXPECT_EQ(headline(audit_report(of_both(), scope)),
            "largest difference 66.67 % in the selection rate: sex=F 100.00 %, sex=M 33.33 % "
            "(within race=a)");
  const AuditScope ratio = scope_of(four_fifths({.sensitive = {"sex"}}));
  EXPECT_EQ(headline(audit_report(of_both(), ratio)),
            "smallest ratio 0.333 of the selection rate: sex=F 60.00 %, sex=M 20.00 %");
  EXPECT_EQ(headline(audit_report(of_both(), {.roles = {.sensitive = {}}})),
            "there are no two groups to compare");
}

TEST(AuditReport, JsonHasBothSidesOfEveryView) {
  const AuditScope scope{.roles = {.sensitive = {"sex", "race"}, .across = Across::both},
                         .require = {"rate <= 0.5"}};
  const Tally tally = of_both();
  const Rule rule =
      solve(tally, statistical_parity({.sensitive = {"sex", "race"}, .tolerance = 0.5})).rule;
  const AuditReport before = audit_report(tally, scope);
  const AuditReport after = audit_report(tally, scope, rule);
  const nlohmann::ordered_json json = to_json({"x.csv", 10, 0}, before, &after);
  EXPECT_EQ(json["data"], "x.csv");
  ASSERT_EQ(json["views"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(json["views"][i]["after"],
              to_json(after.views[i].audit, after.cells, after.views[i].roles));
    EXPECT_EQ(json["views"][i]["before"],
              to_json(before.views[i].audit, before.cells, before.views[i].roles));
  }
  EXPECT_EQ(json["largest_difference"], after.largest_difference->difference());
  EXPECT_EQ(json["largest_difference_between"]["low"]["value"], after.largest_difference->low_rate);
  EXPECT_EQ(json["requirements"][0]["value"], *after.requirements[0].value);
}

}  // namespace
}  // namespace evenhand::testing::audit_report_test
