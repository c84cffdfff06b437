// What a stricter criterion costs, at given parameters and at every breakpoint.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "support/many_problems.h"
#include "support/problems.h"
#include "support/trials.h"

namespace evenhand::testing::frontier_test {
namespace {

using many::People;
using many::random_people;
using many::random_shape;

const Roles sex_within_race{{"sex"}, {"race"}};

Criterion with_tolerance(Criterion criterion, double tolerance) {
  criterion.tolerance = tolerance;
  return criterion;
}

Criterion with_ratio(Criterion criterion, double ratio) {
  criterion.ratio = ratio;
  return criterion;
}

bool solvable(const Tally& tally, const Criterion& criterion) {
  try {
    return solve(tally, criterion).status == Status::optimal;
  } catch (const std::invalid_argument&) {  // nothing to compare
    return false;
  }
}

// To the last bit: the point is that of a fit by itself.
void expect_of(const FrontierPoint& point, const Solution& fit) {
  EXPECT_EQ(point.objective, fit.primal);
  EXPECT_EQ(point.gap, fit.gap);
  EXPECT_EQ(point.violation, fit.violation);
  EXPECT_EQ(point.lottery_share, fit.lottery_share);
}

// Linear between neighbours.
double interpolated(const std::vector<FrontierPoint>& points, double at) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const FrontierPoint& a = points[i - 1];
    const FrontierPoint& b = points[i];
    if (at > b.parameter) continue;
    return a.objective +
           (b.objective - a.objective) * (at - a.parameter) / (b.parameter - a.parameter);
  }
  return points.back().objective;
}

class Frontier : public ::testing::TestWithParam<const char*> {};

std::string describe(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

TEST_P(Frontier, AgreesWithSolveAndIsConcave) {
  const std::string name = GetParam();
  Random random(8000);
  int done = 0;
  for (int trial = 0; done < trials(40); ++trial) {
    ASSERT_LT(trial, 400);
    const People people = random_people(random, random_shape(random, 2, trial));
    const Tally tally = people.tally();
    CriterionOptions given{.roles = sex_within_race};
    if (random.chance(0.4)) given.roles = {{"sex", "race"}};
    if (name == "equalized-odds" || random.chance(0.2)) given.roles = {{"sex", "race"}};
    if (name != "equal-rates" && given.roles.within.empty() && random.chance(0.5)) {
      given.roles.across = Across::marginal;
    }
    if (random.chance(0.2)) given.require = {"rate <= 0.4"};
    const Criterion criterion = criterion_from(name, given);
    if (!solvable(tally, criterion)) continue;
    ++done;
    SCOPED_TRACE("trial " + std::to_string(trial));
    SolveOptions options;
    if (random.chance(0.4)) options.costs = {3 * random.unit(), 0.01 + 3 * random.unit()};
    if (random.chance(0.3)) options.gamma = 0.2;
    SCOPED_TRACE("gamma " + std::to_string(options.gamma) + ", within " +
                 std::to_string(given.roles.within.size()) +
                 (given.roles.across == Across::marginal ? ", marginal" : "") +
                 (given.require.empty() ? "" : ", with a requirement"));
    const std::array<double, 9> tolerances = {0.3, 0, 0.01, 1, 0.1, 0.03, 0.2, 0.5, 0.05};
    std::vector<FrontierPoint> points = frontier(tally, criterion, tolerances, options).points;
    ASSERT_EQ(points.size(), tolerances.size());
    double scale = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Solution fit = solve(tally, with_tolerance(criterion, tolerances[i]), options);
      scale = std::max(fit.magnitude, 1e-300);
      EXPECT_EQ(points[i].parameter, tolerances[i]);
      expect_of(points[i], fit);
      EXPECT_LE(points[i].gap, 1e-9);
      EXPECT_LE(points[i].violation, 1e-9);
      EXPECT_GE(points[i].lottery_share, 0);
      EXPECT_LE(points[i].lottery_share, 1);
      EXPECT_GE(points[i].slope, -1e-9 * scale);
    }
    std::sort(points.begin(), points.end(),
              [](const auto& a, const auto& b) { return a.parameter < b.parameter; });
    for (std::size_t i = 1; i < points.size(); ++i) {
      EXPECT_GE(points[i].objective, points[i - 1].objective - 1e-9 * scale);
      const double step = points[i].parameter - points[i - 1].parameter;
      // Concave: it grows no faster than the slope at the left end, and no slower than at the
      // right.
      const double growth = points[i].objective - points[i - 1].objective;
      EXPECT_LE(growth, points[i - 1].slope * step + 2e-9 * scale) << points[i - 1].parameter;
      EXPECT_GE(growth, points[i].slope * step - 2e-9 * scale) << points[i].parameter;
      if (i + 1 == points.size()) continue;
      const double next = points[i + 1].objective - points[i].objective;
      EXPECT_LE(next / (points[i + 1].parameter - points[i].parameter),
                growth / step + 2e-9 * scale / step);
    }
  }
}

