// Calibrators: fitted as scikit-learn does, to the optimum, nondecreasing, the same bits in any
// order; and clear about what cannot be fitted.
#include <evenhand/calibrate.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/isotonic.h"
#include "support/problems.h"
#include "support/tables.h"
#include "support/throws.h"
#include "support/trials.h"

namespace evenhand::testing::calibrate_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Sample {
  std::vector<double> score;
  std::vector<double> label;
  std::vector<double> weight = {};
};

Tally tally_of(const Sample& sample, Scale scale = Scale::raw,
               Favorable favorable = Favorable::high) {
  const std::vector<std::string> group(sample.score.size(), "A");
  TallyOptions options{.label = sample.label, .scale = scale, .favorable = favorable};
  if (!sample.weight.empty()) options.weight = sample.weight;
  return Tally::of(sample.score, Cells::from({{"group", group}}), options);
}

Calibrator for_all(const Tally& tally, Calibration method) {
  return calibrate(tally, method, {.by = CalibrateBy::all});
}

PlattCurve platt_of(const Tally& tally) {
  return std::get<PlattCurve>(for_all(tally, Calibration::platt).all);
}

double temperature_of(const Tally& tally) {
  return std::get<TemperatureCurve>(for_all(tally, Calibration::temperature).all).temperature;
}

// Labels whose log odds are `slope` times the score.
Sample random_sample(Random& random, int rows, double slope) {
  Sample out;
  for (int i = 0; i < rows; ++i) {
    out.score.push_back(6 * random.unit() - 3);
    out.label.push_back(random.chance(1 / (1 + std::exp(-slope * out.score.back()))) ? 1 : 0);
  }
  return out;
}

