// Certified fits: numbers computed separately, brute force over the window family, the check on
// which their validity rests, and what cannot be certified.
#include <evenhand/evenhand.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"
#include "support/trials.h"

namespace evenhand::testing::certify_test {
namespace {

const std::vector<std::string> sex = {"sex"};
const std::vector<std::string> race = {"race"};

Rows rows_of(const std::vector<std::vector<int>>& strata, unsigned seed) {
  Random random(seed);
  Rows out;
  for (std::size_t k = 0; k < strata.size(); ++k) {
    for (std::size_t s = 0; s < strata[k].size(); ++s) {
      for (int i = 0; i < strata[k][s]; ++i) {
        const double p = std::pow(random.unit(), 1 + static_cast<double>(s));
        out.score.push_back(p);
        out.sex.push_back("g" + std::to_string(s));
        out.race.push_back("k" + std::to_string(k));
        out.label.push_back(random.unit() < p ? 1 : 0);
      }
    }
  }
  return out;
}

TEST(Certify, NumberOfTheWindow) {
  const PairBounds bounds({{2000, 2000}, {2000, 2000}}, 0.05, BoundKind::same_rate);
  const std::vector<std::size_t> pairs = {0, 1};
  EXPECT_NEAR(highest_certified(bounds, pairs, {false, 0.10}, 0.2), 0.257522, 5.1e-7);
  EXPECT_LT(highest_certified(bounds, pairs, {false, 0.01}, 0.2), 0.2);
}

TEST(Certify, WindowsReachAsFarAsEveryPairAllows) {
  Random random(23);
  for (int trial = 0; trial < trials(300); ++trial) {
    const bool is_ratio = random.chance(0.5);
    std::vector<double> rows;
    for (int i = 0; i < 3; ++i) rows.push_back(200 + random.below(20'000));
    std::vector<PairSizes> sizes;
    std::vector<std::size_t> pairs;
    for (const double over : rows) {
      for (const double under : rows) {
        if (over == under) continue;
        pairs.push_back(sizes.size());
        sizes.push_back({over, under});
      }
    }
    const PairBounds bounds(sizes, 0.05, BoundKind::same_rate);
    const Goal goal{is_ratio, is_ratio ? 0.9 * random.unit() : 0.02 + 0.3 * random.unit()};
    const double low = random.unit();
    const auto holds = [&](double high) {
      return std::all_of(pairs.begin(), pairs.end(), [&](std::size_t n) {
        return is_ratio ? bounds.ratio(n, low, high) >= goal.value
                        : bounds.difference(n, high, low) <= goal.value;
      });
    };
    const double high = highest_certified(bounds, pairs, goal, low);
    if (high < low) {
      EXPECT_FALSE(holds(low)) << trial;
      continue;
    }
    EXPECT_TRUE(holds(high)) << trial;
    EXPECT_TRUE(high + 1e-6 >= 1 || !holds(high + 1e-6)) << trial;
  }
}

// The objective of a stratum in a window, straight from the rows.
double objective_in(const Rows& rows, double low, double high) {
  double sum = 0;
  for (const char* name : {"g0", "g1", "g2"}) {
    std::vector<double> benefit;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.sex[i] == name) benefit.push_back(2 * rows.score[i] - 1);
    }
    if (benefit.empty()) continue;
    std::sort(benefit.rbegin(), benefit.rend());
    const double m = static_cast<double>(benefit.size());
    const double best = static_cast<double>(std::count_if(benefit.begin(), benefit.end(),
                                                          [](double h) { return h > 0; })) /
                        m;
    double left = std::clamp(best, low, high) * m;
    for (const double h : benefit) {
      sum += h * std::clamp(left, 0.0, 1.0);
      left -= 1;
    }
  }
  return sum;
}

TEST(Certify, NoWindowThatCertifiesDoesBetter) {
  for (const bool is_ratio : {false, true}) {
    const Rows rows = rows_of({{1500, 1500}}, 3);
    const Tally tally = rows.tally();
    const Criterion criterion =
        is_ratio ? four_fifths({.sensitive = sex, .within = race, .ratio = 0.7})
                 : statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.1});
    const CertifiedFit fit = certify(tally, criterion);
    ASSERT_FALSE(fit.too_few);
    EXPECT_EQ(fit.solution.status, Status::optimal);
    const PairBounds bounds({{1500, 1500}, {1500, 1500}}, 0.05, BoundKind::same_rate);
    const std::vector<std::size_t> pairs = {0, 1};
    double most = 0;
    for (int i = 0; i <= 100; ++i) {
      const double low = i / 100.0;
      const double high = highest_certified(bounds, pairs, {is_ratio, is_ratio ? 0.7 : 0.1}, low);
      if (high >= low) most = std::max(most, objective_in(rows, low, high));
    }
    // The table has 4,096 points, these are 101 of any.
    EXPECT_GE(fit.solution.primal, most - 2e-3 * fit.solution.magnitude);
    EXPECT_LE(fit.solution.primal, fit.plain.primal + 1e-9);
    EXPECT_NEAR(fit.solution.primal,
                objective_in(rows, fit.solution.strata[0].lowest, fit.solution.strata[0].highest),
                1e-6);
  }
}