// Enough rows for bins to be opened, and for points of the hull to be far from each other.
Rows many_rows(Random& random, int rows) {
  Rows out;
  for (int i = 0; i < rows; ++i) {
    const int group = random.below(3);
    out.sex.push_back(std::to_string(group));
    out.race.emplace_back("all");
    out.score.push_back(std::pow(random.unit(), 0.7 + 0.4 * group));
    out.label.push_back(random.chance(0.8 * out.score.back() + 0.1 * group) ? 1 : 0);
  }
  return out;
}

TEST_P(Frontier, IsThatOfSeparateFitsToTheLastBit) {
  Random random(8050);
  const std::array<double, 6> tolerances = {0.04, 0, 0.02, 0.1, 0.005, 0.3};
  struct Kind {
    const char* what;
    double weight;  // of a row; 0: counted
    SolveOptions options;
  };
  for (const Kind& kind : {Kind{"counted", 0, {}}, Kind{"integers", 3, {.costs = {1, 2}}},
                           Kind{"halves", 0.5, {}}, Kind{"ramps", 0, {.gamma = 0.3}},
                           Kind{"least chance", 0, {.lottery = Lottery::least_chance}},
                           Kind{"no coins", 0, {.lottery = Lottery::none}},
                           Kind{"calibrated", 0, {.calibrate = Calibration::isotonic}}}) {
    SCOPED_TRACE(kind.what);
    Rows rows = many_rows(random, 6000);
    if (kind.weight > 0) rows.weight.assign(rows.size(), kind.weight);
    const Tally tally = rows.tally();
    const Criterion criterion = criterion_from(GetParam(), {.roles = {{"sex"}, {"race"}}});
    const evenhand::Frontier all = frontier(tally, criterion, tolerances, kind.options);
    ASSERT_EQ(all.points.size(), tolerances.size());
    for (std::size_t i = 0; i < tolerances.size(); ++i) {
      SCOPED_TRACE(tolerances[i]);
      const Criterion one = with_tolerance(criterion, tolerances[i]);
      const Solution fit = solve(rows.tally(), one, kind.options);  // of rows not yet sorted
      expect_of(all.points[i], fit);
      EXPECT_EQ(all.points[i].figures.accuracy,
                audit(rows.tally(), one.roles, fit.rule).overall.figures.accuracy);
    }
  }
}

// Counted rows and halves take different ways to the same sums: a rule cannot depend on them.
TEST_P(Frontier, HasRulesThatDoNotDependOnTheUnitOfWeights) {
  Random random(8060);
  for (int trial = 0; trial < trials(20); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    Rows rows = many_rows(random, 300 + random.below(4000));
    const Tally counted = rows.tally();
    rows.weight.assign(rows.size(), 0.5);
    const Tally halves = rows.tally();
    const double tolerance = random.chance(0.2) ? 0 : 0.1 * random.unit();
    const Criterion criterion =
        criterion_from(GetParam(), {.roles = {{"sex"}, {"race"}}, .tolerance = tolerance});
    const Solution fit = solve(counted, criterion);
    ASSERT_EQ(fit.status, Status::optimal);
    EXPECT_EQ(fit.rule.parts().responses, solve(halves, criterion).rule.parts().responses);
  }
}

INSTANTIATE_TEST_SUITE_P(Tolerances, Frontier,
                         ::testing::Values("statistical-parity", "equal-opportunity",
                                           "false-positive-parity", "equal-rates",
                                           "equalized-odds"),
                         describe);

