// Fits with calibrated benefits: optimal by the linear program over atoms, monotone, exact on the
// applied rule, and with a rule that takes the scores as they are.
#include <evenhand/evenhand.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/recompute.h"
#include "support/throws.h"
#include "support/trials.h"

namespace evenhand::testing::calibrated_solve_test {
namespace {

constexpr double close = 1e-9;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Written again, from the formulas in calibrator.h.
double probability_by(const CalibrationCurve& curve, const Reading& reading, double x) {
  if (const auto* platt = std::get_if<PlattCurve>(&curve)) {
    return 1 / (1 + std::exp(-(platt->slope * x + platt->offset)));
  }
  if (const auto* scaled = std::get_if<TemperatureCurve>(&curve)) {
    const double p = reading.probability(x);
    const double odds = std::min(std::max(p / (1 - p), 0x1p-53), 0x1p53);
    return 1 / (1 + std::pow(odds, -1 / scaled->temperature));
  }
  return std::get<Response>(curve)(x);
}

struct Case {
  Calibration method;
  CalibrateBy by;
  double gamma;
  bool tolerance;
};

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  std::string name(to_string(info.param.method));
  name += info.param.by == CalibrateBy::cell ? "ByCell" : "ByAll";
  if (info.param.gamma > 0) name += "Ramp";
  return name + (info.param.tolerance ? "Tolerance" : "");
}

class CalibratedOracle : public ::testing::TestWithParam<Case> {};

TEST_P(CalibratedOracle, RuleIsOptimalFairMonotoneAndProvenSo) {
  const Case& c = GetParam();
  const bool pooled = c.method == Calibration::isotonic && c.by == CalibrateBy::cell;
  Random random(static_cast<std::uint64_t>(c.method) * 8 + (c.tolerance ? 1 : 0) +
                (c.by == CalibrateBy::all ? 2 : 0) + (c.gamma > 0 ? 4 : 0));
  int solved = 0;
  for (int trial = 0; solved < trials(60); ++trial) {
    ASSERT_LT(trial, 3000) << "too few problems that can be calibrated";
    const Rows rows = random_rows(random, {.groups = 2 + random.below(2),
                                           .strata = 1 + random.below(2),
                                           .most_rows = 80,
                                           .few_scores = random.chance(0.3),
                                           .integer_weights = random.chance(0.3)});
    const Criterion criterion = statistical_parity(
        {.sensitive = {"sex"}, .within = {"race"}, .tolerance = c.tolerance ? 0.05 : 0});
    SolveOptions options{.gamma = c.gamma,
                         .costs = {0.2 + random.unit(), 0.2 + random.unit()},
                         .calibrate = c.method,
                         .calibrate_by = c.by};
    const Tally tally = rows.tally();
    Solution solution;
    try {
      calibrate(tally, c.method, {.by = c.by});
    } catch (const std::invalid_argument&) {
      EXPECT_THROW(solve(tally, criterion, options), std::invalid_argument);
      continue;
    }
    Atoms atoms = atoms_of(rows, criterion, options);
    if (compared_cells(atoms, criterion).empty()) continue;
    solution = solve(tally, criterion, options);
    ++solved;
    SCOPED_TRACE("trial " + std::to_string(trial));
    ASSERT_EQ(solution.rule.parts().calibrator.has_value(), !pooled);
    if (!pooled) {
      atoms.from_labels = false;
      atoms.magnitude = 0;
      const Calibrator& calibrator = *solution.rule.parts().calibrator;
      for (CellCode cell = 0; cell < atoms.of.size(); ++cell) {
        const CalibrationCurve& curve =
            c.by == CalibrateBy::cell ? calibrator.each.at(cell) : calibrator.all;
        for (Atom& atom : atoms.of[cell]) {
          const double p = probability_by(curve, calibrator.reading, atom.x);
          atom.nh =
              atom.n * (p * options.costs.false_negative - (1 - p) * options.costs.false_positive);
          atoms.magnitude += std::abs(atom.nh);
        }
      }
    }
    const Applied applied = apply(rows, atoms, solution, 0);
    const double scale = atoms.magnitude;
    EXPECT_EQ(solution.status, Status::optimal);
    EXPECT_TRUE(applied.nondecreasing);
    EXPECT_LE(applied.violation, close);
    EXPECT_NEAR(solution.magnitude, scale, close * scale);
    EXPECT_NEAR(solution.primal, applied.objective, close * scale);
    EXPECT_NEAR(solution.dual, bound_from_multipliers(atoms, solution, 0), close * scale);
    if (c.gamma == 0) {
      EXPECT_NEAR(solution.primal, best_objective(atoms, criterion, 0), close * scale);
    }
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> out;
  for (const Calibration method :
       {Calibration::platt, Calibration::temperature, Calibration::isotonic}) {
    for (const CalibrateBy by : {CalibrateBy::cell, CalibrateBy::all}) {
      for (const double gamma : {0.0, 0.1}) {
        for (const bool tolerance : {false, true}) out.push_back({method, by, gamma, tolerance});
      }
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(AllMethods, CalibratedOracle, ::testing::ValuesIn(all_cases()), name_of);

// Margins of a black box: any numbers, more of them favourable the higher they are.
Rows margins(Random& random, int rows) {
  Rows out;
  out.scale = Scale::raw;
  for (int i = 0; i < rows; ++i) {
    const bool female = random.chance(0.5);
    const double margin = 40 * random.unit() - (female ? 25 : 15);
    out.score.push_back(margin);
    out.sex.emplace_back(female ? "F" : "M");
    out.race.emplace_back("-");
    out.label.push_back(random.chance(1 / (1 + std::exp(-margin / 6))) ? 1 : 0);
  }
  return out;
}

Criterion parity() {
  return statistical_parity({.sensitive = {"sex", "race"}});
}

TEST(CalibratedSolve, UnseenPeopleFollowTheCurveOfAllCells) {
  Random random(1);
  const Tally tally = margins(random, 500).tally();
  for (const Calibration method : {Calibration::platt, Calibration::isotonic}) {
    for (const CalibrateBy by : {CalibrateBy::cell, CalibrateBy::all}) {
      const Costs costs{1, 3};
      const Solution fit =
          solve(tally, parity(), {.costs = costs, .calibrate = method, .calibrate_by = by});
      const Calibrator all = calibrate(tally, method, {.by = CalibrateBy::all});
      const double from = fit.rule.parts().otherwise;
      EXPECT_GT(benefit(all.at(0, from), costs), 0);
      EXPECT_LE(benefit(all.at(0, std::nextafter(from, -infinity)), costs), 0);
      EXPECT_EQ(fit.rule.parts().calibrator->by(), by);
    }
  }
}

TEST(CalibratedSolve, CellsWithoutRowsFollowTheCurveOfAllCells) {
  Random random(2);
  const Rows rows = margins(random, 300);
  std::vector<CellCode> codes;
  for (const std::string& sex : rows.sex) codes.push_back(sex == "F" ? 0 : 1);
  const CellNames names({"sex"}, {{"F"}, {"M"}, {"X"}});
  const Tally tally =
      Tally::of(rows.score, names, codes, {.label = rows.label, .scale = Scale::raw});
  const Solution fit =
      solve(tally, statistical_parity({.sensitive = {"sex"}}), {.calibrate = Calibration::platt});
  const Response& alone = fit.rule.parts().responses[2];
  EXPECT_EQ(alone.points, (std::vector<Point>{{fit.rule.parts().otherwise, 1}}));
}

TEST(CalibratedSolve, SeveralConstraintsAreProvenOptimalToo) {
  Random random(3);
  const Tally tally = margins(random, 400).tally();
  Criterion criterion = parity();
  criterion.require = {"rate <= 0.3"};
  for (const double gamma : {0.0, 0.05}) {
    for (const Calibration method : {Calibration::platt, Calibration::isotonic}) {
      const Solution fit =
          solve(tally, criterion,
                {.gamma = gamma, .calibrate = method, .calibrate_by = CalibrateBy::all});
      EXPECT_EQ(fit.status, Status::optimal);
      EXPECT_LE(fit.violation, close);
    }
  }
}

TEST(CalibratedSolve, RampsAreExactOnTheFittedScores) {
  Random random(4);
  const Tally tally = margins(random, 200).tally();
  const double gamma = 0.3;
  const Solution fit = solve(tally, parity(), {.gamma = gamma, .calibrate = Calibration::platt});
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    const double price = fit.cells[c].multiplier / tally.total(c).n;
    for (const Entry& entry : tally.entries(c)) {
      const double h = benefit(fit.rule.parts().calibrator->at(c, entry.score), {});
      EXPECT_NEAR(fit.rule.probability(c, entry.score), std::clamp((h - price) / gamma, 0.0, 1.0),
                  1e-9);
    }
  }
}

TEST(CalibratedSolve, GivenCalibratorServesDataWithoutLabels) {
  Random random(5);
  const Rows rows = margins(random, 400);
  const Calibrator calibrator = calibrate(rows.tally(), Calibration::platt);
  const Solution fitted = solve(rows.tally(), parity(), {.calibrate = Calibration::platt});
  const Tally unlabelled = Tally::of(rows.score, rows.cells(), {.scale = Scale::raw});
  EXPECT_EQ(solve(unlabelled, parity(), {.calibrator = calibrator}).rule, fitted.rule);
}

TEST(CalibratedSolve, IdenticalToTheLogitScaleWhereThatIsTheTruth) {
  Random random(6);
  Rows rows = margins(random, 300);
  const Calibrator logit{{Scale::raw, Favorable::high}, PlattCurve{1, 0}};
  const Solution raw = solve(rows.tally(), parity(), {.calibrator = logit});
  rows.scale = Scale::logit;
  const Solution plain = solve(rows.tally(), parity());
  EXPECT_EQ(raw.rule.parts().responses, plain.rule.parts().responses);
  EXPECT_EQ(raw.rule.parts().otherwise, plain.rule.parts().otherwise);
  EXPECT_EQ(raw.primal, plain.primal);
}

TEST(CalibratedSolve, FrontierIsThatOfTheCalibratedBenefit) {
  Random random(7);
  const Tally tally = margins(random, 300).tally();
  const SolveOptions options{.calibrate = Calibration::platt};
  const std::vector<FrontierPoint> points =
      frontier(tally, parity(), std::vector{0.0, 0.1}, options).points;
  EXPECT_EQ(points[0].objective, solve(tally, parity(), options).primal);
  EXPECT_LE(points[0].objective, points[1].objective);
  for (const FrontierPoint& point : frontier_breakpoints(tally, parity(), 0, 0.2, options)) {
    Criterion there = parity();
    there.tolerance = point.parameter;
    EXPECT_EQ(point.objective, solve(tally, there, options).primal);
  }
}

TEST(CalibratedSolve, LabelCriteriaRefuseWhatWouldChangeNothing) {
  Random random(8);
  const Tally tally = margins(random, 200).tally();
  const ParityOptions groups{.sensitive = {"sex", "race"}};
  for (const Criterion& criterion : {equal_opportunity(groups), false_positive_parity(groups),
                                     equalized_odds(groups), requirements({"tpr >= 0.5"})}) {
    for (const Calibration method : {Calibration::platt, Calibration::temperature}) {
      expect_throw<std::invalid_argument>([&] { solve(tally, criterion, {.calibrate = method}); },
                                          "benefits come from each cell's pooled labels");
    }
    expect_throw<std::invalid_argument>(
        [&] { solve(tally, criterion, {.calibrator = calibrate(tally, Calibration::platt)}); },
        "pooled labels");
    expect_throw<std::invalid_argument>(
        [&] {
          solve(tally, criterion,
                {.calibrate = Calibration::isotonic, .calibrate_by = CalibrateBy::all});
        },
        "calibrate by cell");
  }
}

TEST(CalibratedSolve, RawScoresNeedACalibratorOrABaseThreshold) {
  Random random(9);
  Rows rows = margins(random, 200);
  const Tally tally = rows.tally();
  expect_throw<std::invalid_argument>([&] { solve(tally, parity()); },
                                      "raw scores say nothing of the outcome");
  const Criterion opportunity = equal_opportunity({.sensitive = {"sex", "race"}});
  expect_throw<std::invalid_argument>([&] { solve(tally, opportunity); },
                                      "calibrate them, or give a base threshold");
  const Solution by_threshold = solve(tally, opportunity, {.base_threshold = 0});
  const Solution pooled = solve(tally, opportunity, {.calibrate = Calibration::isotonic});
  rows.scale = Scale::logit;
  const Solution plain = solve(rows.tally(), opportunity);
  EXPECT_EQ(by_threshold.rule.parts().responses, plain.rule.parts().responses);
  EXPECT_EQ(pooled.rule.parts().responses, plain.rule.parts().responses);
  EXPECT_EQ(by_threshold.rule.parts().otherwise, 0);
  EXPECT_FALSE(by_threshold.rule.parts().calibrator);
  EXPECT_TRUE(pooled.rule.parts().calibrator);
}

TEST(CalibratedSolve, WithoutACurveTheRuleIsAsItAlwaysWas) {
  Random random(10);
  Rows rows = margins(random, 200);
  rows.scale = Scale::logit;
  for (const Calibration method : {Calibration::none, Calibration::isotonic}) {
    const Solution fit = solve(rows.tally(), parity(), {.calibrate = method});
    EXPECT_FALSE(fit.rule.parts().calibrator);
    EXPECT_EQ(fit.to_json().find("calibrator"), std::string::npos);
    EXPECT_EQ(fit.to_json().find("calibrate_by"), std::string::npos);
  }
}

TEST(CalibratedSolve, RejectsContradictions) {
  Random random(11);
  const Rows rows = margins(random, 200);
  const Tally tally = rows.tally();
  const Calibrator calibrator = calibrate(tally, Calibration::platt);
  expect_throw<std::invalid_argument>(
      [&] { solve(tally, parity(), {.calibrate = Calibration::platt, .calibrator = calibrator}); },
      "not both");
  Calibrator other = calibrator;
  other.reading.favorable = Favorable::low;
  expect_throw<std::invalid_argument>([&] { solve(tally, parity(), {.calibrator = other}); },
                                      "read scores differently");
  const std::vector<std::pair<CalibrationCurve, const char*>> bad_curves = {
      {PlattCurve{-1, 0}, "a slope that is not above 0"},
      {PlattCurve{1, infinity}, "an offset that is not finite"},
      {TemperatureCurve{1}, "the logits of raw scores"},
      {Response{}, "steps where isotonic ones are ramps"}};
  for (const auto& [curve, part] : bad_curves) {
    const Calibrator bad{tally.reading(), curve};
    expect_throw<std::invalid_argument>([&] { solve(tally, parity(), {.calibrator = bad}); }, part);
    expect_throw<std::invalid_argument>([&] { calibration_report(tally, bad); }, part);
    expect_throw<std::invalid_argument>([&] { audit(tally, parity().roles, {.calibrator = bad}); },
                                        part);
  }
  other = calibrator;
  other.each.pop_back();
  expect_throw<std::invalid_argument>([&] { solve(tally, parity(), {.calibrator = other}); },
                                      "2 cells but 1 curves");
  const Tally unlabelled = Tally::of(rows.score, rows.cells(), {.scale = Scale::raw});
  expect_throw<std::invalid_argument>(
      [&] { solve(unlabelled, parity(), {.calibrate = Calibration::platt}); },
      "platt calibration needs labels");
}

TEST(RawScale, IsReadBackFromBytesAndMergesWithItselfOnly) {
  Random random(12);
  Rows rows = margins(random, 50);
  const Tally raw = rows.tally();
  EXPECT_EQ(Tally::from_bytes(raw.to_bytes()), raw);
  EXPECT_EQ(Tally::from_bytes(raw.to_bytes()).reading().scale, Scale::raw);
  rows.scale = Scale::logit;
  EXPECT_THROW(raw.merge(rows.tally()), std::invalid_argument);
  const std::vector<double> bad = {1, infinity};
  const std::vector<std::string> group = {"A", "A"};
  expect_throw<std::invalid_argument>(
      [&] {
        Tally::of(bad, Cells::from({{"g", group}}), {.scale = Scale::raw});
      },
      "row 1: the score is infinite");
}

}  // namespace
}  // namespace evenhand::testing::calibrated_solve_test
