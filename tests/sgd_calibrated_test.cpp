// The stochastic solver on scores that are no probabilities until they are calibrated.
#include <evenhand/evenhand.h>

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::sgd_calibrated_test {
namespace {

// Margins of two groups, the second of which the model underrates; labels by the truth.
Margins sample(std::size_t rows) {
  return Margins::drawn(4711, rows, [](Random& random, std::size_t) {
    const bool first = random.chance(0.6);
    const double margin = 6 * random.unit() - (first ? 2.5 : 4);
    const double truth = 1 / (1 + std::exp(-(0.8 * margin + (first ? 0 : 1))));
    return Margins::Row{margin, truth, first ? "A" : "B"};
  });
}

Criterion parity() {
  return statistical_parity({.sensitive = {"group"}});
}

void expect_same_course(const SgdResult& a, const SgdResult& b) {
  ASSERT_EQ(a.multipliers.size(), b.multipliers.size());
  for (std::size_t i = 0; i < a.multipliers.size(); ++i) {
    EXPECT_EQ(a.multipliers[i].mean, b.multipliers[i].mean);
    EXPECT_EQ(a.multipliers[i].last, b.multipliers[i].last);
  }
}

TEST(SgdCalibrated, ComesNearTheExactOptimumOfTheSameCalibration) {
  const Margins people = sample(2000);
  struct Case {
    Calibration calibrate;
    CalibrateBy by;
    Scale scale;
  };
  for (const Case& each : {Case{Calibration::isotonic, CalibrateBy::cell, Scale::raw},
                           Case{Calibration::isotonic, CalibrateBy::cell, Scale::logit},
                           Case{Calibration::isotonic, CalibrateBy::all, Scale::raw},
                           Case{Calibration::platt, CalibrateBy::cell, Scale::raw},
                           Case{Calibration::platt, CalibrateBy::all, Scale::raw},
                           Case{Calibration::temperature, CalibrateBy::cell, Scale::logit}}) {
    SCOPED_TRACE(std::string(to_string(each.calibrate)) + " by " + std::string(to_string(each.by)));
    const Tally tally = people.tally(each.scale);
    const SgdResult sgd = solve_sgd(
        tally, parity(),
        {.gamma = 0.1, .calibrate = each.calibrate, .calibrate_by = each.by, .epochs = 50});
    const Solution exact = solve(
        tally, parity(), {.gamma = 0.1, .calibrate = each.calibrate, .calibrate_by = each.by});
    ASSERT_EQ(exact.status, Status::optimal);
    EXPECT_EQ(sgd.solution.status, Status::approximate);
    EXPECT_NEAR(sgd.solution.magnitude, exact.magnitude, 1e-9 * exact.magnitude);
    EXPECT_NEAR(sgd.solution.base, exact.base, 0.02 * exact.magnitude);
    const SgdDistance far = distance(sgd, exact, tally);
    EXPECT_GE(far.dual, -1e-9 * exact.magnitude);
    EXPECT_LT(far.dual, 1e-3 * exact.magnitude);
    EXPECT_LT(far.violation, 0.03);
    const std::optional<Calibrator>& kept = sgd.solution.rule.parts().calibrator;
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->method(), each.calibrate);
    EXPECT_EQ(Rule::from_json(sgd.to_json()), sgd.solution.rule);
    EXPECT_THROW(distance(sgd, solve(tally, parity(), {.gamma = 0.1, .calibrator = *kept}), tally),
                 std::invalid_argument);
    // A calibrator that was fitted before is the same thing.
    expect_same_course(
        sgd, solve_sgd(tally, parity(), {.gamma = 0.1, .calibrator = *kept, .epochs = 50}));
  }
}

// Calibrating first and giving probabilities, or giving margins and the calibrator: the same rows,
// the same steps.
TEST(SgdCalibrated, TakesTheStepsThatTheProbabilitiesTake) {
  const Margins people = sample(800);
  const Tally margins = people.tally();
  const Calibrator calibrator = calibrate(margins, Calibration::platt);
  const Cells cells = people.cells();
  std::vector<double> p;
  for (std::size_t i = 0; i < people.score.size(); ++i) {
    p.push_back(calibrator.probability(cells.codes[i], people.score[i]));
  }
  const Tally probabilities = Tally::of(p, cells);
  const SgdResult by_margin =
      solve_sgd(margins, parity(), {.gamma = 0.05, .calibrator = calibrator, .seed = 3});
  const SgdResult by_p = solve_sgd(probabilities, parity(), {.gamma = 0.05, .seed = 3});
  expect_same_course(by_margin, by_p);
  EXPECT_NEAR(by_margin.solution.primal, by_p.solution.primal, 1e-9);
  EXPECT_NEAR(by_margin.solution.dual, by_p.solution.dual, 1e-9);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(by_margin.solution.rule.probability(cells.codes[i], people.score[i]),
                by_p.solution.rule.probability(cells.codes[i], p[i]), 1e-9);
  }

  SgdStream margin_stream(
      cells.names, parity(),
      {.reading = {Scale::raw, Favorable::high}, .sgd = {.gamma = 0.05, .calibrator = calibrator}});
  SgdStream p_stream(cells.names, parity(), {.sgd = {.gamma = 0.05}});
  margin_stream.add(cells.codes, people.score);
  p_stream.add(cells.codes, p);
  expect_same_course(margin_stream.finish(margins), p_stream.finish(probabilities));
  expect_throw<std::invalid_argument>([&] { margin_stream.rule(); }, "finish with a tally");
}

TEST(SgdCalibrated, RefusesWhatSaysNothingOfTheOutcome) {
  const Margins people = sample(100);
  const Tally tally = people.tally();
  const auto refuse = [&](const Tally& data, const SgdOptions& options, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { solve_sgd(data, parity(), options); }, part);
  };
  refuse(tally, {}, "raw scores say nothing of the outcome");
  const Tally unlabelled = people.unlabelled();
  refuse(unlabelled, {.calibrate = Calibration::platt}, "platt calibration needs labels");
  const Calibrator logit{{Scale::logit, Favorable::high}, TemperatureCurve{2}};
  refuse(tally, {.calibrator = logit}, "");
  refuse(tally, {.calibrate = Calibration::platt, .calibrator = logit}, "not both");
  const auto refuse_stream = [&](const SgdStreamOptions& options, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { SgdStream(people.cells().names, parity(), options); },
                                        part);
  };
  refuse_stream({.reading = {Scale::raw, Favorable::high}},
                "raw scores say nothing of the outcome");
  refuse_stream({.sgd = {.calibrate = Calibration::isotonic}}, "a stream has no labels");
}

}  // namespace
}  // namespace evenhand::testing::sgd_calibrated_test
