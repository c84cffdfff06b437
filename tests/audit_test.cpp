#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::audit_test {
namespace {

const Roles sex_within_race{{"sex"}, {"race"}};

// The figures by their definitions, over rows.
struct Counted {
  double n = 0, n1 = 0, q = 0, q1 = 0;
};

Counted count(const Rows& rows, const std::vector<double>& q, const std::string& sex,
              const std::string& race) {
  Counted out;
  const bool low = rows.favorable == Favorable::low;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((!sex.empty() && rows.sex[i] != sex) || (!race.empty() && rows.race[i] != race)) continue;
    const double n = rows.weight.empty() ? 1 : rows.weight[i];
    const double n1 = (rows.label[i] == 1) != low ? n : 0;
    out.n += n;
    out.n1 += n1;
    out.q += q[i] * n;
    out.q1 += q[i] * n1;
  }
  return out;
}

void expect_share(const std::optional<double>& value, double part, double whole) {
  ASSERT_EQ(value.has_value(), whole > 0);
  if (value) {
    EXPECT_NEAR(*value, part / whole, 1e-12);
  }
}

void expect_figures(const Figures& figures, const Counted& c, const Costs& costs) {
  EXPECT_NEAR(figures.weight, c.n, 1e-9);
  expect_share(figures.selection_rate, c.q, c.n);
  expect_share(figures.true_positive_rate, c.q1, c.n1);
  expect_share(figures.false_positive_rate, c.q - c.q1, c.n - c.n1);
  expect_share(figures.precision, c.q1, c.q);
  const double false_positives = c.q - c.q1;
  const double false_negatives = c.n1 - c.q1;
  expect_share(figures.accuracy, c.n - false_positives - false_negatives, c.n);
  expect_share(figures.cost,
               costs.false_positive * false_positives + costs.false_negative * false_negatives,
               c.n);
}

TEST(Audit, FiguresAreWhatTheirDefinitionsSay) {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Rows rows = random_rows(random, {.groups = 3,
                                           .strata = 2,
                                           .most_rows = 50,
                                           .few_scores = trial % 2 == 0,
                                           .odd_cells = true,
                                           .integer_weights = trial % 3 == 0});
    const AuditOptions options{.costs = {2, 3}};
    const Tally tally = rows.tally();
    const double gamma = trial % 2 == 0 ? 0 : 0.2;
    Solution fit;
    try {
      fit = solve(tally, statistical_parity({{"sex"}, {"race"}}),
                  {.gamma = gamma, .costs = options.costs});
    } catch (const std::invalid_argument&) {
      continue;
    }
    const std::vector<double> q = fit.rule.probability(rows.cells(), rows.score);
    const Audit after = audit(tally, sex_within_race, fit.rule, options);
    EXPECT_FALSE(after.expected);
    for (const AuditedCell& cell : after.cells) {
      const auto values = tally.cells().values(cell.cell);
      expect_figures(cell.figures, count(rows, q, values[0], values[1]), options.costs);
    }
    for (const AuditedGroup& group : after.overall.groups) {
      expect_figures(group.figures, count(rows, q, group.values[0], ""), options.costs);
    }
    for (const Comparison& stratum : after.strata) {
      expect_figures(stratum.figures, count(rows, q, "", stratum.values[0]), options.costs);
      // The criterion holds, so nobody is favoured inside a stratum with two groups or more.
      EXPECT_LT(stratum.bias, 1e-9);
      if (stratum.selection_rate) {
        EXPECT_LT(stratum.selection_rate->difference, 1e-9);
      }
    }
    expect_figures(after.overall.figures, count(rows, q, "", ""), options.costs);
  }
}

TEST(Audit, BaseDecisionsArePositiveWhereTheBenefitIs) {
  Random random(2);
  for (int trial = 0; trial < 60; ++trial) {
    const Rows rows = random_rows(random, {.groups = 2, .strata = 2, .few_scores = trial % 2 == 0});
    const AuditOptions options{.costs = {1, 3}};
    const Reading reading{rows.scale, rows.favorable};
    std::vector<double> q;
    for (const double score : rows.score) {
      const double p = reading.probability(reading.turn(score));
      q.push_back(3 * p - (1 - p) > 0 ? 1 : 0);
    }
    const Tally tally = rows.tally();
    const Audit before = audit(tally, sex_within_race, options);
    for (const AuditedCell& cell : before.cells) {
      const auto values = tally.cells().values(cell.cell);
      expect_figures(cell.figures, count(rows, q, values[0], values[1]), options.costs);
    }
  }
}

