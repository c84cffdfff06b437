// Soft rules: deciding, words, and JSON that is read back bit for bit and nothing else.
#include <evenhand/evenhand.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/rule_text.h"
#include "support/throws.h"

namespace evenhand::soft_rule_test {
namespace {

using testing::expect_throw;

// Steps: a tie where the benefit is 0.5 * (s - 0.25), decided by s alone.
SoftRuleParts steps() {
  SoftRuleParts parts;
  parts.columns = {"s"};
  parts.strata = CellNames({"region"}, {{"N"}, {"S"}});
  parts.of = {{{0.25}, {0.5}, 0x1p-40, {0.8}}, {{0.5}, {0}, 0, {0}}};
  return parts;
}

template <class Error>
void expect_refused(const SoftRule& rule, const SoftRows& rows, const std::string& part) {
  expect_throw<Error>([&] { (void)rule.probability(rows); }, part);
}

SoftRuleParts ramp() {
  SoftRuleParts parts;
  parts.columns = {"s", "t"};
  parts.strata = CellNames({}, {{}});
  parts.of = {{{0.25, 0.5}, {0.5, -1}, 0, {}}};
  parts.gamma = 0.5;
  return parts;
}

TEST(SoftRule, DecidesByTheBenefitLessThePriceAndByTheColumnsAtATie) {
  const SoftRule rule(steps());
  const std::vector<double> s = {0.75};  // price 0.25, so the tie is at p = 0.625
  EXPECT_EQ(rule.probability(0, 0.65, s), 1);
  EXPECT_EQ(rule.probability(0, 0.6, s), 0);
  EXPECT_DOUBLE_EQ(rule.probability(0, 0.625, s), 0.4);  // 0.8 * (0.75 - 0.25)
  EXPECT_EQ(rule.probability(1, 0.51, s), 1);
  EXPECT_EQ(rule.probability(1, 0.5, s), 0);
}

TEST(SoftRule, RampRisesWithTheReducedBenefit) {
  const SoftRule rule(ramp());
  const std::vector<double> columns = {0.25, 0.5};
  EXPECT_EQ(rule.probability(0, 0.5, columns), 0);
  EXPECT_DOUBLE_EQ(rule.probability(0, 0.625, columns), 0.5);
  EXPECT_EQ(rule.probability(0, 0.75, columns), 1);
}

TEST(SoftRule, FindsColumnsAndStrataByNameAndAnswersLikeForOne) {
  const SoftRule rule(steps());
  const std::vector<double> p = {0.65, 0.625, 0.51};
  const std::vector<double> s = {0.75, 0.75, 0.1};
  const std::vector<double> other = {0, 0, 0};
  const std::vector<std::string> region = {"N", "N", "S"};
  const std::vector<std::string> sex = {"F", "M", "F"};
  const Cells within = Cells::from({{"sex", sex}, {"region", region}});
  const SoftRows rows{p, {{"other", other}, {"s", s}}, &within};
  EXPECT_EQ(rule.probability(rows), (std::vector<double>{1, 0.4, 1}));
  const Coin coin = Coin::keyed("key");
  const std::vector<std::string> ids = {"a", "b", "c"};
  const auto decisions = rule.decide(rows, ids, coin);
  EXPECT_EQ(decisions[0], 1);
  EXPECT_EQ(decisions[1], coin("b") < 0.4 ? 1 : 0);
  EXPECT_EQ(rule.decide(0, 0.625, std::vector<double>{0.75}, "b", coin), decisions[1] == 1);
  const Coin seeded = Coin::seeded(3);
  EXPECT_EQ(rule.decide(rows, seeded)[1], seeded(std::uint64_t{1}) < 0.4 ? 1 : 0);
}

TEST(SoftRule, UnseenStrataAreAnErrorUnlessToldOtherwise) {
  const SoftRule rule(steps());
  const std::vector<double> p = {0.4, 0.6};
  const std::vector<double> s = {0.75, 0.75};
  const std::vector<std::string> region = {"W", "W"};
  const Cells within = Cells::from({{"region", region}});
  const SoftRows rows{p, {{"s", s}}, &within};
  expect_throw<std::out_of_range>([&] { rule.probability(rows); },
                                  "row 0: the rule has never seen the stratum region=W");
  EXPECT_EQ(rule.probability(rows, Unseen::score), (std::vector<double>{0, 1}));
  EXPECT_EQ(rule.probability(rows, Unseen::reject), (std::vector<double>{0, 0}));
}

TEST(SoftRule, RefusesBadRowsOneByOne) {
  const SoftRule rule(ramp());
  const std::vector<double> p = {0.4, 0.6};
  const std::vector<double> s = {0.75, 0.75};
  const std::vector<double> bad = {0.75, 1.5};
  const std::vector<double> three(3);
  expect_refused<std::out_of_range>(rule, {p, {{"s", s}}}, "there is no soft column t");
  expect_refused<std::invalid_argument>(rule, {p, {{"s", s}, {"t", bad}}}, "row 1: t is 1.5");
  expect_refused<std::invalid_argument>(rule, {bad, {{"s", s}, {"t", s}}}, "row 1: the score 1.5");
  expect_refused<std::invalid_argument>(rule, {p, {{"s", s}, {"t", three}}},
                                        "2 scores but 3 values of t");
  expect_refused<std::out_of_range>(SoftRule(steps()), {p, {{"s", s}}},
                                    "within strata; the rows have none");
  EXPECT_TRUE(std::isnan(rule.probability(1, 0.5, s)));
  EXPECT_TRUE(std::isnan(rule.probability(0, 1.5, s)));
  EXPECT_TRUE(std::isnan(rule.probability(0, 0.5, three)));
  EXPECT_TRUE(std::isnan(rule.probability(0, 0.5, bad)));
  const Coin coin = Coin::seeded(1);
  expect_throw<std::out_of_range>([&] { rule.decide(1, 0.5, s, "a", coin); }, "no stratum with");
  expect_throw<std::invalid_argument>([&] { rule.decide(0, 0.5, s, "", coin); }, "id is missing");
  expect_throw<std::invalid_argument>([&] { rule.decide(0, 0.5, bad, "a", coin); }, "in [0, 1]");
  const std::vector<std::string> ids = {"a"};
  expect_throw<std::invalid_argument>(
      [&] {
        rule.decide({p, {{"s", s}, {"t", s}}}, ids, coin);
      },
      "2 scores but 1 ids");
  const std::vector<std::string> missing = {"a", ""};
  expect_throw<std::invalid_argument>(
      [&] {
        rule.decide({p, {{"s", s}, {"t", s}}}, missing, coin);
      },
      "row 1: the id is missing");
}

TEST(SoftRule, SpeaksPlainWords) {
  EXPECT_EQ(SoftRule(steps()).describe(),
            "the benefit is 2p - 1, where p is the probability of the favourable outcome\n"
            "region=N: yes if the benefit is above 0.5 * (s - 0.25); if it is just that, in some "
            "cases\n"
            "region=S: yes if the benefit is above 0\n");
  SoftRuleParts parts = ramp();
  parts.costs = {1, 3};
  EXPECT_EQ(SoftRule(parts).describe(),
            "the benefit is 3 * p - 1 * (1 - p), where p is the probability of the favourable "
            "outcome\n"
            "everyone: yes if the benefit is 0.5 or more above 0.5 * (s - 0.25) - 1 * (t - 0.5); "
            "no if it is not above it; gradually more often in between\n");
}

TEST(SoftRuleJson, ReadsBackBitForBit) {
  testing::Random random(21);
  for (int trial = 0; trial < 300; ++trial) {
    SoftRuleParts parts;
    parts.columns = {"\"q\"\n", "\xE2\x82\xAC"};
    parts.strata = CellNames({"a"}, {{""}, {"x"}});
    parts.reading = {static_cast<Scale>(random.below(3)),
                     random.chance(0.5) ? Favorable::low : Favorable::high};
    parts.costs = {random.unit(), 0.1 + random.unit()};
    parts.gamma = random.chance(0.5) ? random.unit() : 0;
    for (int k = 0; k < 2; ++k) {
      const auto number = [&] {
        return (random.unit() - 0.5) * std::pow(10, random.below(40) - 20);
      };
      SoftStratum stratum{{random.unit(), random.unit()}, {number(), number()}, 0, {}};
      if (parts.gamma == 0) {
        stratum.tie_width = std::abs(number());
        stratum.tie_slopes = {number(), -0.0};
      }
      parts.of.push_back(stratum);
    }
    const SoftRule rule(parts);
    const std::string json = rule.to_json(R"({"note": 1})");
    const SoftRule back = SoftRule::from_json(json);
    ASSERT_EQ(back, rule);
    ASSERT_EQ(back.to_json(fit_record(json)), json);
    ASSERT_TRUE(is_soft_rule(json));
  }
}

TEST(SoftRuleJson, IsNotTakenForAnotherRuleNorTheOtherWayRound) {
  expect_throw<std::invalid_argument>([] { Rule::from_json(SoftRule(steps()).to_json()); },
                                      "read it by SoftRule::from_json");
  const std::string hard =
      Rule(RuleParts{CellNames({"sex"}, {{"F"}}), {{}}, {}, {}, 0.5}).to_json();
  expect_throw<std::invalid_argument>([&] { SoftRule::from_json(hard); },
                                      "read it by Rule::from_json");
  EXPECT_FALSE(is_soft_rule(hard));
}

TEST(SoftRule, ChecksItsParts) {
  SoftRuleParts parts = ramp();
  parts.gamma = -1;
  expect_throw<std::invalid_argument>([&] { SoftRule{parts}; }, "gamma is not a finite number");
  parts = ramp();
  parts.of.push_back(parts.of[0]);
  expect_throw<std::invalid_argument>([&] { SoftRule{parts}; }, "1 strata but prices for 2");
  parts = ramp();
  parts.of[0].tie_width = 1;
  expect_throw<std::invalid_argument>([&] { SoftRule{parts}; }, "a ramp has no ties");
  parts = ramp();
  parts.of[0].multipliers[1] = std::numeric_limits<double>::infinity();
  expect_throw<std::invalid_argument>(
      [&] { SoftRule{parts}; }, "everyone: one of the multipliers is not a number within reason");
}

TEST(SoftRuleJson, RefusesEverythingElse) {
  const std::string valid = SoftRule(steps()).to_json();
  const auto reject = [&](const std::string& from, const std::string& to, const std::string& part) {
    testing::expect_no_rule<SoftRule>(testing::changed(valid, from, to), part);
  };
  reject("\"evenhand\": 1", "\"evenhand\": 2", "please update");
  reject("\"gamma\": 0", "\"gamma\": 1", "unknown member tie");
  reject("\"gamma\": 0", "\"gamma\": \"0\"", "gamma is not a number");
  reject("\"gamma\": 0,", "", "lacks 'gamma'");
  reject("\"gamma\": 0", "\"gamma\": 0, \"more\": 1", "unknown member more");
  reject("\"gamma\": 0", "\"gamma\": 0, \"gamma\": 0", "occurs twice");
  reject("\"cost_fp\": 1", "\"cost_fp\": -1", "costs are at least 0");
  reject("\"scale\": \"probability\"", "\"scale\": \"percent\"", "there is no scale 'percent'");
  reject("\"scale\": \"probability\"", "\"scale\": \"raw\"", "raw scores say nothing");
  reject("\"favorable\": \"high\"", "\"favorable\": \"best\"", "there is no favorable 'best'");
  reject("\"soft\": [\"s\"]", "\"soft\": []", "has no columns");
  reject("\"soft\": [\"s\"]", "\"soft\": [\"\"]", "empty name");
  reject("\"soft\": [\"s\"]", "\"soft\": [\"s\", \"s\"]", "given twice");
  reject("\"soft\": [\"s\"]", "\"soft\": [\"s\", \"t\"]", "1 means for 2 columns");
  reject("\"soft\": [\"s\"]", "\"soft\": \"s\"", "soft is not a list");
  reject("\"within\": [\"region\"]", "\"within\": []", "cannot be told apart");
  reject("\"within\": [\"region\"]", "\"within\": [1]", "within is not a text");
  reject("\"means\": [0.25]", "\"means\": [1.25]", "a mean is not in [0, 1]");
  reject("\"means\": [0.25]", "\"means\": [null]", "means is not a number");
  reject("\"multipliers\": [0.5]", "\"multipliers\": []", "0 multipliers for 1 columns");
  reject("\"multipliers\": [0.5]", "\"multipliers\": [1e999]", "");
  reject("\"slopes\": [0.8]", "\"slopes\": [1, 2]", "2 slopes at ties for 1 columns");
  reject("\"width\": 9.094947017729282e-13", "\"width\": -1", "width of ties");
  reject("\"values\": [\"S\"]", "\"values\": [\"N\"]", "must ascend");
  reject("\"values\": [\"S\"]", "\"values\": \"S\"", "values is not a list");
  reject("{\"values\": [\"N\"]", "[{\"values\": [\"N\"]", "");
  for (std::size_t size = 0; size + 2 < valid.size(); size += 7) {
    EXPECT_THROW(SoftRule::from_json(valid.substr(0, size)), std::invalid_argument);
  }
  EXPECT_THROW(SoftRule::from_json(std::string(100'000, '[')), std::invalid_argument);
}

}  // namespace
}  // namespace evenhand::soft_rule_test