TEST(Certify, EveryBoundIsWithinTheToleranceWhateverTheCriterion) {
  const Tally tally = rows_of({{1000, 900}, {1200, 700, 900}}, 4).tally();
  const std::vector<Criterion> criteria = {
      statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.2}),
      equal_opportunity({.sensitive = sex, .within = race, .tolerance = 0.25}),
      false_positive_parity({.sensitive = sex, .within = race, .tolerance = 0.25}),
      equalized_odds({.sensitive = sex, .within = race, .tolerance = 0.25}),
      four_fifths({.sensitive = sex, .within = race, .ratio = 0.5})};
  for (const Criterion& criterion : criteria) {
    const CertifiedFit fit = certify(tally, criterion);
    ASSERT_FALSE(fit.too_few) << criterion.name;
    ASSERT_TRUE(fit.bound.value);
    if (fit.bound.is_ratio) {
      EXPECT_GE(*fit.bound.value, criterion.ratio);
    } else {
      EXPECT_LE(*fit.bound.value, criterion.tolerance);
    }
    EXPECT_EQ(fit.solution.criterion, criterion);
    EXPECT_EQ(fit.solution.status, Status::optimal) << criterion.name;
    EXPECT_LE(fit.solution.primal, fit.plain.primal + 1e-9) << criterion.name;
    EXPECT_NO_THROW(fit.solution.to_json());
  }
}

TEST(Certify, LimitsForPairsBeatOneWindowWhereSizesDiffer) {
  const Rows rows = rows_of({{4639, 437, 3409}}, 8);
  const Tally tally = rows.tally();
  const CertifiedFit fit =
      certify(tally, statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.17}));
  ASSERT_FALSE(fit.too_few);
  const PairBounds bounds(
      {{4639, 437}, {4639, 3409}, {437, 4639}, {437, 3409}, {3409, 4639}, {3409, 437}}, 0.05,
      BoundKind::same_rate);
  const std::vector<std::size_t> pairs = {0, 1, 2, 3, 4, 5};
  double by_window = 0;
  for (int i = 0; i <= 100; ++i) {
    const double low = i / 100.0;
    const double high = highest_certified(bounds, pairs, {false, 0.17}, low);
    if (high >= low) by_window = std::max(by_window, objective_in(rows, low, high));
  }
  EXPECT_GT(fit.solution.primal, by_window);
  EXPECT_LE(*fit.bound.value, 0.17);
}

// Every bound of a rule's true- and false-positive rates, straight from an audit.
struct OddsBounds {
  std::vector<double> bounds;        // of all ordered pairs
  std::vector<std::string> margins;  // the program that takes what they add as it is
};
OddsBounds odds_bounds(const Tally& tally, const Rule& rule, double tolerance, double spare) {
  struct Group {
    std::string term;
    std::size_t stratum;
    double rate, rows;
  };
  const Audit audited = audit(tally, {sex, race}, rule);
  std::vector<std::pair<Group, Group>> pairs;
  for (const bool tpr : {true, false}) {
    std::vector<Group> groups;
    for (CellCode c = 0; c < tally.cells().size(); ++c) {
      const CellTotal& total = tally.total(c);
      const Figures& figures = audited.cells[c].figures;
      groups.push_back(
          {(tpr ? "tpr[" : "fpr[") + tally.cells().name(c) + "]",
           static_cast<std::size_t>(tally.cells().values(c)[1].back()),
           tpr ? figures.true_positive_rate.value() : figures.false_positive_rate.value(),
           tpr ? total.n1 : total.n - total.n1});
    }
    for (const Group& over : groups) {
      for (const Group& under : groups) {
        if (over.term != under.term && over.stratum == under.stratum)
          pairs.push_back({over, under});
      }
    }
  }
  std::vector<PairSizes> sizes;
  for (const auto& [over, under] : pairs) sizes.push_back({over.rows, under.rows});
  const PairBounds bounds(sizes, 0.05, BoundKind::same_rate);
  OddsBounds out;
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    const auto& [over, under] = pairs[n];
    out.bounds.push_back(bounds.difference(n, over.rate, under.rate));
    const double room = tolerance - spare - (out.bounds.back() - (over.rate - under.rate));
    out.margins.push_back(over.term + " - " + under.term +
                          " <= " + std::to_string(std::max(0.0, room)));
  }
  return out;
}

double largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

// The most accurate rule of the program that is solved over and over with the last margins; 0 if
// none passes the check.
double by_repeated_margins(const Tally& tally, double tolerance) {
  Rule rule = solve(tally, equalized_odds({.sensitive = sex, .within = race})).rule;
  double best = 0;
  double spare = 1e-6;  // texts have six digits
  for (int round = 0; round < 8; ++round) {
    Criterion asked = requirements(odds_bounds(tally, rule, tolerance, spare).margins);
    asked.roles = {sex, race};
    const Solution found = solve(tally, asked);
    if (found.status != Status::optimal) break;
    rule = found.rule;
    const double missed = largest(odds_bounds(tally, rule, tolerance, 0).bounds) - tolerance;
    if (missed <= 0) best = std::max(best, found.primal);
    if (missed > 0 && round >= 2) spare += 1.1 * missed;
  }
  return best;
}

TEST(Certify, CertifiedOddsAreWithinTheToleranceAndBeatRepeatedMargins) {
  Random random(19);
  for (int trial = 0; trial < trials(40); ++trial) {
    std::vector<std::vector<int>> sizes(1 + static_cast<std::size_t>(random.below(2)));
    for (auto& stratum : sizes) {
      for (int s = 0; s < 2 + random.below(2); ++s) stratum.push_back(500 + random.below(3000));
    }
    const Tally tally = rows_of(sizes, static_cast<unsigned>(100 + trial)).tally();
    const double tolerance = 0.2 + 0.2 * random.unit();
    const CertifiedFit fit =
        certify(tally, equalized_odds({.sensitive = sex, .within = race, .tolerance = tolerance}));
    const double repeated = by_repeated_margins(tally, tolerance);
    if (fit.too_few) {
      EXPECT_EQ(repeated, 0) << trial;
      continue;
    }
    EXPECT_EQ(fit.solution.status, Status::optimal);
    EXPECT_LE(fit.solution.primal, fit.plain.primal + 1e-9);
    const double bound = largest(odds_bounds(tally, fit.solution.rule, tolerance, 0).bounds);
    EXPECT_LE(bound, tolerance) << trial;
    EXPECT_NEAR(bound, *fit.bound.value, 1e-12) << trial;
    EXPECT_GE(fit.solution.primal, repeated - 1e-5 * fit.solution.magnitude) << trial;
  }
}

// So many pairs that most of their limits are left out of the program.
TEST(Certify, CertifiedOddsOfManyGroupsAreWithinTheTolerance) {
  std::vector<int> sizes;
  for (int s = 0; s < 9; ++s) sizes.push_back(900 + 150 * s);
  Rows rows = rows_of({sizes}, 21);
  Random random(22);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows.score[i] = std::pow(rows.score[i], 1.0 / (1 + rows.sex[i].back() - '0')) *
                    (0.7 + 0.03 * (rows.sex[i].back() - '0'));
    rows.label[i] = random.chance(rows.score[i]) ? 1 : 0;
  }
  const Tally tally = rows.tally();
  const double tolerance = 0.2;
  const CertifiedFit fit =
      certify(tally, equalized_odds({.sensitive = sex, .within = race, .tolerance = tolerance}));
  ASSERT_FALSE(fit.too_few);
  EXPECT_EQ(fit.solution.status, Status::optimal);
  EXPECT_GT(largest(odds_bounds(tally, fit.plain.rule, tolerance, 0).bounds), tolerance);
  EXPECT_LE(largest(odds_bounds(tally, fit.solution.rule, tolerance, 0).bounds), tolerance);
  EXPECT_GE(fit.solution.primal,
            by_repeated_margins(tally, tolerance) - 1e-5 * fit.solution.magnitude);
}

// At the common rates of exact odds the bound is .124 here; nearer to the ends of the scale it is
// narrower.
TEST(Certify, OddsAreCertifiedWhereEqualRatesAreNot) {
  const Tally tally = rows_of({{900, 800}}, 11).tally();
  const double tolerance = 0.1;
  const Rule equal = solve(tally, equalized_odds({.sensitive = sex, .within = race})).rule;
  ASSERT_GT(largest(odds_bounds(tally, equal, tolerance, 0).bounds), tolerance);
  const CertifiedFit fit =
      certify(tally, equalized_odds({.sensitive = sex, .within = race, .tolerance = tolerance}));
  ASSERT_FALSE(fit.too_few);
  EXPECT_LE(largest(odds_bounds(tally, fit.solution.rule, tolerance, 0).bounds), tolerance);
  // Nobody and everybody are certified as well.
  const double everybody = 2 * tally.total().n1 - tally.total().n;
  EXPECT_GT(fit.solution.primal, std::max(0.0, everybody) + 1);
}