TEST(Audit, CovarianceIsThePapersBias) {
  Random random(3);
  const Rows rows = random_rows(random, {.groups = 2, .strata = 2, .most_rows = 80});
  const Tally tally = rows.tally();
  const Audit before = audit(tally, sex_within_race);
  const Cells cells = rows.cells();
  const Reading reading{rows.scale, rows.favorable};
  for (const Comparison& stratum : before.strata) {
    // |X_k|^-1 |sum over X_k of (1_S - rho_k) q|
    double size = 0;
    double women = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.race[i] != stratum.values[0]) continue;
      size += 1;
      women += rows.sex[i] == "F" ? 1 : 0;
    }
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.race[i] != stratum.values[0]) continue;
      const double q = reading.probability(reading.turn(rows.score[i])) > 0.5 ? 1 : 0;
      sum += ((rows.sex[i] == "F" ? 1 : 0) - women / size) * q;
    }
    EXPECT_NEAR(stratum.bias, std::abs(sum) / size, 1e-12);
    const CellCode cell = cells.code_of({"F", stratum.values[0]});
    EXPECT_NEAR(before.cells[cell].covariance, sum / size, 1e-12);
  }
}

TEST(Audit, DifferencesAndRatiosCompareTheExtremes) {
  const std::vector<double> score = {0.9, 0.8, 0.1, 0.2, 0.9, 0.1, 0.1, 0.1};
  const std::vector<std::string> sex = {"F", "F", "F", "F", "M", "M", "M", "M"};
  const std::vector<std::uint8_t> label = {1, 1, 1, 0, 1, 1, 0, 0};
  const Tally tally = Tally::of(score, Cells::from({{"sex", sex}}), {.label = label});
  const Audit before = audit(tally, {.sensitive = {"sex"}});
  ASSERT_TRUE(before.overall.selection_rate);
  EXPECT_DOUBLE_EQ(before.overall.selection_rate->difference, 0.25);
  EXPECT_DOUBLE_EQ(before.overall.selection_rate->ratio, 0.5);
  EXPECT_DOUBLE_EQ(before.overall.true_positive_rate->difference, 2.0 / 3 - 0.5);
  EXPECT_DOUBLE_EQ(before.overall.false_positive_rate->difference, 0);
  EXPECT_DOUBLE_EQ(before.overall.false_positive_rate->ratio, 1);
  EXPECT_DOUBLE_EQ(before.overall.bias, 0.5 * 0.125);
}

TEST(Audit, WithoutLabelsFiguresAreExpectationsUnderTheScores) {
  const std::vector<double> score = {0.9, 0.2, 0.6, 0.3};
  const std::vector<std::string> sex = {"F", "F", "M", "M"};
  const Tally tally = Tally::of(score, Cells::from({{"sex", sex}}));
  const Audit before = audit(tally, {.sensitive = {"sex"}});
  EXPECT_TRUE(before.expected);
  EXPECT_FALSE(before.cells[0].figures.true_positive_rate);
  EXPECT_NEAR(*before.cells[0].figures.accuracy, (0.9 + 0.8) / 2, 1e-15);
  EXPECT_NEAR(*before.cells[1].figures.accuracy, (0.6 + 0.7) / 2, 1e-15);
  EXPECT_NEAR(*before.cells[1].figures.precision, 0.6, 1e-15);
  EXPECT_NEAR(*before.cells[1].figures.cost, (0.4 + 0.3) / 2, 1e-15);
}

TEST(Audit, RejectsOptionsOutOfRange) {
  const std::vector<double> score = {0.9, 0.2};
  const std::vector<std::string> sex = {"F", "M"};
  const Tally tally = Tally::of(score, Cells::from({{"sex", sex}}));
  const Roles roles{{"sex"}};
  const Rule rule = solve(tally, statistical_parity({.sensitive = {"sex"}})).rule;
  const auto reject = [&](const AuditOptions& options, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { audit(tally, roles, options); }, part);
    expect_throw<std::invalid_argument>([&] { audit(tally, roles, rule, options); }, part);
  };
  reject({.base_threshold = NAN}, "base threshold");
  reject({.base_threshold = 7}, "the base threshold 7 is not valid");
  reject({.costs = {-1, 1}}, "costs");
}