std::string name_of(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class ScikitLearn : public ::testing::TestWithParam<const char*> {};

TEST_P(ScikitLearn, AgreesTo1e6AtFittedAndAtUnseenScores) {
  const std::string name = GetParam();
  const CalibrationTable table =
      read_calibration_table(std::string(EVENHAND_CALIBRATION) + "/" + name + ".tsv");
  ASSERT_GT(table.score.size(), 20);
  const Calibration method = name.starts_with("platt") ? Calibration::platt : Calibration::isotonic;
  const Calibrator calibrator = for_all(tally_of({table.score, table.label, table.weight}), method);
  for (std::size_t i = 0; i < table.score.size(); ++i) {
    EXPECT_NEAR(calibrator.probability(0, table.score[i]), table.p[i], 1e-6) << table.score[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, ScikitLearn,
                         ::testing::Values("platt-margins", "platt-rare", "platt-weighted",
                                           "platt-tiny-unit", "platt-large-unit", "platt-few",
                                           "isotonic-distinct", "isotonic-ties",
                                           "isotonic-weighted"),
                         name_of);

// The gradient of Platt's likelihood with smoothed targets, relative to its terms without signs.
long double relative_gradient(const Tally& tally, const PlattCurve& curve) {
  const CellTotal total = tally.total();
  const long double target1 = (total.n1 + 1) / (total.n1 + 2);
  const long double target0 = 1 / (total.n - total.n1 + 2);
  const std::vector<Entry> entries = tally.entries(0);
  long double sum = 0, sum_x = 0, size = 0, size_x = 0, mean = 0;
  for (const Entry& entry : entries) mean += entry.n / total.n * entry.score;
  for (const Entry& entry : entries) {
    const long double f = curve.slope * static_cast<long double>(entry.score) + curve.offset;
    const long double target = entry.n1 * target1 + (entry.n - entry.n1) * target0;
    const long double error = entry.n / (1 + std::exp(-f)) - target;
    sum += error;
    sum_x += error * (entry.score - mean);
    size += std::abs(error);
    size_x += std::abs(error * (entry.score - mean));
  }
  return std::max(std::abs(sum) / size, std::abs(sum_x) / size_x);
}

TEST(Platt, GradientVanishesHoweverScoresAreScaledAndLabelsMixed) {
  Random random(1);
  for (const double slope : {0.1, 1.0, 4.0, 100.0}) {
    for (const double unit : {1e-200, 1e-6, 1.0, 1e5, 1e200}) {
      for (const int rows : {20, 300, 3000}) {
        Sample sample = random_sample(random, rows, slope);
        sample.label[0] = sample.score[0] > 0 ? 1 : 0;
        for (double& score : sample.score) score *= unit;
        const Tally tally = tally_of(sample);
        if (tally.total().n1 == 0 || tally.total().n1 == tally.total().n) continue;
        PlattCurve curve;
        try {
          curve = platt_of(tally);
        } catch (const std::invalid_argument&) {
          EXPECT_EQ(slope, 0.1) << "noise alone may fall";
          continue;
        }
        EXPECT_LT(relative_gradient(tally, curve), 1e-10) << slope << " " << unit << " " << rows;
      }
    }
  }
}

TEST(Platt, SmoothedTargetsKeepSeparatedLabelsFinite) {
  // Ten at -1, all unfavourable; ten at 1, all favourable. Two unknowns, two values: the sigmoid
  // takes the targets themselves, 1/12 and 11/12, so slope = ln 11 and offset = 0.
  Sample sample;
  for (int i = 0; i < 20; ++i) {
    sample.score.push_back(i < 10 ? -1 : 1);
    sample.label.push_back(i < 10 ? 0 : 1);
  }
  const PlattCurve curve = platt_of(tally_of(sample));
  EXPECT_NEAR(curve.slope, std::log(11), 1e-10);
  EXPECT_NEAR(curve.offset, 0, 1e-10);
}

TEST(Platt, OneFavourableOutcomeAmongManyIsEnough) {
  Sample sample;
  for (int i = 0; i < 100'000; ++i) {
    sample.score.push_back(i);
    sample.label.push_back(i == 90'000 ? 1 : 0);
  }
  const Tally tally = tally_of(sample);
  EXPECT_LT(relative_gradient(tally, platt_of(tally)), 1e-10);
}

TEST(Platt, WeightsCountAsRepeatedRows) {
  Random random(2);
  Sample weighted = random_sample(random, 100, 1);
  Sample repeated;
  for (std::size_t i = 0; i < weighted.score.size(); ++i) {
    weighted.weight.push_back(random.below(4));
    for (int k = 0; k < weighted.weight[i]; ++k) {
      repeated.score.push_back(weighted.score[i]);
      repeated.label.push_back(weighted.label[i]);
    }
  }
  for (const Calibration method : {Calibration::platt, Calibration::isotonic}) {
    EXPECT_EQ(for_all(tally_of(weighted), method), for_all(tally_of(repeated), method));
  }
}

// Negative log-likelihood of labels under a temperature, from the definition.
double loss_at(const Tally& tally, double temperature) {
  double sum = 0;
  for (const Entry& entry : tally.entries(0)) {
    const double p = tally.reading().probability(entry.score);
    const double z = std::clamp(std::log(p / (1 - p)), -53 * std::log(2), 53 * std::log(2));
    // -ln of the probability of the favourable outcome; that of the other is u larger.
    const double u = z / temperature;
    const double loss = std::max(-u, 0.0) + std::log1p(std::exp(-std::abs(u)));
    sum += entry.n1 * loss + (entry.n - entry.n1) * (loss + u);
  }
  return sum;
}

// Ever finer grids around the best of the last.
double search_temperature(const Tally& tally) {
  double low = 1e-2;
  double high = 1e2;
  while (high / low > 1 + 1e-9) {
    constexpr int steps = 50;
    const double factor = std::pow(high / low, 1.0 / steps);
    int best = 0;
    for (int i = 1; i <= steps; ++i) {
      if (loss_at(tally, low * std::pow(factor, i)) < loss_at(tally, low * std::pow(factor, best)))
        best = i;
    }
    const double middle = low * std::pow(factor, best);
    low = middle / factor;
    high = middle * factor;
  }
  return std::sqrt(low * high);
}

TEST(Temperature, IsTheBestOfASearchOnEveryScale) {
  Random random(3);
  for (const Scale scale : {Scale::probability, Scale::signed_, Scale::logit}) {
    for (const Favorable favorable : {Favorable::high, Favorable::low}) {
      for (const double truth : {0.3, 1.0, 4.0}) {
        Sample sample;
        for (int i = 0; i < 500; ++i) {
          const double z = 8 * random.unit() - 4;
          const double p = 1 / (1 + std::exp(-z));
          sample.score.push_back(scale == Scale::logit     ? z
                                 : scale == Scale::signed_ ? 2 * p - 1
                                                           : p);
          sample.label.push_back(random.chance(1 / (1 + std::exp(-z / truth))) ? 1 : 0);
        }
        if (scale != Scale::logit) sample.score[0] = scale == Scale::signed_ ? -1 : 0;
        const Tally tally = tally_of(sample, scale, favorable);
        const double found = temperature_of(tally);
        const double searched = search_temperature(tally);
        EXPECT_LE(loss_at(tally, found), loss_at(tally, searched) * (1 + 1e-14));
        // The search sees only the loss, which is flat to rounding around the best.
        EXPECT_NEAR(found / searched, 1, 1e-6);
      }
    }
  }
}

TEST(Temperature, ProbabilitiesOfZeroAndOneHaveFiniteLogits) {
  const Calibrator calibrator{{Scale::probability, Favorable::high}, TemperatureCurve{2}};
  const double limit = 53 * std::log(2) / 2;
  EXPECT_NEAR(calibrator.probability(0, 1), 1 / (1 + std::exp(-limit)), 1e-15);
  EXPECT_NEAR(calibrator.probability(0, 0) / (1 / (1 + std::exp(limit))), 1, 1e-12);
  EXPECT_EQ(calibrator.probability(0, 0.5), 0.5);
  // sigmoid(logit(0.8) / 2) = sqrt(0.8) / (sqrt(0.8) + sqrt(0.2)) = 2 / 3
  EXPECT_NEAR(calibrator.probability(0, 0.8), 2.0 / 3, 1e-15);
}

TEST(Isotonic, IsTheTextbooksInEveryCellAndOverAll) {
  Random random(4);
  for (int trial = 0; trial < trials(100); ++trial) {
    const Rows rows = random_rows(random, {.groups = 3, .strata = 2, .few_scores = trial % 2 == 0});
    const Tally tally = rows.tally();
    const auto compare = [](const std::vector<Entry>& entries, const Calibrator& calibrator,
                            CellCode cell) {
      std::vector<double> share;
      std::vector<double> weight;
      for (const Entry& entry : entries) {
        share.push_back(entry.n1 / entry.n);
        weight.push_back(entry.n);
      }
      const std::vector<double> pooled = isotonic(share, weight);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        EXPECT_NEAR(calibrator.at(cell, entries[i].score), pooled[i], 1e-12);
      }
    };
    const Calibrator by_cell = calibrate(tally, Calibration::isotonic);
    for (CellCode c = 0; c < tally.cells().size(); ++c) compare(tally.entries(c), by_cell, c);
    const Tally together =
        tally_of({rows.score, {rows.label.begin(), rows.label.end()}}, rows.scale, rows.favorable);
    compare(together.entries(0), by_cell, unseen_cell);
    EXPECT_EQ(by_cell.all, for_all(together, Calibration::isotonic).all);
  }
}

TEST(Calibrate, ByCellIsEachCellAloneBesideAllTogether) {
  Random random(5);
  const Sample first = random_sample(random, 200, 1);
  const Sample second = random_sample(random, 300, 2);
  Sample both = first;
  both.score.insert(both.score.end(), second.score.begin(), second.score.end());
  both.label.insert(both.label.end(), second.label.begin(), second.label.end());
  std::vector<std::string> group(200, "A");
  group.insert(group.end(), 300, "B");
  const Tally tally = Tally::of(both.score, Cells::from({{"group", group}}),
                                {.label = both.label, .scale = Scale::logit});
  for (const Calibration method :
       {Calibration::platt, Calibration::temperature, Calibration::isotonic}) {
    const Calibrator calibrator = calibrate(tally, method);
    EXPECT_EQ(calibrator.method(), method);
    EXPECT_EQ(calibrator.by(), CalibrateBy::cell);
    EXPECT_EQ(calibrator.each[0], for_all(tally_of(first, Scale::logit), method).all);
    EXPECT_EQ(calibrator.each[1], for_all(tally_of(second, Scale::logit), method).all);
    EXPECT_EQ(calibrator.all, for_all(tally_of(both, Scale::logit), method).all);
    EXPECT_EQ(for_all(tally, method).by(), CalibrateBy::all);
  }
}

TEST(Calibrate, CellsAreMatchedByNameAndStrangersHaveTheCurveOfAll) {
  const CellNames fitted({"sex"}, {{"F"}, {"M"}});
  const Calibrator calibrator{{Scale::raw, Favorable::high},
                              PlattCurve{1, 0},
                              fitted,
                              {PlattCurve{2, 0}, PlattCurve{3, 0}}};
  const Calibrator moved = calibrator.for_cells(CellNames({"sex"}, {{"M"}, {"X"}}));
  EXPECT_EQ(moved.each, (std::vector<CalibrationCurve>{PlattCurve{3, 0}, PlattCurve{1, 0}}));
  EXPECT_EQ(moved.probability(7, 0.5), moved.probability(unseen_cell, 0.5));
}

TEST(Calibrate, LowScoresThatAreGoodAreTheirNegativesWithTurnedLabels) {
  Random random(6);
  const Sample sample = random_sample(random, 300, 1.5);
  Sample turned = sample;
  for (double& score : turned.score) score = -score;
  for (double& label : turned.label) label = 1 - label;
  for (const Calibration method :
       {Calibration::platt, Calibration::temperature, Calibration::isotonic}) {
    const Calibrator high = for_all(tally_of(sample, Scale::logit), method);
    const Calibrator low = for_all(tally_of(turned, Scale::logit, Favorable::low), method);
    EXPECT_EQ(high.all, low.all);
    EXPECT_EQ(high.probability(0, 1.25), low.probability(0, -1.25));
  }
}

TEST(Calibrate, SameBitsInAnyOrderAndOnAnyNumberOfThreads) {
  Random random(7);
  const Sample sample = random_sample(random, 100'000, 1);
  Sample backwards = sample;
  std::reverse(backwards.score.begin(), backwards.score.end());
  std::reverse(backwards.label.begin(), backwards.label.end());
  for (const Calibration method :
       {Calibration::platt, Calibration::temperature, Calibration::isotonic}) {
    const Calibrator one = calibrate(tally_of(sample, Scale::logit), method, {.threads = 1});
    EXPECT_EQ(one, calibrate(tally_of(backwards, Scale::logit), method, {.threads = 3}));
  }
}

TEST(Calibrate, ProbabilitiesNeverFallAndFirstAboveIsTheirSmallestScore) {
  Random random(8);
  const Tally tally = tally_of(random_sample(random, 200, 1), Scale::logit);
  for (const Calibration method :
       {Calibration::platt, Calibration::temperature, Calibration::isotonic}) {
    const Calibrator calibrator = for_all(tally, method);
    double last = 0;
    for (const double x : {-1e308, -1e9, -40.0, -3.0, -1.0, -1e-300, 0.0, 0.1, 3.0, 40.0, 1e308}) {
      const double p = calibrator.at(0, x);
      EXPECT_GE(p, last);
      EXPECT_LE(p, 1);
      last = p;
    }
    const double from = first_above(calibrator, 0, {1, 1}, 0);
    EXPECT_GT(calibrator.at(0, from), 0.5);
    EXPECT_LE(calibrator.at(0, std::nextafter(from, -infinity)), 0.5);
  }
}

TEST(Calibrate, SaysWhatCannotBeFitted) {
  const auto reject = [](const Sample& sample, Scale scale, Calibration method,
                         const std::string& part) {
    const Tally tally = tally_of(sample, scale);
    expect_throw<std::invalid_argument>([&] { for_all(tally, method); }, part);
    // By cell the cell is fitted after all together, which is the same here.
    expect_throw<std::invalid_argument>([&] { calibrate(tally, method); }, part);
  };
  const Sample mixed{{0.2, 0.4, 0.6, 0.8}, {0, 1, 0, 1}};
  const Sample good{{0.2, 0.8}, {1, 1}};
  const Sample bad{{0.2, 0.8}, {0, 0}};
  const Sample constant{{0.3, 0.3}, {0, 1}};
  const Sample falling{{0.2, 0.3, 0.7, 0.8}, {1, 1, 0, 0}};
  const Sample separated{{0.2, 0.8}, {0, 1}};
  const Sample undecided{{0.5, 0.5}, {0, 1}};
  const Scale p = Scale::probability;
  for (const Calibration method : {Calibration::platt, Calibration::temperature}) {
    reject(good, p, method, "every outcome is favourable");
    reject(bad, p, method, "every outcome is unfavourable");
    reject(falling, p, method, "check which scores are favourable, high or low");
  }
  reject(constant, p, Calibration::platt, "every score is the same");
  reject(undecided, p, Calibration::temperature, "every score says p = 1/2");
  reject(separated, p, Calibration::temperature, "temperature would be 0");
  reject(mixed, Scale::raw, Calibration::temperature, "raw scores have no logit");
  reject(mixed, p, Calibration::none, "choose platt, temperature or isotonic");
  const Sample touching{{0, 5e-324}, {0, 1}};
  reject(touching, Scale::raw, Calibration::platt, "too near each other");

  for (const Sample& sample : {mixed, good, bad, constant, falling, separated}) {
    EXPECT_NO_THROW(for_all(tally_of(sample), Calibration::isotonic));
  }
  const std::vector<std::string> group(4, "A");
  expect_throw<std::invalid_argument>(
      [&] {
        calibrate(Tally::of(mixed.score, Cells::from({{"g", group}})), Calibration::platt);
      },
      "platt calibration needs labels");
}

TEST(Calibrate, NamesTheCellThatCannotBeFitted) {
  const std::vector<double> score = {0.2, 0.4, 0.6, 0.8, 0.5};
  const std::vector<int> label = {0, 1, 0, 1, 1};
  const std::vector<std::string> group = {"A", "A", "A", "A", "B"};
  const Tally tally = Tally::of(score, Cells::from({{"group", group}}), {.label = label});
  expect_throw<std::invalid_argument>([&] { calibrate(tally, Calibration::platt); },
                                      "cell group=B: every outcome is favourable");
  expect_throw<std::invalid_argument>([&] { calibrate(tally, Calibration::platt); },
                                      "or calibrate all cells together");
  EXPECT_NO_THROW(for_all(tally, Calibration::platt));
}

}  // namespace
}  // namespace evenhand::testing::calibrate_test
