#include <evenhand/explain.h>
#include <evenhand/solve.h>

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::explain_test {
namespace {

Rule of(Response response, Reading reading = {}) {
  RuleParts parts;
  parts.cells = CellNames({"sex"}, {{"F"}});
  parts.responses = {std::move(response)};
  parts.reading = reading;
  return Rule(std::move(parts));
}

// Every score at least as good as the one that is needed is decided so, and the next worse one is
// not.
TEST(Explain, TheScoreThatIsNeededIsTheFirstOneThatDoes) {
  Random random(5);
  for (int trial = 0; trial < 30; ++trial) {
    const Favorable favorable = trial % 2 == 0 ? Favorable::high : Favorable::low;
    Rows rows = random_rows(random, {.groups = 2, .strata = 2, .most_rows = 20});
    const Tally tally =
        Tally::of(rows.score, rows.cells(), {.scale = Scale::logit, .favorable = favorable});
    const Criterion fair = statistical_parity({.sensitive = {"sex"}, .within = {"race"}});
    const Rule rule = solve(tally, fair, {.gamma = trial % 3 == 0 ? 0.4 : 0}).rule;
    const Reading reading = rule.parts().reading;
    for (CellCode c = 0; c < rule.cells().size(); ++c) {
      for (const double score : {-3.0, -0.3, 0.3, 2.0}) {
        const Explanation found = explain(rule, c, score);
        EXPECT_EQ(found.probability, rule.probability(c, score));
        EXPECT_EQ(found.group, rule.cells().name(c));
        const auto check = [&](const std::optional<double>& needed, auto holds) {
          const double best = reading.turn(reading.highest());
          ASSERT_EQ(needed.has_value(), holds(rule.probability(c, best)));
          if (!needed) return;
          EXPECT_TRUE(holds(rule.probability(c, *needed)));
          const double x = std::nextafter(reading.turn(*needed), -INFINITY);
          EXPECT_TRUE(!reading.valid(x) || !holds(rule.probability(c, reading.turn(x))));
        };
        check(found.for_certain, [](double q) { return q >= 1; });
        check(found.for_a_chance, [](double q) { return q > 0; });
        EXPECT_EQ(found.positive.has_value(), found.probability == 0 || found.probability == 1);
        EXPECT_FALSE(found.in_words().empty());
      }
    }
  }
}

TEST(Explain, TheCoinDecidesAsTheRuleDoes) {
  const Rule rule = of({Response::Shape::steps, 0, {{0.4, 0.37}, {0.6, 1}}});
  const Coin key = Coin::keyed("some key");
  bool seen[2] = {false, false};
  for (const char* id : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    const Explanation found = explain(rule, 0, 0.5, key(id));
    ASSERT_TRUE(found.positive);
    EXPECT_EQ(*found.positive, rule.decide(0, 0.5, id, key));
    EXPECT_EQ(found.coin, key(id));
    seen[*found.positive ? 1 : 0] = true;
    EXPECT_FALSE(explain(rule, 0, 0.3, key(id)).coin);  // certain: no coin was drawn
  }
  EXPECT_TRUE(seen[0] && seen[1]);
}

TEST(Explain, SaysWhatWasNeeded) {
  const Rule rule = of({Response::Shape::steps, 0, {{0.4, 0.37}, {0.6, 1}}});
  EXPECT_EQ(explain(rule, 0, 0.3).in_words(),
            "negative: the score is 0.3; a positive decision needs a score of 0.6 or more. From "
            "0.4 to 0.6 a draw decides.");
  EXPECT_EQ(explain(rule, 0, 0.5).in_words(),
            "a draw decides: with a score of 0.5, positively in 37 of 100 cases. From 0.6 a "
            "positive decision is certain.");
  EXPECT_EQ(explain(rule, 0, 0.7).in_words(),
            "positive: the score is 0.7, and 0.6 or more gets a positive decision.");
  EXPECT_NE(explain(rule, 0, 0.59999999).in_words().find("with a score of 0.59999999,"),
            std::string::npos);
  EXPECT_EQ(explain(of({}), 0, 0.7).in_words(),
            "negative: the score is 0.7; no score gets a positive decision in this group.");
  const Rule low =
      of({Response::Shape::steps, 0, {{-0.3, 1}}}, {Scale::probability, Favorable::low});
  EXPECT_EQ(explain(low, 0, 0.5).in_words(),
            "negative: the score is 0.5; a positive decision needs a score of 0.3 or less.");
}

TEST(Explain, LettersHaveAllThatHolds) {
  EXPECT_EQ(letter(of({Response::Shape::steps, 0, {{0.4, 0.37}, {0.6, 1}}}), 0),
            "A score of 0.6 or more gets a positive decision. From 0.4 up to 0.6 a draw decides, "
            "positively in 37 of 100 cases. A lower score gets a negative decision.");
  EXPECT_EQ(letter(of({Response::Shape::steps, 0.25, {{0.6, 0.5}}}), 0),
            "With a score of 0.6 or more a draw decides, positively in 50 of 100 cases. With a "
            "lower score a draw decides, positively in 25 of 100 cases.");
  EXPECT_EQ(letter(of({}), 0), "Any score gets a negative decision.");
  EXPECT_EQ(letter(of({Response::Shape::steps, 1, {}}), 0), "Any score gets a positive decision.");
  EXPECT_EQ(letter(of({Response::Shape::steps, 0.5, {}}), 0),
            "Whatever the score, a draw decides, positively in 50 of 100 cases.");
  EXPECT_EQ(
      letter(of({Response::Shape::steps, 0, {{-0.3, 1}}}, {Scale::probability, Favorable::low}), 0),
      "A score of 0.3 or less gets a positive decision. A higher score gets a negative "
      "decision.");
  EXPECT_EQ(letter(of({Response::Shape::ramp, 0, {{0.2, 0}, {0.8, 1}}}), 0),
            "A score of 0.8 or more gets a positive decision. A score of 0.2 or less gets a "
            "negative decision. In between a draw decides, the more often positively the higher "
            "the score.");
}

TEST(Explain, PeopleWhoseGroupIsKnownInProbability) {
  SoftRuleParts parts;
  parts.columns = {"p_female"};
  parts.strata = CellNames({}, {{}});
  parts.of = {{{0.5}, {0.4}, 0, {0}}};
  const SoftRule rule(parts);
  // 2 p - 1 > 0.4 * (g - 0.5)
  const std::vector<double> all = {1.0};
  const Explanation found = explain(rule, 0, 0.55, all);
  EXPECT_EQ(found.probability, 0);
  ASSERT_TRUE(found.for_certain);
  EXPECT_NEAR(*found.for_certain, 0.6, 1e-9);
  EXPECT_EQ(rule.probability(0, *found.for_certain, all), 1);
  EXPECT_EQ(rule.probability(0, std::nextafter(*found.for_certain, 0), all), 0);
  expect_throw<std::invalid_argument>([&] { explain(rule, 0, 0.5, std::vector<double>{1.5}); },
                                      "not a number in [0, 1]");
  expect_throw<std::invalid_argument>([&] { explain(rule, 0, 0.5, std::vector<double>{}); },
                                      "1 columns");
}

TEST(Explain, RefusesWhatTheRuleDoesNotKnow) {
  const Rule rule = of({Response::Shape::steps, 0, {{0.6, 1}}});
  expect_throw<std::invalid_argument>([&] { explain(rule, 0, 1.5); }, "1.5");
  expect_throw<std::invalid_argument>([&] { explain(rule, 0, NAN); }, "not valid");
  expect_throw<std::out_of_range>([&] { explain(rule, unseen_cell, 0.5); }, "never seen");
  expect_throw<std::out_of_range>([&] { letter(rule, 7); }, "no cell");
  const Explanation by_score = explain(rule, unseen_cell, 0.55, {}, Unseen::score);
  EXPECT_TRUE(by_score.unseen);
  EXPECT_EQ(by_score.probability, 1);  // Rule::otherwise is 0.5
  EXPECT_FALSE(explain(rule, unseen_cell, 0.9, {}, Unseen::reject).for_certain);
}

}  // namespace
}  // namespace evenhand::testing::explain_test
