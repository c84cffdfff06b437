// Margins without a scale: what streams them, pools them and compares tolerances takes them too.
#include <evenhand/cell_rows.h>
#include <evenhand/frontier.h>
#include <evenhand/pool_rare.h>

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::raw_test {
namespace {

// Labels that are likelier at higher margins, in two groups whose margins differ.
Margins margins(std::size_t rows) {
  return Margins::drawn(9100, rows, [](Random& random, std::size_t i) {
    const double p = random.unit();
    const bool first = i % 3 == 0;
    return Margins::Row{40 * p - (first ? 30 : 10), p, first ? "a" : "b"};
  });
}

TEST(RawScores, StreamIntoTheTallyOfAllRowsAtOnce) {
  constexpr double largest = std::numeric_limits<double>::max();
  const std::array<double, 7> scores = {-largest, -3.5, -0.0, 0.0, 1e-300, 7.25, largest};
  for (const Favorable favorable : {Favorable::high, Favorable::low}) {
    for (const Resolution& resolution :
         {Resolution::exact(), Resolution::bits(3), Resolution::at_most(3)}) {
      const CellRowsOptions options{
          .reading = {Scale::raw, favorable}, .resolution = resolution, .labelled = true};
      std::vector<CellRows> cells = {CellRows(options)};
      std::vector<std::uint8_t> labels;
      for (const double score : scores) {
        labels.push_back(score > 0 ? 1 : 0);
        cells[0].add(score, score > 0);
      }
      const CellNames names({"group"}, {{"a"}});
      const std::vector<CellCode> codes(scores.size(), 0);
      EXPECT_EQ(tally_of(names, cells, options), Tally::of(scores, names, codes,
                                                           {.label = labels,
                                                            .scale = Scale::raw,
                                                            .favorable = favorable,
                                                            .resolution = resolution}));
    }
  }
}

TEST(RawScores, PoolLikeOthers) {
  const Tally tally = margins(600).tally();
  const PooledTally pooled = pool_rare(tally, 20);
  EXPECT_EQ(pooled.tally.reading().scale, Scale::raw);
  EXPECT_LT(pooled.entries_after, pooled.entries_before);
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    EXPECT_EQ(pooled.tally.total(c).n, tally.total(c).n);
    EXPECT_EQ(pooled.tally.total(c).n1, tally.total(c).n1);
    for (const Entry& entry : pooled.tally.entries(c)) EXPECT_GE(entry.n, 20);
  }
}

TEST(PoolRare, TakesAWholeNumberOfRows) {
  const Tally tally = margins(600).tally();
  for (const double count : {-1.0, 2.5, std::nan("")}) {
    expect_throw<std::invalid_argument>([&] { pool_rare(tally, count); }, "the smallest count");
  }
}

// The points of a frontier say how accurate their rules are: by labels, or by the calibrator.
TEST(RawScores, HaveAFrontierByTheCalibrator) {
  const Margins rows = margins(900);
  const Tally labelled = rows.tally();
  const Tally plain = rows.unlabelled();
  const Criterion parity = statistical_parity({.sensitive = {"group"}});
  const std::array<double, 3> tolerances = {0, 0.1, 1};
  const auto by_labels =
      frontier(labelled, parity, tolerances, {.calibrate = Calibration::platt}).points;
  const Calibrator calibrator = calibrate(labelled, Calibration::platt);
  const auto by_curve = frontier(plain, parity, tolerances, {.calibrator = calibrator}).points;
  for (std::size_t i = 0; i < tolerances.size(); ++i) {
    EXPECT_DOUBLE_EQ(by_curve[i].objective, by_labels[i].objective);
    EXPECT_EQ(by_curve[i].figures.selection_rate, by_labels[i].figures.selection_rate);
    ASSERT_TRUE(by_curve[i].figures.accuracy && by_labels[i].figures.accuracy);
    EXPECT_NE(*by_curve[i].figures.accuracy, *by_labels[i].figures.accuracy);
    // What the curve expects is what the objective counts: the benefit of every right decision.
    const Figures& here = by_curve[i].figures;
    const Figures& free = by_curve.back().figures;
    EXPECT_NEAR(here.weight * (*free.accuracy - *here.accuracy),
                by_curve.back().objective - by_curve[i].objective, 1e-9);
  }
}

TEST(RawScores, HaveRatesAndTheirIntervalsEvenWithoutOutcomes) {
  const Margins rows = margins(300);
  const Tally plain = rows.unlabelled();
  const Audit audited = audit(plain, {.sensitive = {"group"}}, {.base_threshold = 0});
  EXPECT_FALSE(audited.expected);
  for (const AuditedGroup& group : audited.overall.groups) {
    ASSERT_TRUE(group.figures.selection_interval);
    EXPECT_LT(group.figures.selection_interval->low, *group.figures.selection_rate);
    EXPECT_GT(group.figures.selection_interval->high, *group.figures.selection_rate);
    EXPECT_FALSE(group.figures.accuracy || group.figures.cost || group.figures.precision);
  }
  expect_throw<std::invalid_argument>([&] { audit(plain, {.sensitive = {"group"}}); },
                                      "raw scores say nothing of the outcome");
}

}  // namespace
}  // namespace evenhand::testing::raw_test
