// Fewest coins, and none: figures that can be checked by hand, and those of the Adult data.
#include <evenhand/evenhand.h>

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/adult.h"

namespace evenhand::testing::lottery_test {
namespace {

struct People {
  std::vector<double> score;
  std::vector<std::string> sex;
  std::vector<std::uint8_t> label = {};

  Tally tally(bool labelled) const {
    TallyOptions options;
    if (labelled) options.label = label;
    return Tally::of(score, Cells::from({{"sex", sex}}), options);
  }
};

// Four women, six men.
People few() {
  People out{{.35, .45, .55, .7, .2, .4, .6, .75, .8, .9}, {}};
  out.sex.assign(4, "F");
  out.sex.insert(out.sex.end(), 6, "M");
  return out;
}

const People& adult() {
  static const People people{adult_people().score, adult_people().sex, adult_people().label};
  return people;
}

double selected(const People& people, const Rule& rule, const std::string& sex) {
  double count = 0;
  for (std::size_t i = 0; i < people.score.size(); ++i) {
    if (people.sex[i] != sex) continue;
    count += rule.probability(rule.cells().code_of({sex}), people.score[i]);
  }
  return count;
}

Solution without_coins(const Tally& tally, const Criterion& criterion) {
  return solve(tally, criterion, {.lottery = Lottery::none});
}

TEST(Lottery, OfTenPeopleNoCoinsCostWhatTheTableSays) {
  const People people = few();
  const Tally tally = people.tally(false);
  struct Line {
    double tolerance, with_coins, value, women, men;
  };
  for (const Line& line :
       {Line{0, 2.533333, 2.4, 2, 3}, Line{.1, 2.573333, 2.5, 3, 4}, Line{.2, 2.6, 2.6, 2, 4}}) {
    const Criterion parity =
        statistical_parity({.sensitive = {"sex"}, .tolerance = line.tolerance});
    EXPECT_NEAR(solve(tally, parity).primal, line.with_coins, 5e-7);
    const Solution fit = without_coins(tally, parity);
    EXPECT_EQ(fit.status, Status::optimal);
    EXPECT_NEAR(fit.primal, line.value, 1e-12);
    EXPECT_NEAR(fit.dual, line.with_coins, 5e-7);
    EXPECT_EQ(selected(people, fit.rule, "F"), line.women);
    EXPECT_EQ(selected(people, fit.rule, "M"), line.men);
    EXPECT_EQ(fit.lottery_share, 0);
  }
  EXPECT_NEAR(without_coins(tally, four_fifths({.sensitive = {"sex"}})).primal, 2.5, 1e-12);
}

TEST(Lottery, PriceNamesTheSmallestUsefulTolerance) {
  const Tally tally = few().tally(false);
  const Criterion parity = statistical_parity({.sensitive = {"sex"}});
  const std::optional<PriceOfNoCoins> price = price_of_no_coins(tally, solve(tally, parity));
  ASSERT_TRUE(price);
  EXPECT_NEAR(price->objective, 2.4, 1e-12);
  EXPECT_NEAR(price->constant, 1.4, 1e-12);
  ASSERT_TRUE(price->as_good);
  EXPECT_GT(*price->as_good, 0);
  EXPECT_GE(
      without_coins(tally, statistical_parity({.sensitive = {"sex"}, .tolerance = *price->as_good}))
          .primal,
      2.533333);
  EXPECT_LT(without_coins(tally, statistical_parity(
                                     {.sensitive = {"sex"}, .tolerance = *price->as_good - 1e-6}))
                .primal,
            2.533333);
}

struct OnAdult {
  std::string name;
  bool labels;
  double tolerance;
  double with_coins;
  int coins;  // people; negative: not in the table
  double value;
  double women, men;
};

TEST(Lottery, OnAdultAsTheTableSays) {
  const std::vector<OnAdult> lines = {
      {"statistical-parity", false, .02, 1258.7903, -1, 1258.5340, 806, 1831},
      {"equal-opportunity", true, .02, 1445.6595, 56, 1443, 511, 2742},
      {"equalized-odds", true, 0, 1211.2720, 835, 0, 0, 0},
      {"equalized-odds", true, .02, 1319.6920, 502, 1214, 290, 1488},
      {"equalized-odds", true, .05, 1432.8304, 63, 1431, 400, 2273},
  };
  for (const OnAdult& line : lines) {
    SCOPED_TRACE(line.name + " " + std::to_string(line.tolerance));
    const Tally tally = adult().tally(line.labels);
    const Criterion criterion =
        criterion_from(line.name, {.roles = {.sensitive = {"sex"}}, .tolerance = line.tolerance});
    const Solution fit = solve(tally, criterion);
    EXPECT_EQ(fit.status, Status::optimal);
    EXPECT_NEAR(fit.primal, line.with_coins, 5e-5);
    const double people = tally.total().n;
    if (line.coins >= 0) {
      EXPECT_NEAR(fit.lottery_share * people, line.coins, 1e-6);
    }
    const Solution least = solve(tally, criterion, {.lottery = Lottery::least_chance});
    EXPECT_NEAR(least.primal, fit.primal, 1e-9 * fit.magnitude);
    EXPECT_GE(least.lottery_share, fit.lottery_share);
    const Solution none = without_coins(tally, criterion);
    EXPECT_EQ(none.status, Status::optimal);
    EXPECT_NEAR(none.primal, line.value, 5e-5);
    EXPECT_EQ(selected(adult(), none.rule, "Female"), line.women);
    EXPECT_EQ(selected(adult(), none.rule, "Male"), line.men);
  }
}

TEST(Lottery, OnAdultOddsWithoutACoinNeedThisTolerance) {
  const Tally tally = adult().tally(true);
  const Criterion odds = equalized_odds({.sensitive = {"sex"}, .tolerance = .02});
  const std::optional<PriceOfNoCoins> price = price_of_no_coins(tally, solve(tally, odds));
  ASSERT_TRUE(price && price->as_good);
  EXPECT_NEAR(*price->as_good, .029620, 5e-7);
  EXPECT_EQ(price->objective, 1214);
  EXPECT_EQ(price->constant, 0);
}

TEST(Lottery, OnAdultALargestLotteryIsKept) {
  const Tally tally = adult().tally(true);
  const Criterion odds = equalized_odds({.sensitive = {"sex"}, .tolerance = .02});
  for (const auto& [share, value] : {std::pair{.01, 1218.6676}, std::pair{.05, 1250.3212}}) {
    const Solution fit = solve(tally, odds, {.max_lottery = share});
    EXPECT_NEAR(fit.primal, value, 5e-5);
    EXPECT_EQ(to_string(fit.status), "optimal") << fit.gap;
    EXPECT_LT(fit.violation, 1e-9);
    for (const CellOutcome& cell : fit.cells) EXPECT_LE(cell.lottery_share, share);
  }
}

TEST(Lottery, APolygonCornerIsReachedWithoutACoin) {
  const Tally tally = adult().tally(true);
  const Solution fit = solve(tally, requirements({"tpr >= 1"}));
  EXPECT_EQ(fit.status, Status::optimal);
  EXPECT_EQ(fit.lottery_share, 0) << fit.rule.describe() << fit.violation << ' ' << fit.gap;
}

TEST(Lottery, RequirementsAndCapacitiesWithoutACoinAreFeasibleAtLeast) {
  const Tally tally = adult().tally(true);
  const Solution fit = without_coins(
      tally, requirements({"rate <= 0.1", "tpr[sex=Female] - tpr[sex=Male] >= -0.03"}));
  EXPECT_TRUE(fit.status == Status::optimal || fit.status == Status::feasible);
  EXPECT_LE(fit.violation, 1e-9);
  EXPECT_EQ(fit.lottery_share, 0);
  EXPECT_LE(fit.primal, fit.bound);
  EXPECT_LE(fit.bound, fit.dual);
  EXPECT_LT(fit.gap, 1e-3);
}

TEST(Lottery, NoThresholdMayHaveTheTargetRate) {
  const Tally tally = few().tally(false);
  const Criterion third = equal_rates({.sensitive = {"sex"}, .rho = Rho::given(1.0 / 3)});
  const Solution fit = without_coins(tally, third);
  EXPECT_EQ(fit.status, Status::infeasible);
  ASSERT_TRUE(fit.infeasibility);
  EXPECT_TRUE(fit.infeasibility->for_lack_of_coins);
  EXPECT_TRUE(fit.infeasibility->searched);
}

TEST(Lottery, RejectsOptionsThatContradictEachOther) {
  const Tally tally = few().tally(false);
  const Criterion parity = statistical_parity({.sensitive = {"sex"}});
  const auto rejected = [&](const SolveOptions& options) {
    EXPECT_THROW(solve(tally, parity, options), std::invalid_argument);
  };
  rejected({.max_lottery = -0.1});
  rejected({.max_lottery = 1.1});
  rejected({.max_lottery = std::nan("")});
  rejected({.gamma = 0.1, .lottery = Lottery::none});
  rejected({.gamma = 0.1, .lottery = Lottery::least_chance});
  rejected({.gamma = 0.1, .max_lottery = 0.1});
  rejected({.lottery = Lottery::none, .max_lottery = 0.1});
  EXPECT_NO_THROW(solve(tally, parity, {.max_lottery = 1}));
}

}  // namespace
}  // namespace evenhand::testing::lottery_test
