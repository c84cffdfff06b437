// The solver's edges: sizes of requirements and weights, rounding, many groups, parts of very
// different weight.
#include <evenhand/evenhand.h>

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::edges_test {
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

// A column of scores or ids makes a group of each person.
TEST(Edges, AColumnThatTellsPeopleApartIsDoubted) {
  const auto doubt = [](int values, int each, bool weighted, std::optional<std::uint64_t> rows) {
    std::vector<double> score;
    std::vector<double> weight;
    std::vector<std::string> group;
    for (int i = 0; i < values * each; ++i) {
      score.push_back(i % 7 / 7.0);
      weight.push_back(0.5);
      group.push_back(std::to_string(i % values));
    }
    TallyOptions options;
    if (weighted) options.weight = weight;
    return doubt_about_groups(Tally::of(score, Cells::from({{"g", group}}), options), {"g"}, rows);
  };
  EXPECT_EQ(doubt(51, 9, false, {}),
            "the sensitive attribute g has 51 values with 9.0 rows each on average");
  EXPECT_NE(doubt(60, 1, true, 60), "");
  EXPECT_EQ(doubt(51, 10, false, {}), "");
  EXPECT_EQ(doubt(50, 1, false, {}), "");
  EXPECT_EQ(doubt(60, 1, true, {}), "");  // weights do not tell
}

// Comparisons of many groups: as exact as those of few, and nothing grows with their pairs.
TEST(Edges, ManyGroupsWithARampAreProvenToo) {
  Random random(14);
  std::vector<double> score;
  std::vector<double> label;
  std::vector<std::string> group;
  std::vector<std::string> stratum;
  for (int row = 0; row < 4000; ++row) {
    const int g = random.below(40);
    const double p = std::pow(random.unit(), 0.5 + g / 40.0);
    score.push_back(p);
    label.push_back(random.unit() < p ? 1 : 0);
    group.push_back(std::to_string(g));
    stratum.push_back(std::to_string(random.below(2)));
  }
  const Tally tally =
      Tally::of(score, Cells::from({{"g", group}, {"k", stratum}}), {.label = label});
  for (const char* name : {"statistical-parity", "equalized-odds"}) {
    for (const Across across : {Across::intersection, Across::marginal}) {
      for (const double gamma : {0.0, 0.01, 0.3}) {
        Criterion criterion = criterion_from(name, {{{"g", "k"}, {}, across}, 0.03});
        criterion.require = {"rate <= 0.4"};
        const Solution fit = solve(tally, criterion, {.gamma = gamma});
        EXPECT_EQ(fit.status, Status::optimal) << name << " " << gamma << " gap " << fit.gap;
        EXPECT_LT(fit.violation, 1e-9) << name << " " << gamma;
      }
    }
  }
}

// The objective of a rule on a tally that need not be its own.
double worth(const Rule& rule, const Tally& tally, double gamma) {
  double sum = 0;
  const std::vector<CellCode> in_rule = translate(tally.cells(), rule.cells());
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    const Response& response = rule.parts().responses[in_rule[c]];
    for (const Entry& entry : tally.entries(c)) {
      const double q = response(entry.score);
      sum += q * (2 * entry.n1 - entry.n) - gamma / 2 * entry.n * q * q;
    }
  }
  return sum;
}

struct Way {
  const char* name;
  Criterion criterion;
  SolveOptions options;
};

std::vector<Way> ways() {
  return {{"odds", equalized_odds({{"sex"}, {"race"}, 0.05}), {}},
          {"exact odds", equalized_odds({{"sex"}, {"race"}}), {}},
          {"opportunity", equal_opportunity({{"sex"}, {"race"}, 0.02}), {}},
          {"ramps", equalized_odds({{"sex"}, {"race"}, 0.05}), {.gamma = 0.1}},
          {"blind", equalized_odds({{"sex"}, {"race"}, 0.05}), {.blind = true}}};
}

// A stratum is solved as if it were alone, however little it weighs beside the others; and a rule
// is called optimal only if that holds.
TEST(Edges, AStratumOfTinyWeightIsSolvedAsWell) {
  for (const Way& way : ways()) {
    Random random(13);
    int compared = 0;
    for (int trial = 0; trial < 40; ++trial) {
      Rows rows = random_rows(random, {.groups = 3, .strata = 2, .most_rows = 60});
      if (rows.weight.empty()) rows.weight.assign(rows.race.size(), 1);
      Rows alone = rows;
      for (std::size_t i = 0; i < rows.race.size(); ++i) {
        const bool light = rows.race[i] == rows.race.front();
        if (light) rows.weight[i] *= 1e-12;
        if (!light) alone.weight[i] = 0;
      }
      Solution whole;
      Solution part;
      try {
        part = solve(alone.tally(), way.criterion, way.options);
        whole = solve(rows.tally(), way.criterion, way.options);
      } catch (const std::invalid_argument&) {
        continue;  // nothing to compare
      }
      ++compared;
      EXPECT_EQ(whole.status, Status::optimal) << way.name << ", trial " << trial;
      const Tally tally = with_borrowed_outcomes(alone.tally(), way.criterion);
      EXPECT_NEAR(worth(whole.rule, tally, way.options.gamma),
                  worth(part.rule, tally, way.options.gamma), 1e-9 * part.magnitude)
          << way.name << ", trial " << trial;
    }
    EXPECT_GE(compared, 5);
  }
}

}  // namespace
}  // namespace evenhand::testing::edges_test