TEST(FrontierOfRatios, AgreesWithSolveAndFallsBySlope) {
  Random random(8100);
  int done = 0;
  int falling = 0;
  for (int trial = 0; done < trials(40); ++trial) {
    ASSERT_LT(trial, 400);
    const Tally tally = random_people(random, random_shape(random, 2, trial)).tally();
    const Across across = random.chance(0.5) ? Across::marginal : Across::intersection;
    const Criterion criterion = four_fifths({.sensitive = {"sex", "race"}, .across = across});
    if (!solvable(tally, criterion)) continue;
    ++done;
    SCOPED_TRACE("trial " + std::to_string(trial));
    const std::array<double, 4> ratios = {0.8, 0.317, 0.6543, 1};
    const auto points = frontier(tally, criterion, ratios).points;
    ASSERT_EQ(points.size(), ratios.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Solution fit = solve(tally, with_ratio(criterion, ratios[i]));
      const double scale = std::max(fit.magnitude, 1e-300);
      EXPECT_EQ(points[i].parameter, ratios[i]);
      EXPECT_NEAR(points[i].objective, fit.primal, 1e-9 * scale);
      EXPECT_LE(points[i].gap, 1e-9);
      EXPECT_LE(points[i].violation, 1e-9);
      if (i == 0 || i == 3) continue;  // breakpoints of small integer data, or at the end
      constexpr double step = 1e-6;
      const double left = solve(tally, with_ratio(criterion, ratios[i] - step)).primal;
      const double right = solve(tally, with_ratio(criterion, ratios[i] + step)).primal;
      EXPECT_NEAR(points[i].slope, (left - right) / (2 * step), 1e-4 * scale);
      if (left - right > 1e-9 * scale) ++falling;
    }
  }
  EXPECT_GE(falling, trials(20));
}

class Breakpoints : public ::testing::TestWithParam<const char*> {};

TEST_P(Breakpoints, AreAllAndAreWhereTheSlopeChanges) {
  const std::string name = GetParam();
  Random random(8200);
  int done = 0;
  std::size_t most = 0;
  for (int trial = 0; done < trials(50); ++trial) {
    ASSERT_LT(trial, 500);
    const People people = random_people(random, random_shape(random, 2, trial));
    const Tally tally = people.tally();
    const Roles roles = random.chance(0.5) ? sex_within_race : Roles{{"sex", "race"}};
    const Criterion criterion = criterion_from(name, {.roles = roles});
    if (!solvable(tally, criterion)) continue;
    ++done;
    SCOPED_TRACE("trial " + std::to_string(trial));
    SolveOptions options;
    if (random.chance(0.4)) options.costs = {3 * random.unit(), 0.01 + 3 * random.unit()};
    if (random.chance(0.2)) options.calibrate = Calibration::isotonic;
    const double from = random.chance(0.5) ? 0 : 0.3 * random.unit();
    const double to = random.chance(0.5) ? 1 : 0.4 + 0.5 * random.unit();
    const auto points = frontier_breakpoints(tally, criterion, from, to, options);
    ASSERT_GE(points.size(), 2);
    most = std::max(most, points.size());
    EXPECT_EQ(points.front().parameter, from);
    EXPECT_EQ(points.back().parameter, to);
    double scale = 1e-300;
    const auto best = [&](double tolerance) {
      const Solution fit = solve(tally, with_tolerance(criterion, tolerance), options);
      scale = std::max(fit.magnitude, 1e-300);
      return fit.primal;
    };
    // Where there are hundreds, every so many will do.
    const std::size_t stride = 1 + points.size() / 60;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const FrontierPoint& a = points[i];
      const FrontierPoint& b = points[i + 1];
      ASSERT_LT(a.parameter, b.parameter);
      EXPECT_GE(a.slope, b.slope);
      EXPECT_FALSE(a.slope == b.slope && i + 2 < points.size());
      EXPECT_LE(a.gap, 1e-9);
      EXPECT_LE(a.violation, 1e-9);
      if (i % stride != 0) continue;
      EXPECT_NEAR(a.objective, best(a.parameter), 1e-9 * scale);
      EXPECT_NEAR(b.objective - a.objective, a.slope * (b.parameter - a.parameter), 1e-9 * scale);
      EXPECT_NEAR(best((a.parameter + b.parameter) / 2), (a.objective + b.objective) / 2,
                  1e-9 * scale);
    }
    EXPECT_NEAR(points.back().objective, best(to), 1e-9 * scale);
    for (int i = 0; i < 5; ++i) {
      const double at = from + (to - from) * random.unit();
      EXPECT_NEAR(best(at), interpolated(points, at), 1e-9 * scale);
    }
  }
  EXPECT_GE(most, done < 50 ? 2 : 5);
}

INSTANTIATE_TEST_SUITE_P(OneRate, Breakpoints,
                         ::testing::Values("statistical-parity", "equal-opportunity",
                                           "false-positive-parity", "equal-rates"),
                         describe);

