// Fits from scores look at the bins of rows as they came; from a stored tally, whose entries are
// sorted, they go another way. Both must find the same, to the last bit.
#include <evenhand/evenhand.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/trials.h"

namespace evenhand::testing::unsorted_test {
namespace {

struct ManyRows {
  std::vector<double> score;
  std::vector<std::string> sex;
  std::vector<int> label;
  Scale scale = Scale::probability;
  Favorable favorable = Favorable::high;

  // A new one each time: whatever asks for entries leaves them sorted.
  Tally tally(bool labelled = false, const std::vector<double>& weight = {}) const {
    TallyOptions options{.scale = scale, .favorable = favorable};
    if (labelled) options.label = label;
    if (!weight.empty()) options.weight = weight;
    return Tally::of(score, Cells::from({{"sex", sex}}), options);
  }
};

// Groups of 60, 30, 8 and 2 %, in bins with many rows each; every other time with ties. One of six
// times somebody's score is so far away that all others of a group share a bin.
ManyRows many_rows(Random& random, int trial) {
  constexpr Scale scales[] = {Scale::signed_, Scale::probability, Scale::logit};
  ManyRows out;
  out.scale = scales[trial % 3];
  out.favorable = trial % 4 == 1 ? Favorable::low : Favorable::high;
  for (int i = 0; i < 20'000; ++i) {
    const double who = random.unit();
    const int group = who < 0.6 ? 0 : who < 0.9 ? 1 : who < 0.98 ? 2 : 3;
    double p = std::pow(random.unit(), 0.7 + 0.4 * group);
    if (trial % 2 == 0) p = std::round(p * 300) / 300;
    const double inside = std::clamp(p, 1e-9, 1 - 1e-9);
    out.score.push_back(out.scale == Scale::signed_ ? 2 * p - 1
                        : out.scale == Scale::logit ? std::log(inside / (1 - inside))
                                                    : p);
    out.sex.push_back("g" + std::to_string(group));
    out.label.push_back(random.unit() < 0.1 + 0.7 * p ? 1 : 0);
  }
  if (trial % 6 == 5) out.score.front() = 1e5;  // of the logit scale
  return out;
}

// A curve that somebody gave: none, a sigmoid, or pooled blocks with ramps between them.
std::optional<Calibrator> given_curve(const Tally& tally, Random& random) {
  const int kind = random.below(3);
  if (kind == 0) return std::nullopt;
  if (kind == 1) return Calibrator{tally.reading(), PlattCurve{2.5, -0.6}};
  const double middle = tally.entries(0)[tally.entries(0).size() / 2].score;
  const Response ramp{
      Response::Shape::ramp,
      0,
      {{middle - 0.2, 0.1}, {middle, 0.3}, {middle + 0.05, 0.6}, {middle + 0.1, 0.6}}};
  return Calibrator{tally.reading(), ramp};
}

// One after the other: what each group may have, what it must have, what is too much to ask.
std::vector<std::vector<std::string>> requirement_sets() {
  return {{"rate[sex=g3] >= 0.8 * rate[sex=g0]", "rate[sex=g2] <= 0.4"},
          {"rate[sex=g0] - rate[sex=g3] <= 0.05", "rate >= 0.3", "rate[sex=g1] == 0.25"},
          {"rate[sex=g1] <= 0.1 * rate[sex=g3]", "rate[sex=g1] >= 0.2"},
          {"2 * rate[sex=g0] + rate[sex=g1] <= 0.7", "rate[sex=g2] >= 0.6"}};
}

void expect_same(const Solution& a, const Solution& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.primal, b.primal);
  EXPECT_EQ(a.dual, b.dual);
  EXPECT_EQ(a.magnitude, b.magnitude);
  EXPECT_EQ(a.violation, b.violation);
  EXPECT_EQ(a.rule.to_json(), b.rule.to_json());
}

// Calls `check(rows, stored, random)` for many rows as they came, and for their stored tally.
template <class Check>
void for_both_forms(unsigned seed, const Check& check) {
  Random random(seed);
  for (int trial = 0; trial < trials(60); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    const ManyRows rows = many_rows(random, trial);
    check(rows, Tally::from_bytes(rows.tally().to_bytes()), random);
  }
}

TEST(Unsorted, RequirementsAreMetByTheSameRuleFromRowsAndFromAStoredTally) {
  int optimal = 0;
  for_both_forms(1915, [&](const ManyRows& rows, const Tally& stored, Random& random) {
    const SolveOptions options{.costs = {0.5 + random.unit(), 0.5 + random.unit()},
                               .calibrator = given_curve(stored, random)};
    for (const auto& wanted : requirement_sets()) {
      SCOPED_TRACE(wanted.front());
      const Criterion criterion = requirements(wanted);
      const Solution unsorted = solve(rows.tally(), criterion, options);
      expect_same(unsorted, solve(stored, criterion, options));
      if (unsorted.status != Status::optimal) continue;
      ++optimal;
      EXPECT_LT(unsorted.violation, 1e-9);
    }
  });
  EXPECT_GE(optimal, 3 * trials(60));
}

// Each fit looks for the bins that it needs among rows as they came; fits of one tally share them,
// and after some looks all rows are put into their bins.
TEST(Unsorted, OneRateIsTheSameFromRowsAndFromAStoredTally) {
  for_both_forms(1918, [&](const ManyRows& rows, const Tally& stored, Random& random) {
    const SolveOptions options{.costs = {0.5 + random.unit(), 0.5 + random.unit()},
                               .calibrator = given_curve(stored, random)};
    const Tally shared = rows.tally();
    const std::vector<std::string> sex = {"sex"};
    for (const Criterion& criterion :
         {statistical_parity({.sensitive = sex}),
          statistical_parity({.sensitive = sex, .tolerance = 0.2 * random.unit()}),
          four_fifths({.sensitive = sex}),
          equal_rates({.sensitive = sex, .rho = Rho::given(random.unit())}),
          equal_rates({.sensitive = sex, .tolerance = 0.05, .rho = Rho::base()})}) {
      SCOPED_TRACE(criterion.name);
      const Solution sorted = solve(stored, criterion, options);
      EXPECT_EQ(sorted.status, Status::optimal);
      expect_same(solve(rows.tally(), criterion, options), sorted);
      expect_same(solve(shared, criterion, options), sorted);
    }
    EXPECT_EQ(shared, stored);
  });
}

// Scores that are not copied: read where they are whenever a bin is looked at.
TEST(Unsorted, BorrowedScoresAreThoseThatWereCopied) {
  Random random(2611);
  for (int trial = 0; trial < trials(60); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    ManyRows rows = many_rows(random, trial);
    if (rows.scale != Scale::logit) rows.score.front() = -0.0;
    const std::vector<float> floats(rows.score.begin(), rows.score.end());
    const std::vector<double> rounded(floats.begin(), floats.end());
    const Cells cells = Cells::from({{"sex", rows.sex}});
    TallyOptions options{.scale = rows.scale, .favorable = rows.favorable};
    const Criterion parity = statistical_parity({.sensitive = {"sex"}, .tolerance = 0.01});
    const Tally copied = Tally::of(rounded, cells, options);
    const Solution expected = solve(copied, parity);
    options.borrow_scores = true;
    for (const Numbers& score : {Numbers(rounded), Numbers(floats)}) {
      const Tally borrowed = Tally::of(score, cells, options);
      expect_same(solve(borrowed, parity), expected);
      EXPECT_EQ(borrowed, copied);
    }
  }
}

// Criteria of labels sort the scores near their thresholds alone. Rows that weigh one half each are
// all sorted and looked at, since sums of fractions depend on their order; halves add up exactly.
TEST(Unsorted, LabelCriteriaNeedFewScoresToFindWhatAllOfThemSay) {
  Random random(1919);
  for (int trial = 0; trial < trials(60); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    const ManyRows rows = many_rows(random, trial);
    const Tally stored = Tally::from_bytes(rows.tally(true).to_bytes());
    const Tally shared = rows.tally(true);
    const Tally halves = rows.tally(true, std::vector<double>(rows.score.size(), 0.5));
    const SolveOptions options{.costs = {0.5 + random.unit(), 0.5 + random.unit()}};
    const double tolerance = 0.1 * random.unit();
    const std::vector<std::string> sex = {"sex"};
    for (const Criterion& criterion :
         {equal_opportunity({.sensitive = sex}),
          equal_opportunity({.sensitive = sex, .tolerance = tolerance}),
          false_positive_parity({.sensitive = sex, .tolerance = tolerance}),
          equalized_odds({.sensitive = sex}),
          equalized_odds({.sensitive = sex, .tolerance = tolerance})}) {
      SCOPED_TRACE(criterion.name);
      const Solution whole = solve(halves, criterion, options);
      EXPECT_EQ(whole.status, Status::optimal);
      const Solution sorted = solve(stored, criterion, options);
      EXPECT_EQ(sorted.rule, whole.rule);
      EXPECT_EQ(sorted.primal, 2 * whole.primal);
      expect_same(solve(rows.tally(true), criterion, options), sorted);
      expect_same(solve(shared, criterion, options), sorted);
    }
    SolveOptions isotonic = options;
    isotonic.calibrate = Calibration::isotonic;
    const Criterion parity = statistical_parity({.sensitive = sex, .tolerance = tolerance});
    const Solution sorted = solve(stored, parity, isotonic);
    EXPECT_EQ(sorted.rule, solve(halves, parity, isotonic).rule);
    expect_same(solve(rows.tally(true), parity, isotonic), sorted);
  }
}

TEST(Unsorted, CertifiedFitsAreTheSameFromRowsAndFromAStoredTally) {
  int by_pairs = 0;
  for_both_forms(1916, [&](const ManyRows& rows, const Tally& stored, Random& random) {
    const SolveOptions options{.calibrator = given_curve(stored, random)};
    for (const double tolerance : {0.13, 0.2, 0.4}) {
      SCOPED_TRACE(tolerance);
      const Criterion criterion =
          statistical_parity({.sensitive = {"sex"}, .tolerance = tolerance});
      const CertifiedFit unsorted = certify(rows.tally(), criterion, options);
      const CertifiedFit sorted = certify(stored, criterion, options);
      ASSERT_EQ(unsorted.too_few, sorted.too_few);
      expect_same(unsorted.solution, sorted.solution);
      if (!unsorted.solution.constraints.empty()) ++by_pairs;
    }
  });
  EXPECT_GE(by_pairs, trials(60));
}

TEST(Unsorted, CertifiedFitsOfManyRowsDoNotDependOnTheirOrder) {
  Random random(1917);
  std::vector<double> score;
  std::vector<CellCode> code;
  for (int row = 0; row < 120'000; ++row) {
    const double who = random.unit();
    code.push_back(who < 0.8 ? 0 : who < 0.95 ? 1 : 2);
    score.push_back(std::pow(random.unit(), 1 + 0.4 * code.back()));
  }
  const CellNames names({"group"}, {{"A"}, {"B"}, {"C"}});
  const Tally tally = Tally::of(score, names, code);
  std::reverse(score.begin(), score.end());
  std::reverse(code.begin(), code.end());
  const Tally reversed = Tally::of(score, names, code);
  const Tally stored = Tally::from_bytes(tally.to_bytes());
  for (const double tolerance : {0.04, 0.06, 0.1}) {
    SCOPED_TRACE(tolerance);
    const Criterion criterion =
        statistical_parity({.sensitive = {"group"}, .tolerance = tolerance});
    const CertifiedFit certified = certify(tally, criterion);
    ASSERT_FALSE(certified.too_few);
    expect_same(certified.solution, certify(reversed, criterion).solution);
    expect_same(certified.solution, certify(stored, criterion).solution);
  }
}

}  // namespace
}  // namespace evenhand::testing::unsorted_test
