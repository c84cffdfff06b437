#include <evenhand/rule.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::rule_test {
namespace {

using testing::expect_throw;
using Shape = Response::Shape;
const double nan = std::numeric_limits<double>::quiet_NaN();

RuleParts parts_with(std::vector<Response> responses) {
  const std::vector<std::string> values = {"A", "B", "C", "D"};
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < responses.size(); ++i) cells.push_back({values.at(i)});
  RuleParts parts;
  parts.cells = CellNames({"group"}, cells);
  parts.responses = std::move(responses);
  return parts;
}

Rule rule_with(Response response) {
  return Rule(parts_with({std::move(response)}));
}

TEST(Rule, TheLastStepAtOrBelowTheScoreApplies) {
  const Rule rule = rule_with({Shape::steps, 0.1, {{0.25, 0.5}, {0.75, 1}}});
  EXPECT_EQ(rule.probability(0, 0), 0.1);
  EXPECT_EQ(rule.probability(0, std::nextafter(0.25, 0)), 0.1);
  EXPECT_EQ(rule.probability(0, 0.25), 0.5);
  EXPECT_EQ(rule.probability(0, 0.75), 1);
  EXPECT_EQ(rule.probability(0, 1), 1);
}

TEST(Rule, ARampIsLinearBetweenItsPointsAndExactAtThem) {
  const Rule rule = rule_with({Shape::ramp, 0, {{0.2, 0.1}, {0.4, 0.3}, {0.8, 0.7}}});
  EXPECT_EQ(rule.probability(0, 0), 0.1);
  EXPECT_EQ(rule.probability(0, 0.2), 0.1);
  EXPECT_EQ(rule.probability(0, 0.4), 0.3);
  EXPECT_NEAR(rule.probability(0, 0.6), 0.5, 1e-15);
  EXPECT_EQ(rule.probability(0, 0.8), 0.7);
  EXPECT_EQ(rule.probability(0, 1), 0.7);
}

TEST(Rule, IsNondecreasingEverywhereWhateverItsPoints) {
  testing::Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    Response response{trial % 2 ? Shape::ramp : Shape::steps, 0, {}};
    double score = 0;
    double q = 0;
    const int points = 1 + random.below(6);
    for (int i = 0; i < points; ++i) {
      score = std::nextafter(score + random.unit() / 6 * (random.chance(0.3) ? 1e-15 : 1), 2);
      q = std::min(1.0, q + random.unit() / 5);
      response.points.push_back({score, q});
    }
    const Rule rule = rule_with(response);
    double last = 0;
    for (int i = 0; i <= 2000; ++i) {
      const double now = rule.probability(0, i / 2000.0);
      ASSERT_GE(now, last);
      ASSERT_LE(now, 1);
      last = now;
    }
  }
}

TEST(Rule, ARampMayBeAsWideAsTheDoubles) {
  RuleParts parts = parts_with({{Shape::ramp, 0, {{-1.7e308, 0.1}, {1.7e308, 0.9}}}});
  parts.reading.scale = Scale::logit;
  const Rule rule(parts);
  EXPECT_NEAR(rule.probability(0, 0), 0.5, 1e-15);
  EXPECT_NEAR(rule.probability(0, 1e308), 0.5 + 0.4 / 1.7, 1e-15);
}

TEST(Rule, KnowsNoMinusZero) {
  const Rule rule = rule_with({Shape::steps, -0.0, {{0.5, 1}}});
  EXPECT_FALSE(std::signbit(rule.probability(0, 0.1)));
  EXPECT_EQ(Rule::from_json(rule.to_json()).to_json(), rule.to_json());
}

TEST(Rule, LowFavourableScoresAreTurned) {
  RuleParts parts = parts_with({{Shape::steps, 0, {{-0.3, 1}}}});  // yes up to 0.3
  parts.reading.favorable = Favorable::low;
  const Rule rule(parts);
  EXPECT_EQ(rule.probability(0, 0.3), 1);
  EXPECT_EQ(rule.probability(0, std::nextafter(0.3, 1)), 0);
}

TEST(Rule, ArraysAgreeWithSinglePeople) {
  testing::Random random(5);
  for (const bool quick : {true, false}) {
    for (const Favorable favorable : {Favorable::high, Favorable::low}) {
      const double sign = favorable == Favorable::low ? -1 : 1;
      std::vector<Response> responses;
      for (int c = 0; c < 4; ++c) {
        Response response{Shape::steps, 0.1 * c, {}};
        for (int i = 0; i < (quick ? c : 5); ++i) {
          response.points.push_back({(sign < 0 ? -1 : 0) + 0.2 * i + 0.01 * c, 0.5 + 0.1 * i});
        }
        responses.push_back(response);
      }
      RuleParts parts = parts_with(responses);
      parts.reading.favorable = favorable;
      const Rule rule(parts);
      std::vector<CellCode> cells;
      std::vector<double> scores;
      for (int i = 0; i < 1000; ++i) {
        cells.push_back(static_cast<CellCode>(random.below(4)));
        const int point = random.below(6);
        double score = point < 3 ? 0.2 * point + 0.01 * cells.back() : random.unit();
        if (sign < 0 && point < 3) score = 1 - score;
        scores.push_back(score);
      }
      const std::vector<double> q = rule.probability(cells, scores);
      for (std::size_t i = 0; i < q.size(); ++i) {
        ASSERT_EQ(q[i], rule.probability(cells[i], scores[i]));
      }
    }
  }
}

