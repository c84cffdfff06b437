// What solve promises beyond the optimum itself: choices among ties, invariances, proofs, messages.
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/everybody.h"
#include "support/problems.h"
#include "support/recompute.h"
#include "support/throws.h"
#include "support/trials.h"

namespace evenhand::testing::solve_test {
namespace {

const Roles sex_within_race{{"sex"}, {"race"}};

// Example 2 of the paper. Points x = -1, 0, 1 have probabilities 1/2, 1/3, 1/6 and eta 0, 1/2, 1;
// the sensitive group has half of x = -1, all of x = 0 and nothing of x = 1. In twelfths of people:
TEST(Solve, Example2OfThePaperGives0And7TenthsAnd1) {
  const Everybody people{{0, 0.5, 0, 1}, {"S", "S", "T", "T"}, {3, 4, 3, 2}};
  const Solution fit = solve(people.tally(), parity_of_groups());
  const CellNames& names = fit.rule.cells();
  const CellCode s = names.code_of({"S"});
  const CellCode t = names.code_of({"T"});
  EXPECT_EQ(fit.rule.probability(s, 0), 0);
  EXPECT_NEAR(fit.rule.probability(s, 0.5), 0.7, 1e-15);
  EXPECT_EQ(fit.rule.probability(t, 0), 0);
  EXPECT_EQ(fit.rule.probability(t, 1), 1);
  EXPECT_EQ(fit.status, Status::optimal);
  EXPECT_NEAR(fit.lottery_share, 4.0 / 12, 1e-15);
  EXPECT_NEAR(fit.cells[s].lottery_share, 4.0 / 7, 1e-15);
  EXPECT_EQ(fit.cells[t].lottery_share, 0);
}

TEST(Solve, ALargerToleranceNeverCostsAccuracy) {
  Random random(1);
  for (int trial = 0; trial < trials(60); ++trial) {
    const Rows rows = random_rows(random, {.groups = 3, .strata = 2, .odd_cells = true});
    const Tally tally = rows.tally();
    for (const char* name : {"statistical-parity", "equal-opportunity", "false-positive-parity"}) {
      double last = -INFINITY;
      for (const double tolerance : {0.0, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0}) {
        try {
          const Solution fit = solve(tally, criterion_from(name, {sex_within_race, tolerance}));
          EXPECT_GE(fit.primal, last - 1e-9 * fit.magnitude);
          last = fit.primal;
        } catch (const std::invalid_argument&) {  // nothing to compare
        }
      }
    }
    double last = -INFINITY;
    for (const double ratio : {1.0, 0.9, 0.8, 0.5, 0.1, 1e-6}) {
      try {
        const Solution fit =
            solve(tally, criterion_from("four-fifths", {sex_within_race, {}, ratio}));
        EXPECT_GE(fit.primal, last - 1e-9 * fit.magnitude);
        last = fit.primal;
      } catch (const std::invalid_argument&) {
      }
    }
  }
}

TEST(Solve, ToleranceOneConstrainsNothing) {
  Random random(2);
  const Rows rows = random_rows(random, {.groups = 3, .strata = 2});
  const Solution fit = solve(rows.tally(), statistical_parity({{"sex"}, {"race"}, 1}));
  EXPECT_NEAR(fit.primal, fit.base, 1e-12 * fit.magnitude);
  for (const CellOutcome& cell : fit.cells) EXPECT_EQ(cell.bound, Bound::none);
}

TEST(Solve, ScalingAllWeightsChangesNothing) {
  Random random(3);
  for (int trial = 0; trial < trials(50); ++trial) {
    Rows rows = random_rows(
        random, {.groups = 3, .strata = 2, .few_scores = trial % 2 == 0, .integer_weights = true});
    Rows tenfold = rows;
    Rows tiny = rows;
    for (double& weight : tenfold.weight) weight *= 10;
    for (double& weight : tiny.weight) weight *= 0x1p-40;
    const Criterion criterion = statistical_parity({{"sex"}, {"race"}, trial % 3 * 0.05});
    try {
      const Solution fit = solve(rows.tally(), criterion);
      EXPECT_EQ(solve(tenfold.tally(), criterion).rule.to_json(), fit.rule.to_json());
      EXPECT_EQ(solve(tiny.tally(), criterion).rule.to_json(), fit.rule.to_json());
      EXPECT_NEAR(solve(tenfold.tally(), criterion).primal, 10 * fit.primal, 1e-9 * fit.magnitude);
      EXPECT_EQ(solve(tiny.tally(), criterion).status, Status::optimal);
    } catch (const std::invalid_argument&) {
    }
  }
}

TEST(Solve, FractionalWeightsAreAsGood) {
  Random random(4);
  for (int trial = 0; trial < trials(100); ++trial) {
    Rows rows = random_rows(random, {.groups = 3, .strata = 2, .integer_weights = true});
    for (double& weight : rows.weight) weight = 1e-6 + random.unit() * (trial % 2 ? 1e-9 : 1e4);
    for (const char* name : {"statistical-parity", "equal-opportunity", "false-positive-parity"}) {
      const Criterion criterion = criterion_from(name, {sex_within_race, 0.03});
      const Atoms atoms = atoms_of(rows, criterion, {});
      if (compared_cells(atoms, criterion).empty()) continue;
      const Solution fit = solve(rows.tally(), criterion);
      EXPECT_EQ(fit.status, Status::optimal);
      EXPECT_NEAR(fit.primal, best_objective(atoms, criterion, 0), 1e-9 * atoms.magnitude);
      EXPECT_EQ(solve(shuffled(rows, random).tally(), criterion).to_json(), fit.to_json());
    }
  }
}

TEST(Solve, SwappingGroupNamesChangesNeitherObjectiveNorViolation) {
  Random random(5);
  for (int trial = 0; trial < trials(50); ++trial) {
    Rows rows = random_rows(random, {.groups = 2, .strata = 2, .few_scores = trial % 2 == 0});
    Rows swapped = rows;
    for (std::string& sex : swapped.sex) sex = sex == "F" ? "M" : "F";
    const Criterion criterion = statistical_parity({{"sex"}, {"race"}, 0.02});
    const Solution fit = solve(rows.tally(), criterion);
    const Solution other = solve(swapped.tally(), criterion);
    EXPECT_NEAR(other.primal, fit.primal, 1e-12 * fit.magnitude);
    EXPECT_NEAR(other.violation, fit.violation, 1e-12);
  }
}

TEST(Solve, AnySplitAndOrderOfMergingGivesTheSameFileByteForByte) {
  Random random(6);
  for (int trial = 0; trial < trials(60); ++trial) {
    const Rows rows = random_rows(random, {.groups = 2,
                                           .strata = 2,
                                           .most_rows = trial < 5 ? 4000 : 50,
                                           .few_scores = trial % 2 == 0});
    const Rows mixed = shuffled(rows, random);
    // Two halves by position, tallied apart.
    Rows halves[2];
    for (Rows& half : halves) {
      half.scale = rows.scale;
      half.favorable = rows.favorable;
    }
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      Rows& half = halves[i % 2];
      half.score.push_back(mixed.score[i]);
      half.sex.push_back(mixed.sex[i]);
      half.race.push_back(mixed.race[i]);
      half.label.push_back(mixed.label[i]);
    }
    if (halves[1].size() == 0) continue;
    for (const double gamma : {0.0, 0.05}) {
      for (const char* name : {"statistical-parity", "equal-opportunity", "four-fifths"}) {
        const Criterion criterion = criterion_from(name, {sex_within_race});
        try {
          const std::string whole = solve(rows.tally(), criterion, {.gamma = gamma}).to_json();
          const Tally a = halves[0].tally();
          const Tally b = halves[1].tally();
          ASSERT_EQ(solve(a.merge(b), criterion, {.gamma = gamma}).to_json(), whole);
          ASSERT_EQ(solve(b.merge(a), criterion, {.gamma = gamma}).to_json(), whole);
          ASSERT_EQ(solve(mixed.tally(), criterion, {.gamma = gamma, .threads = 1}).to_json(),
                    whole);
        } catch (const std::invalid_argument&) {
        }
      }
    }
  }
}

TEST(Solve, ManyRowsInUnsortedBinsGiveTheSameAsSorted) {
  // Large enough that thresholds are found by opening a few bins only.
  Random random(7);
  for (const Scale scale : {Scale::probability, Scale::signed_, Scale::logit}) {
    std::vector<double> score;
    std::vector<std::string> group;
    for (int i = 0; i < 60'000; ++i) {
      group.emplace_back(1, static_cast<char>('a' + random.below(5)));
      const double u = std::pow(random.unit(), 0.5 + group.back()[0] - 'a');
      score.push_back(scale == Scale::logit ? 10 * u - 5 : u);
    }
    const Cells cells = Cells::from({{"group", group}});
    const Tally binned = Tally::of(score, cells, {.scale = scale});
    const Tally sorted = Tally::from_bytes(binned.to_bytes());
    for (const Criterion& criterion :
         {parity_of_groups(), parity_of_groups(0.05), four_fifths({.sensitive = {"group"}}),
          equal_rates({.sensitive = {"group"}, .rho = Rho::given(0.123)})}) {
      const Solution fit = solve(binned, criterion);
      EXPECT_EQ(fit.status, Status::optimal);
      EXPECT_EQ(fit.to_json(), solve(sorted, criterion).to_json());
    }
  }
}

TEST(Solve, AtMostGroupsLessOneScoresAreFractional) {
  Random random(8);
  for (int trial = 0; trial < trials(100); ++trial) {
    const int groups = 2 + random.below(4);
    const Rows rows = random_rows(random, {.groups = groups, .strata = 1});
    const Solution fit = solve(rows.tally(), statistical_parity({.sensitive = {"sex", "race"}}));
    int fractional = 0;
    for (const Response& response : fit.rule.parts().responses) {
      for (const Point& point : response.points) fractional += point.q > 0 && point.q < 1 ? 1 : 0;
      fractional += response.start > 0 && response.start < 1 ? 1 : 0;
    }
    EXPECT_LT(fractional, groups);
  }
}

TEST(Solve, OfSeveralOptimaTakesTheSmallestCommonRate) {
  // Benefits are +0.5 and -0.5: accepting both groups' scores is worth nothing at any rate.
  const Everybody people{{0.75, 0.25}, {"a", "b"}, {}};
  const Solution fit = solve(people.tally(), parity_of_groups());
  EXPECT_EQ(fit.primal, 0);
  EXPECT_EQ(fit.cells[0].rate, 0);
  EXPECT_EQ(fit.cells[1].rate, 0);
}

TEST(Solve, ABenefitOfZeroIsNotAccepted) {
  const Everybody people{{0.5, 0.9, 0.5, 0.9}, {"a", "a", "b", "b"}, {}};
  for (const double tolerance : {0.0, 0.3}) {
    const Solution fit = solve(people.tally(), parity_of_groups(tolerance));
    EXPECT_EQ(fit.cells[0].rate, 0.5);
    EXPECT_EQ(fit.cells[1].rate, 0.5);
    EXPECT_EQ(fit.lottery_share, 0);
  }
}

TEST(Solve, StepsLieHalfwayBetweenFittedScores) {
  const Everybody people{{0.2, 0.8, 0.3, 0.7}, {"a", "a", "b", "b"}, {}};
  const Solution fit = solve(people.tally(), parity_of_groups());
  EXPECT_EQ(fit.rule.parts().responses[0].points, (std::vector<Point>{{0.5, 1}}));
  EXPECT_EQ(fit.rule.parts().responses[1].points, (std::vector<Point>{{0.5, 1}}));
  // Where no double lies between, the step is at the upper score.
  const double x = 0.75;
  const double up = std::nextafter(x, 1);
  const Everybody close{{x, up, x, up}, {"a", "a", "b", "b"}, {}};
  const Solution half =
      solve(close.tally(), equal_rates({.sensitive = {"group"}, .rho = Rho::given(0.5)}));
  EXPECT_EQ(half.rule.parts().responses[0].points, (std::vector<Point>{{up, 1}}));
}

TEST(Solve, TheRuleCutsScoresAsTheTallyDid) {
  Random random(9);
  for (int trial = 0; trial < trials(100); ++trial) {
    Rows rows = random_rows(random, {.groups = 2, .strata = 2, .most_rows = 200});
    if (rows.scale == Scale::probability) rows.score.front() = 1.0;
    const Resolution resolution = Resolution::bits(1 + random.below(8));
    for (const double gamma : {0.0, 0.1}) {
      const Criterion criterion = statistical_parity({.sensitive = {"sex"}, .within = {"race"}});
      const Solution fit = solve(rows.tally(resolution), criterion, {.gamma = gamma});
      EXPECT_EQ(fit.status, Status::optimal);
      // The criterion holds on the rows' own scores, not only on the intervals' values.
      const Applied applied = apply(rows, atoms_of(rows, criterion, {}), fit, 0);
      EXPECT_LE(applied.violation, 1e-9);
      EXPECT_TRUE(applied.nondecreasing);
    }
  }
}

TEST(Solve, CutScoresLoseAtMostHalfAnIntervalsWidth) {
  Random random(10);
  for (int trial = 0; trial < trials(50); ++trial) {
    Rows rows = random_rows(random, {.groups = 3, .strata = 1, .most_rows = 100});
    rows.scale = Scale::probability;
    for (double& score : rows.score) score = random.unit();
    const int bits = 2 + random.below(8);
    const Criterion criterion = statistical_parity({.sensitive = {"sex", "race"}});
    const Costs costs{1, 2};
    const Solution exact = solve(rows.tally(), criterion, {.costs = costs});
    const Solution cut = solve(rows.tally(Resolution::bits(bits)), criterion, {.costs = costs});
    const double achieved =
        apply(rows, atoms_of(rows, criterion, {.costs = costs}), cut, 0).objective;
    const double weight = rows.tally().total().n;
    // Half an interval for the value it is read as, and as much for the rule that is chosen by it.
    EXPECT_GE(achieved, exact.primal - std::ldexp(1, -bits) * 3 * weight);
  }
}

TEST(Solve, CellsThatCannotBeComparedAreListedAndDecidedByTheirBenefit) {
  Rows rows;
  const auto add = [&](const char* sex, const char* race, double score, int label) {
    rows.sex.emplace_back(sex);
    rows.race.emplace_back(race);
    rows.score.push_back(score);
    rows.label.push_back(static_cast<std::uint8_t>(label));
  };
  for (const double score : {0.2, 0.4, 0.6, 0.8}) {
    add("F", "A", score, score > 0.5);
    add("M", "A", score, score > 0.3);
    add("F", "B", score, 1);  // alone in its stratum
    add("X", "A", score, 0);  // no favourable outcomes
  }
  const Solution parity = solve(rows.tally(), statistical_parity({{"sex"}, {"race"}}));
  const CellNames& names = parity.rule.cells();
  const CellCode alone = names.code_of({"F", "B"});
  EXPECT_FALSE(parity.cells[alone].compared);
  EXPECT_EQ(parity.cells[alone].reason, "nobody to compare with in its stratum");
  EXPECT_EQ(parity.cells[alone].rate, 0.5);
  EXPECT_EQ(parity.rule.probability(alone, 0.6), 1);
  EXPECT_EQ(parity.rule.probability(alone, 0.4), 0);
  const Solution opportunity = solve(rows.tally(), equal_opportunity({{"sex"}, {"race"}}));
  const CellCode hopeless = names.code_of({"X", "A"});
  EXPECT_EQ(opportunity.cells[hopeless].reason, "no favourable outcomes");
  EXPECT_EQ(opportunity.cells[hopeless].benefits, Benefits::stratum);
  EXPECT_EQ(opportunity.rule.probability(hopeless, 0.8), 1);
  EXPECT_EQ(opportunity.rule.probability(hopeless, 0.2), 0);
  EXPECT_EQ(opportunity.status, Status::optimal);
  // Under equal rates nobody is left out.
  const Solution rates =
      solve(rows.tally(), equal_rates({.sensitive = {"sex"}, .within = {"race"}}));
  for (const CellOutcome& cell : rates.cells) EXPECT_TRUE(cell.compared);
}

TEST(Solve, ACellWithoutRowsIsDecidedByTheScoresBenefit) {
  const CellNames names({"group"}, {{"a"}, {"b"}, {"nobody"}});
  const std::vector<double> score = {0.2, 0.8, 0.3, 0.9};
  const std::vector<CellCode> codes = {0, 0, 1, 1};
  const Solution fit = solve(Tally::of(score, names, codes), parity_of_groups());
  EXPECT_EQ(fit.cells[2].reason, "no rows");
  EXPECT_EQ(fit.rule.probability(2, 0.5), 0);
  EXPECT_EQ(fit.rule.probability(2, 0.51), 1);
}

TEST(Solve, MultipliersSayWhatBinds) {
  const Everybody people{
      {0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1}, {"a", "a", "a", "a", "b", "b", "b", "b"}, {}};
  const Solution fit = solve(people.tally(), parity_of_groups(0.25));
  EXPECT_EQ(fit.cells[0].bound, Bound::upper);
  EXPECT_EQ(fit.cells[1].bound, Bound::lower);
  EXPECT_GT(fit.cells[0].multiplier, 0);
  EXPECT_LT(fit.cells[1].multiplier, 0);
  EXPECT_NEAR(fit.cells[0].multiplier + fit.cells[1].multiplier, 0, 1e-12);
  EXPECT_NEAR(fit.cells[0].rate - fit.cells[1].rate, 0.25, 1e-15);
  EXPECT_NEAR(fit.strata[0].highest - fit.strata[0].lowest, 0.25, 1e-15);
}

TEST(Solve, RhoIsMet) {
  Random random(11);
  const Rows rows = random_rows(random, {.groups = 3, .strata = 2, .most_rows = 100});
  const Tally tally = rows.tally();
  for (const double rho : {0.0, 0.25, 1.0 / 3, 1.0}) {
    const Solution fit = solve(tally, equal_rates({{"sex"}, {"race"}, 0, Rho::given(rho)}));
    for (const CellOutcome& cell : fit.cells) EXPECT_NEAR(cell.rate, rho, 1e-12);
  }
  const Solution best = solve(tally, equal_rates({{"sex"}, {"race"}, 0, Rho::best()}));
  const Solution same = solve(tally, statistical_parity({{"sex", "race"}}));
  EXPECT_EQ(best.rule, same.rule);
}

TEST(Solve, TheBaseThresholdSetsTheBaseDecisions) {
  const Everybody people{{0.1, 0.3, 0.55, 0.9}, {"a", "a", "b", "b"}, {}};
  const Criterion criterion = equal_rates({.sensitive = {"group"}, .rho = Rho::base()});
  EXPECT_NEAR(solve(people.tally(), criterion).cells[0].rate, 0.5, 1e-15);
  EXPECT_NEAR(solve(people.tally(), criterion, {.base_threshold = 0.3}).cells[0].rate, 0.75, 1e-15);
  // Where low scores are favourable, up to the threshold.
  const Tally low = people.tally({.favorable = Favorable::low});
  EXPECT_NEAR(solve(low, criterion, {.base_threshold = 0.1}).cells[0].rate, 0.25, 1e-15);
  const Solution fit = solve(people.tally(), criterion, {.base_threshold = 0.3});
  EXPECT_EQ(fit.rule.parts().otherwise, 0.3);
}

TEST(Solve, FavouringLowScoresIsTheMirrorImage) {
  Random random(12);
  Rows rows = random_rows(random, {.groups = 2, .strata = 2, .most_rows = 100});
  rows.scale = Scale::signed_;
  rows.favorable = Favorable::high;
  for (double& score : rows.score) score = 2 * random.unit() - 1;
  Rows mirrored = rows;
  mirrored.favorable = Favorable::low;
  for (double& score : mirrored.score) score = -score;
  for (std::uint8_t& label : mirrored.label) label ^= 1U;
  for (const char* name : {"statistical-parity", "equal-opportunity", "false-positive-parity"}) {
    const Criterion criterion = criterion_from(name, {sex_within_race, 0.01});
    const Solution fit = solve(rows.tally(), criterion);
    const Solution other = solve(mirrored.tally(), criterion);
    EXPECT_EQ(fit.primal, other.primal);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const CellCode cell = rows.cells().codes[i];
      ASSERT_EQ(fit.rule.probability(cell, rows.score[i]),
                other.rule.probability(cell, mirrored.score[i]));
    }
  }
}

}  // namespace
}  // namespace evenhand::testing::solve_test