TEST(FrontierBreakpoints, AgreeWithTheSlopesOfTheFrontier) {
  Random random(8300);
  int compared = 0;
  for (int trial = 0; trial < trials(40); ++trial) {
    const Tally tally = random_people(random, random_shape(random, 2, trial)).tally();
    const Criterion criterion = statistical_parity({.sensitive = {"sex", "race"}});
    if (!solvable(tally, criterion)) continue;
    const auto points = frontier_breakpoints(tally, criterion);
    std::vector<double> middles;
    std::vector<double> slopes;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      if (points[i + 1].parameter - points[i].parameter < 1e-6) continue;
      middles.push_back((points[i].parameter + points[i + 1].parameter) / 2);
      slopes.push_back(points[i].slope);
    }
    const auto there = frontier(tally, criterion, middles).points;
    ASSERT_EQ(there.size(), middles.size());
    const double scale = std::max(solve(tally, criterion).magnitude, 1e-300);
    for (std::size_t i = 0; i < there.size(); ++i, ++compared) {
      EXPECT_NEAR(there[i].slope, slopes[i], 1e-9 * scale);
    }
  }
  EXPECT_GE(compared, trials(100));
}

TEST(FrontierBreakpoints, StopAtAsManyAsAskedFor) {
  Random random(8400);
  const Rows rows = random_rows(random, {.groups = 3, .strata = 2, .most_rows = 300});
  const Tally tally = rows.tally();
  const Criterion criterion = criterion_from("statistical-parity", {.roles = sex_within_race});
  const auto all = frontier_breakpoints(tally, criterion);
  ASSERT_GT(all.size(), 20);
  const auto few = frontier_breakpoints(tally, criterion, 0, 1, {}, 10);
  EXPECT_LE(few.size(), 10);
  ASSERT_GE(few.size(), 2);
  EXPECT_EQ(few.front().parameter, 0);
  EXPECT_EQ(few.back().parameter, 1);
  for (const FrontierPoint& point : few) {
    const Solution fit = solve(tally, with_tolerance(criterion, point.parameter));
    EXPECT_NEAR(point.objective, fit.primal, 1e-9 * fit.magnitude);
  }
}

TEST(FrontierBreakpoints, RefuseWhatHasNone) {
  Random random(8500);
  const Tally tally = random_rows(random, {.groups = 2, .strata = 2}).tally();
  const Criterion parity = criterion_from("statistical-parity", {.roles = sex_within_race});
  ASSERT_NO_THROW(frontier_breakpoints(tally, parity));
  EXPECT_THROW(frontier_breakpoints(tally, parity, 0, 1, {.gamma = 0.1}), std::invalid_argument);
  Criterion required = parity;
  required.require = {"rate <= 0.9"};
  EXPECT_THROW(frontier_breakpoints(tally, required), std::invalid_argument);
  EXPECT_THROW(frontier_breakpoints(tally, requirements({"rate <= 0.9"})), std::invalid_argument);
  for (const char* name : {"four-fifths", "equalized-odds"}) {
    const Criterion criterion = criterion_from(name, {.roles = sex_within_race});
    EXPECT_THROW(frontier_breakpoints(tally, criterion), std::invalid_argument) << name;
  }
}

TEST(FrontierParameters, RefusesParametersOutOfRange) {
  Random random(8600);
  const Tally tally = random_rows(random, {.groups = 2, .strata = 2}).tally();
  const Criterion parity = criterion_from("statistical-parity", {.roles = sex_within_race});
  const std::array<double, 2> tolerances = {0.1, 1.5};
  EXPECT_THROW(frontier(tally, parity, tolerances), std::invalid_argument);
  const std::array<double, 2> ratios = {0.5, 0};
  const Criterion ratio = criterion_from("four-fifths", {.roles = sex_within_race});
  EXPECT_THROW(frontier(tally, ratio, ratios), std::invalid_argument);
}

TEST(FrontierBesideRequirements, SaysWhereNoRuleMeetsThem) {
  const std::vector<double> score = {0.2, 0.6, 0.4, 0.9};
  const std::vector<std::string> sex = {"F", "F", "M", "M"};
  const Tally tally = Tally::of(score, Cells::from({{"sex", sex}}));
  Criterion parity = statistical_parity({.sensitive = {"sex"}});
  parity.require = {"rate[sex=F] <= 0.2", "rate[sex=M] >= 0.5"};
  const evenhand::Frontier strict = frontier(tally, parity, std::vector{0.5, 0.1});
  EXPECT_EQ(strict.status, Status::infeasible);
  EXPECT_TRUE(strict.points.empty());
  ASSERT_TRUE(strict.infeasibility.has_value());
  EXPECT_TRUE(proves_infeasible(tally, *strict.infeasibility));
  const evenhand::Frontier loose = frontier(tally, parity, std::vector{0.5, 0.4});
  EXPECT_EQ(loose.status, Status::optimal);
  EXPECT_EQ(loose.points.size(), 2U);
  EXPECT_FALSE(loose.infeasibility.has_value());
}

}  // namespace
}  // namespace evenhand::testing::frontier_test