TEST(Rule, OnePersonOfAnUnknownCellOrWithoutScoreGetsNoAnswer) {
  const Rule rule = rule_with({});
  EXPECT_TRUE(std::isnan(rule.probability(1, 0.5)));
  EXPECT_TRUE(std::isnan(rule.probability(unseen_cell, 0.5)));
  EXPECT_TRUE(std::isnan(rule.probability(0, nan)));
  EXPECT_TRUE(std::isnan(Rule().probability(0, 0.5)));
}

TEST(Rule, UnseenCellsAreAnErrorThatNamesThemUnlessAPolicyIsChosen) {
  RuleParts parts = parts_with({{Shape::steps, 0, {{0.9, 1}}}});
  parts.otherwise = 0.5;
  const std::vector<std::string> group = {"A", "Z", "Z"};
  const std::vector<double> scores = {0.8, 0.4, 0.6};
  const Cells cells = Cells::from({{"group", group}});
  for (const bool quick : {true, false}) {
    if (!quick) {
      parts.responses[0].points = {{0.85, 0.2}, {0.86, 0.3}, {0.87, 0.4}, {0.88, 0.5}, {0.9, 1}};
    }
    const Rule rule(parts);
    expect_throw<std::out_of_range>([&] { rule.probability(cells, scores); },
                                    "never seen the cell group=Z (2 rows, the first is row 1)");
    const std::vector<std::string> once = {"A", "Z"};
    expect_throw<std::out_of_range>(
        [&] {
          rule.probability(Cells::from({{"group", once}}), std::vector{0.8, 0.4});
        },
        "never seen the cell group=Z (row 1)");
    EXPECT_EQ(rule.probability(cells, scores, Unseen::score), (std::vector<double>{0, 0, 1}));
    EXPECT_EQ(rule.probability(cells, scores, Unseen::reject), (std::vector<double>{0, 0, 0}));
    const std::vector<CellCode> codes = {0, unseen_cell, 7};
    expect_throw<std::out_of_range>([&] { rule.probability(codes, scores); },
                                    "2 rows are in cells that the rule has never seen");
    EXPECT_EQ(rule.probability(codes, scores, Unseen::score), (std::vector<double>{0, 0, 1}));
  }
}

TEST(Rule, RejectsInvalidScoresWithTheirRow) {
  Response long_response{Shape::steps, 0, {{0.1, 0.1}, {0.2, 0.2}, {0.3, 0.3}, {0.4, 0.4}}};
  for (const Rule& rule : {rule_with({}), rule_with(long_response)}) {
    const std::vector<CellCode> cells = {0, 0, 0};
    for (const double bad : {nan, 1.5, -0.1, std::numeric_limits<double>::infinity()}) {
      const std::vector<double> scores = {0.1, 0.2, bad};
      expect_throw<std::invalid_argument>([&] { rule.probability(cells, scores); }, "row 2");
    }
    const std::vector<double> two = {0.1, 0.2};
    expect_throw<std::invalid_argument>([&] { rule.probability(cells, two); }, "2 scores, 3 cells");
  }
}

TEST(Rule, DecidesTheSameForTheSamePersonWhateverTheBatch) {
  const Rule rule = rule_with({Shape::steps, 0.4, {}});
  const Coin coin = Coin::keyed("secret");
  std::vector<std::string> ids;
  for (int i = 0; i < 500; ++i) ids.push_back("person " + std::to_string(i));
  const std::vector<std::string> reversed(ids.rbegin(), ids.rend());
  const std::vector<std::string> group(ids.size(), "A");
  const std::vector<double> scores(ids.size(), 0.5);
  const Cells cells = Cells::from({{"group", group}});
  const auto decisions = rule.decide(cells, scores, ids, coin);
  const auto backwards = rule.decide(cells, scores, reversed, coin);
  EXPECT_EQ(decisions, std::vector<std::uint8_t>(backwards.rbegin(), backwards.rend()));
  const auto yes = std::count(decisions.begin(), decisions.end(), 1);
  EXPECT_NEAR(static_cast<double>(yes) / 500, 0.4, 5 * std::sqrt(0.24 / 500));
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(decisions[i] == 1, coin(ids[i]) < 0.4);
}

