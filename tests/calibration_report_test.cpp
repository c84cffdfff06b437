// How well probabilities are calibrated, by hand; and in audits.
#include <evenhand/evenhand.h>

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::calibration_report_test {
namespace {

// Group A: ten people with p = 0.25, four of them favourable; ten with p = 0.75, seven favourable.
// Group B: twenty with p = 0.7, all favourable.
Tally example(Favorable favorable = Favorable::high) {
  const std::vector<std::string> group = {"A", "A", "B"};
  std::vector<double> p = {0.25, 0.75, 0.7};
  const std::vector<int> people = {10, 10, 20};
  std::vector<int> positive = {4, 7, 20};
  if (favorable == Favorable::low) {  // the same, told as risks
    p = {0.75, 0.25, 0.3};
    positive = {6, 3, 0};
  }
  return Tally::counted(p, people, Cells::from({{"group", group}}),
                        {.positives = positive, .favorable = favorable});
}

TEST(CalibrationReport, ByHand) {
  for (const Favorable favorable : {Favorable::high, Favorable::low}) {
    const CalibrationReport report = calibration_report(example(favorable), 2);
    // A: (10 |0.25 - 0.4| + 10 |0.75 - 0.7|) / 20 = (1.5 + 0.5) / 20 = 0.1
    EXPECT_NEAR(report.cells[0].ece.value(), 0.1, 1e-12);
    // A: (4 * 0.75^2 + 6 * 0.25^2 + 7 * 0.25^2 + 3 * 0.75^2) / 20 = (7 * 0.5625 + 13 * 0.0625) / 20
    EXPECT_NEAR(report.cells[0].brier.value(), 4.75 / 20, 1e-12);
    EXPECT_NEAR(
        report.cells[0].log_loss.value(),
        -(4 * std::log(0.25) + 6 * std::log(0.75) + 7 * std::log(0.75) + 3 * std::log(0.25)) / 20,
        1e-12);
    EXPECT_NEAR(report.cells[1].ece.value(), 0.3, 1e-12);
    // All: the upper bin has 10 of A and 20 of B: mean p 21.5 / 30, 27 of 30 favourable.
    // (10 * 0.15 + |21.5 - 27|) / 40 = 7 / 40
    EXPECT_NEAR(report.overall.ece.value(), 7.0 / 40, 1e-12);
    EXPECT_EQ(report.overall.weight, 40);
    ASSERT_EQ(report.overall.bins.size(), 2);
    const ReliabilityBin& upper = report.overall.bins[1];
    EXPECT_EQ(upper.from, 0.5);
    EXPECT_EQ(upper.to, 1);
    EXPECT_EQ(upper.weight, 30);
    EXPECT_NEAR(upper.mean_p, 21.5 / 30, 1e-12);
    EXPECT_NEAR(upper.observed, 0.9, 1e-12);
  }
}

TEST(CalibrationReport, EndsOfTheScaleHaveBinsAndFiniteLosses) {
  const std::vector<std::string> group = {"A", "A"};
  const std::vector<double> p = {0, 1};
  const std::vector<int> label = {1, 1};
  const CalibrationReport report =
      calibration_report(Tally::of(p, Cells::from({{"group", group}}), {.label = label}));
  ASSERT_EQ(report.overall.bins.size(), 2);
  EXPECT_EQ(report.overall.bins[0].from, 0);
  EXPECT_EQ(report.overall.bins[1].to, 1);
  EXPECT_NEAR(report.overall.log_loss.value(), 52 * std::log(2) / 2, 1e-12);
  EXPECT_EQ(report.overall.brier, 0.5);
}

TEST(CalibrationReport, AnEdgeBelongsToTheBinAboveIt) {
  for (const std::size_t bins : {3, 7, 10, 49, 100, 1000}) {
    for (std::size_t k = 0; k < bins; ++k) {
      const double edge = static_cast<double>(k) / static_cast<double>(bins);
      const std::vector<double> p = {edge};
      const std::vector<std::string> group = {"A"};
      const std::vector<int> label = {1};
      const CalibrationReport report =
          calibration_report(Tally::of(p, Cells::from({{"group", group}}), {.label = label}), bins);
      ASSERT_EQ(report.overall.bins.size(), 1);
      EXPECT_EQ(report.overall.bins[0].from, edge) << k << " of " << bins;
    }
  }
}

TEST(CalibrationReport, PooledLabelsArePerfectlyCalibratedOnTheirOwnSample) {
  const Tally tally = example();
  const CalibrationReport after =
      calibration_report(tally, calibrate(tally, Calibration::isotonic));
  for (const CalibrationFigures& cell : after.cells) EXPECT_NEAR(cell.ece.value(), 0, 1e-12);
  EXPECT_LT(after.overall.brier.value(), calibration_report(tally).overall.brier.value());
}

// A model that says 3 z where the log odds are z is too sure of itself; the right temperature is 3.
TEST(CalibrationReport, ImprovesWithTheRightCurve) {
  Random random(1);
  std::vector<double> score;
  std::vector<int> label;
  for (int i = 0; i < 20'000; ++i) {
    const double z = 4 * random.unit() - 2;
    score.push_back(3 * z);
    label.push_back(random.chance(1 / (1 + std::exp(-z))) ? 1 : 0);
  }
  const std::vector<std::string> group(score.size(), "A");
  const Tally tally =
      Tally::of(score, Cells::from({{"group", group}}), {.label = label, .scale = Scale::logit});
  const CalibrationFigures before = calibration_report(tally).overall;
  EXPECT_GT(before.ece.value(), 0.1);
  for (const Calibration method :
       {Calibration::platt, Calibration::temperature, Calibration::isotonic}) {
    const CalibrationFigures after = calibration_report(tally, calibrate(tally, method)).overall;
    EXPECT_LT(after.ece.value(), 0.02);
    EXPECT_LT(after.brier.value(), before.brier.value());
    EXPECT_LT(after.log_loss.value(), before.log_loss.value());
  }
}

TEST(CalibrationReport, CellsWithoutRowsHaveNoFigures) {
  const CellNames names({"g"}, {{"A"}, {"B"}});
  const std::vector<double> p = {0.5};
  const std::vector<int> label = {1};
  const std::vector<CellCode> codes = {0};
  const CalibrationReport report = calibration_report(Tally::of(p, names, codes, {.label = label}));
  EXPECT_EQ(report.cells[1].weight, 0);
  EXPECT_FALSE(report.cells[1].ece || report.cells[1].brier || report.cells[1].log_loss);
  EXPECT_TRUE(report.cells[1].bins.empty());
}

TEST(CalibrationReport, RejectsBadInput) {
  const Tally tally = example();
  expect_throw<std::invalid_argument>([&] { calibration_report(tally, 0); }, "from 1 to 10,000");
  expect_throw<std::invalid_argument>([&] { calibration_report(tally, 10'001); },
                                      "from 1 to 10,000");
  const Calibrator other{{Scale::signed_, Favorable::high}, PlattCurve{}};
  expect_throw<std::invalid_argument>([&] { calibration_report(tally, other); },
                                      "read scores differently");
  const std::vector<double> score = {1, 2};
  const std::vector<int> label = {0, 1};
  const std::vector<std::string> group = {"A", "B"};
  const Cells cells = Cells::from({{"group", group}});
  expect_throw<std::invalid_argument>(
      [&] { calibration_report(Tally::of(score, cells, {.label = label, .scale = Scale::raw})); },
      "raw scores are no probabilities");
  expect_throw<std::invalid_argument>(
      [&] { calibration_report(Tally::of(score, cells, {.scale = Scale::logit})); },
      "measured against labels");
}

TEST(CalibrationAudit, MeasuresBeforeAndAfterOnRequest) {
  const Tally tally = example();
  const Criterion fair = statistical_parity({.sensitive = {"group"}});
  EXPECT_FALSE(audit(tally, fair.roles).calibration);
  const AuditOptions ask{.calibration_bins = 2};
  const Audit before = audit(tally, fair.roles, ask);
  EXPECT_EQ(before.calibration->overall.ece, calibration_report(tally, 2).overall.ece);
  const Rule rule =
      solve(tally, fair, {.calibrate = Calibration::isotonic, .calibrate_by = CalibrateBy::all})
          .rule;
  const Audit after = audit(tally, fair.roles, rule, ask);
  EXPECT_EQ(after.calibration->overall.ece,
            calibration_report(tally, *rule.parts().calibrator, 2).overall.ece);
}

TEST(CalibrationAudit, RawScoresHaveExpectedFiguresOnlyByACalibrator) {
  const std::vector<double> score = {-3, 1, 2, 5};
  const std::vector<std::string> group = {"A", "A", "B", "B"};
  const Tally tally = Tally::of(score, Cells::from({{"group", group}}), {.scale = Scale::raw});
  const Roles roles{.sensitive = {"group"}};
  expect_throw<std::invalid_argument>([&] { audit(tally, roles); }, "give a base threshold");
  const Audit plain = audit(tally, roles, {.base_threshold = 1.5});
  EXPECT_EQ(plain.overall.figures.selection_rate, 0.5);
  EXPECT_FALSE(plain.overall.figures.accuracy || plain.overall.figures.cost || plain.expected);
  const Calibrator calibrator{{Scale::raw, Favorable::high}, PlattCurve{1, 0}};
  const Audit read = audit(tally, roles, {.calibrator = calibrator});
  EXPECT_TRUE(read.expected);
  EXPECT_EQ(read.overall.figures.selection_rate, 0.75);
  double right = 0;  // what each decision is expected to get right: p of the likelier outcome
  for (const double x : score) right += 1 / (1 + std::exp(-std::abs(x)));
  EXPECT_NEAR(read.overall.figures.accuracy.value(), right / 4, 1e-12);
}

}  // namespace
}  // namespace evenhand::testing::calibration_report_test