TEST(Certify, CellsOfStrataWithoutACertificateHaveTheirFirstRateToo) {
  const Tally tally = rows_of({{60, 50}, {2500, 2000}}, 12).tally();
  const CertifiedFit fit =
      certify(tally, equalized_odds({.sensitive = sex, .within = race, .tolerance = 0.15}), {},
              {.partial = true});
  ASSERT_FALSE(fit.too_few);
  ASSERT_EQ(fit.uncertified, (std::vector<std::vector<std::string>>{{"k0"}}));
  const Audit audited = audit(tally, {sex, race}, fit.solution.rule);
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    EXPECT_NEAR(fit.solution.cells[c].rate, audited.cells[c].figures.true_positive_rate.value(),
                1e-12);
  }
  EXPECT_LE(audited.strata[0].true_positive_rate->difference, 0.15 + 1e-9);
  EXPECT_LE(audited.strata[0].false_positive_rate->difference, 0.15 + 1e-9);
}

TEST(Certify, TooFewRowsSayWhatWouldDo) {
  const Tally tally = rows_of({{60, 50}}, 5).tally();
  const CertifiedFit fit =
      certify(tally, statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.05}));
  EXPECT_TRUE(fit.too_few);
  EXPECT_GT(fit.smallest, 0.05);
  EXPECT_GT(fit.rows_needed, 5);
}

TEST(Certify, PartlyCertifiesTheStrataThatHaveEnough) {
  const Tally tally = rows_of({{30, 20}, {2000, 2000}}, 6).tally();
  const Criterion criterion =
      statistical_parity({.sensitive = sex, .within = race, .tolerance = 0.1});
  EXPECT_TRUE(certify(tally, criterion).too_few);
  const CertifiedFit fit = certify(tally, criterion, {}, {.partial = true});
  EXPECT_FALSE(fit.too_few);
  ASSERT_EQ(fit.uncertified.size(), 1U);
  EXPECT_EQ(fit.uncertified[0], (std::vector<std::string>{"k0"}));
  ASSERT_EQ(fit.bound.strata.size(), 1U);
  EXPECT_LE(*fit.bound.value, 0.1);
  const Audit audited = audit(tally, {sex, race}, fit.solution.rule);
  EXPECT_LE(audited.strata[0].selection_rate->difference, 0.1 + 1e-9);
}

TEST(Certify, RefusesWhatCannotBeCertifiedAndSaysWhy) {
  using Bad = std::invalid_argument;
  Rows rows = rows_of({{100, 80}, {90, 70}}, 7);
  const Tally tally = rows.tally();
  const ParityOptions parity{.sensitive = sex, .within = race, .tolerance = 0.1};
  const auto refused = [&](const Criterion& criterion, const SolveOptions& options,
                           const char* part) {
    expect_throw<Bad>([&] { certify(tally, criterion, options); }, part);
  };
  refused(statistical_parity({.sensitive = sex, .within = race}), {}, "tolerance 0");
  refused(four_fifths({.sensitive = sex, .within = race, .ratio = 1}), {}, "ratio 1");
  refused(statistical_parity(parity), {.gamma = 0.1}, "gamma above 0");
  refused(statistical_parity(parity), {.lottery = Lottery::none}, "without coins");
  refused(statistical_parity(parity), {.max_lottery = 0.01}, "without coins");
  refused(requirements({"rate <= 0.1"}), {}, "requirements alone");
  Criterion both = statistical_parity(parity);
  both.require = {"rate <= 0.1"};
  refused(both, {}, "requirements move");
  refused(statistical_parity(
              {.sensitive = {"sex", "race"}, .tolerance = 0.1, .across = Across::marginal}),
          {}, "single columns");
  refused(equal_rates({.sensitive = sex, .within = race, .tolerance = 0.1, .rho = Rho::given(0.2)}),
          {}, "target rate");
  for (const double confidence : {0.0, 1.0, std::nan("")}) {
    expect_throw<Bad>(
        [&] { certify(tally, statistical_parity(parity), {}, {.confidence = confidence}); },
        "confidence lies between");
  }
  rows.weight.assign(rows.size(), 2.5);
  expect_throw<Bad>([&] { certify(rows.tally(), statistical_parity(parity)); }, "weights");
}

}  // namespace
}  // namespace evenhand::testing::certify_test