// One attribute at a time, under a rule that tells the combinations apart: the figures of the tally
// that never had the other attribute, and the selection rates of the pooled cells.
TEST(Audit, AddsUpAttributesWithoutARole) {
  Random random(77);
  const Rows rows = random_rows(random, {.groups = 3, .strata = 2, .most_rows = 200});
  const Tally tally = rows.tally();
  const std::vector<std::string>& attributes = tally.cells().attributes();
  ASSERT_EQ(attributes.size(), 2U);
  const Roles one{{attributes[0]}};
  const Audit whole = audit(tally, one);
  const Audit alone = audit(tally.project(std::vector{attributes[0]}), one);
  ASSERT_EQ(whole.overall.groups.size(), alone.overall.groups.size());
  for (std::size_t i = 0; i < whole.overall.groups.size(); ++i) {
    EXPECT_EQ(whole.overall.groups[i].values, alone.overall.groups[i].values);
    EXPECT_EQ(whole.overall.groups[i].figures.weight, alone.overall.groups[i].figures.weight);
    EXPECT_NEAR(*whole.overall.groups[i].figures.selection_rate,
                *alone.overall.groups[i].figures.selection_rate, 1e-12);
  }
  const Rule rule =
      solve(tally, statistical_parity({.sensitive = attributes, .tolerance = 0.1})).rule;
  const Audit after = audit(tally, one, rule);
  for (const AuditedGroup& group : after.overall.groups) {
    double selected = 0;
    double n = 0;
    for (const AuditedCell& cell : after.cells) {
      if (tally.cells().values(cell.cell)[0] != group.values[0]) continue;
      selected += cell.figures.weight * cell.figures.selection_rate.value_or(0);
      n += cell.figures.weight;
    }
    EXPECT_NEAR(*group.figures.selection_rate, selected / n, 1e-12);
  }
}

// Wilson's interval, by its definition: the rates that a test at this confidence does not reject.
TEST(Audit, IntervalsAreWilsons) {
  const std::vector<double> score = {0.9, 0.8, 0.7, 0.2, 0.1, 0.6, 0.3, 0.2, 0.9, 0.1};
  const std::vector<std::string> sex(10, "F");
  const Tally tally = Tally::of(score, Cells::from({{"sex", sex}}));
  const Figures figures = audit(tally, {{"sex"}}, {.confidence = 0.9}).overall.figures;
  const double z = 1.6448536269514722;
  for (const double end : {figures.selection_interval->low, figures.selection_interval->high}) {
    EXPECT_NEAR(std::abs(*figures.selection_rate - end), z * std::sqrt(end * (1 - end) / 10), 1e-9);
  }
  EXPECT_FALSE(figures.true_positive_interval);
  const std::vector<double> weight(10, 2.0);
  const Tally weighted = Tally::of(score, Cells::from({{"sex", sex}}), {.weight = weight});
  EXPECT_FALSE(audit(weighted, {{"sex"}}).overall.figures.selection_interval);
  expect_throw<std::invalid_argument>([&] { audit(tally, {{"sex"}}, {.confidence = 1}); },
                                      "confidence");
}

TEST(Audit, RejectsARuleThatDoesNotFit) {
  const std::vector<double> score = {0.9, 0.2, 0.6, 0.3};
  const std::vector<std::string> sex = {"F", "F", "M", "M"};
  const std::vector<std::string> other = {"F", "F", "X", "X"};
  const Tally tally = Tally::of(score, Cells::from({{"sex", sex}}));
  const Roles roles{{"sex"}};
  const Rule rule = solve(tally, statistical_parity({.sensitive = {"sex"}})).rule;
  expect_throw<std::out_of_range>(
      [&] {
        audit(Tally::of(score, Cells::from({{"sex", other}})), roles, rule);
      },
      "never seen sex=X (2 rows)");
  expect_throw<std::invalid_argument>(
      [&] {
        audit(Tally::of(score, Cells::from({{"sex", sex}}), {.scale = Scale::signed_}), roles,
              rule);
      },
      "read scores differently");
  expect_throw<std::invalid_argument>([&] { audit(tally, {.sensitive = {"race"}}); },
                                      "no attribute race");
}

}  // namespace
}  // namespace evenhand::testing::audit_test