TEST(Rule, DecidesAboutOnePersonAsAboutMany) {
  const Rule rule = rule_with({Shape::steps, 0.4, {{0.9, 1}}});
  const Coin coin = Coin::keyed("secret");
  for (int i = 0; i < 200; ++i) {
    const std::vector<std::string> id = {"person " + std::to_string(i)};
    const std::vector<double> score = {i % 2 == 0 ? 0.5 : 0.95};
    const std::vector<std::string> group = {"A"};
    const auto many = rule.decide(Cells::from({{"group", group}}), score, id, coin);
    EXPECT_EQ(rule.decide(0, score[0], id[0], coin), many[0] == 1);
  }
  expect_throw<std::invalid_argument>([&] { rule.decide(0, 0.5, "", coin); }, "the id is missing");
  expect_throw<std::invalid_argument>([&] { rule.decide(0, nan, "x", coin); }, "the score nan");
  expect_throw<std::invalid_argument>([&] { rule.decide(0, 2, "x", coin); }, "the score 2");
  expect_throw<std::out_of_range>([&] { rule.decide(1, 0.5, "x", coin); }, "no cell with code 1");
  expect_throw<std::out_of_range>([&] { (void)rule.describe(1); }, "no cell with code 1");
}

TEST(Rule, SeededDecisionsDependOnThePositionAlone) {
  const Rule rule = rule_with({Shape::steps, 0.4, {}});
  const std::vector<std::string> group(100, "A");
  const std::vector<double> scores(100, 0.5);
  const Cells cells = Cells::from({{"group", group}});
  const auto decisions = rule.decide(cells, scores, Coin::seeded(9));
  EXPECT_EQ(decisions, rule.decide(cells, scores, Coin::seeded(9)));
  EXPECT_NE(decisions, rule.decide(cells, scores, Coin::seeded(10)));
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(decisions[i] == 1, Coin::seeded(9)(i) < 0.4);
}

TEST(Rule, RejectsAMissingId) {
  const Rule rule = rule_with({});
  const std::vector<std::string> group = {"A", "A"};
  const std::vector<double> scores = {0.1, 0.2};
  const std::vector<std::string> ids = {"x", ""};
  const std::vector<std::string> too_few = {"x"};
  const Cells cells = Cells::from({{"group", group}});
  expect_throw<std::invalid_argument>([&] { rule.decide(cells, scores, ids, Coin::keyed("k")); },
                                      "row 1: the id is missing");
  expect_throw<std::invalid_argument>(
      [&] { rule.decide(cells, scores, too_few, Coin::keyed("k")); }, "2 scores but 1 ids");
}

TEST(Rule, RejectsResponsesThatAreNone) {
  const auto reject = [](Response response, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { rule_with(response); }, part);
  };
  reject({Shape::steps, 0, {{0.5, 0.2}, {0.5, 0.3}}}, "scores do not ascend");
  reject({Shape::steps, 0, {{0.5, 0.4}, {0.6, 0.3}}}, "probabilities fall");
  reject({Shape::steps, 0.5, {{0.5, 0.4}}}, "probabilities fall");
  reject({Shape::steps, 0, {{0.5, 1.1}}}, "not in [0, 1]");
  reject({Shape::steps, nan, {}}, "start is not a probability");
  reject({Shape::steps, 0, {{nan, 0.5}}}, "not a finite number");
  reject({Shape::ramp, 0, {}}, "at least one point");
  RuleParts parts = parts_with({{}, {}});
  parts.responses.pop_back();
  expect_throw<std::invalid_argument>([&] { Rule{parts}; }, "2 cells but 1 responses");
  parts = parts_with({{}});
  parts.level = 60;
  expect_throw<std::invalid_argument>([&] { Rule{parts}; }, "level 60");
  parts = parts_with({{}});
  parts.otherwise = -std::numeric_limits<double>::infinity();
  expect_throw<std::invalid_argument>([&] { Rule{parts}; }, "otherwise");
}

TEST(Rule, SpeaksInPlainWords) {
  const auto words = [](Response response, Favorable favorable = Favorable::high) {
    RuleParts parts = parts_with({std::move(response)});
    parts.reading.favorable = favorable;
    return Rule(parts).describe(0);
  };
  EXPECT_EQ(words({Shape::steps, 0, {{0.4115, 0.37}, {0.4125, 1}}}),
            "group=A: yes from 0.4125; from 0.4115 to 0.4125 in 37 of 100 cases");
  EXPECT_EQ(words({Shape::steps, 0, {}}), "group=A: no, whatever the score");
  EXPECT_EQ(words({Shape::steps, 1, {}}), "group=A: yes, whatever the score");
  EXPECT_EQ(words({Shape::steps, 0.25, {{0.5, 1}}}),
            "group=A: yes from 0.5; below 0.5 in 25 of 100 cases");
  EXPECT_EQ(words({Shape::steps, 0, {{-0.31, 0.004}, {-0.3, 1}}}, Favorable::low),
            "group=A: yes up to 0.3; above 0.3 up to 0.31 in 4 of 1,000 cases");
  EXPECT_EQ(words({Shape::steps, 0, {{0.123456, 0.5}, {0.123457, 1}}}),
            "group=A: yes from 0.123457; from 0.123456 to 0.123457 in 50 of 100 cases");
  EXPECT_EQ(words({Shape::ramp, 0, {{0.4, 0}, {0.41, 1}}}),
            "group=A: yes from 0.41; no up to 0.4; gradually more often in between");
  EXPECT_EQ(words({Shape::ramp, 0, {{-0.41, 0}, {-0.4, 1}}}, Favorable::low),
            "group=A: yes up to 0.4; no from 0.41; gradually more often in between");
}

}  // namespace
}  // namespace evenhand::rule_test
