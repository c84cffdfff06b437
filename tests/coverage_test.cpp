// Whether bounds hold as often as they say, by simulation from populations whose rates are known.
// A share of failures above the stated one would have to be chance of 1 in 10,000 to pass.
#include <evenhand/evenhand.h>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/adult.h"
#include "support/problems.h"
#include "support/trials.h"

namespace evenhand::testing::coverage_test {
namespace {

// P(X >= failures) for a binomial X: how surprising so many failures are.
double surprise(int failures, int runs, double level) {
  double sum = 0;
  for (int k = failures; k <= runs; ++k) {
    sum += std::exp(std::lgamma(runs + 1) - std::lgamma(k + 1) - std::lgamma(runs - k + 1) +
                    k * std::log(level) + (runs - k) * std::log1p(-level));
  }
  return sum;
}

void expect_at_most(int failures, int runs, double level, const std::string& what) {
  EXPECT_GT(surprise(failures, runs, level), 1e-4) << what << ": " << failures << " of " << runs;
}

// A cell of so many rows, drawn from a population whose scores are uniform.
class Cell {
 public:
  Cell(Random& random, int rows) : rows_(rows), at_({0, 1}) {
    for (int i = 0; i < rows; ++i) at_.push_back(random.unit());
    std::sort(at_.begin(), at_.end());
  }

  struct Range {
    double low, high;
  };
  // The true rates of threshold rules that select `rate` of these rows: with the threshold anywhere
  // between two rows, or at a row whose coin gives it a share.
  Range truth(double rate) const {
    const double taken = rate * rows_;
    const double whole = std::round(taken);
    const auto k = static_cast<std::size_t>(std::abs(taken - whole) < 1e-9 ? whole : taken);
    if (std::abs(taken - whole) < 1e-9) return {at_[k], at_[k + 1]};
    return {at_[k + 1], at_[k + 1]};
  }

 private:
  int rows_;
  std::vector<double> at_;
};

TEST(Coverage, HoldsForThresholdsPutByAnAdversary) {
  // Threshold rules with the same observed rate in both cells, at any rate: the worst of all. Both
  // sides of every rate at which one of the cells takes another row are among these.
  for (const auto& [m, n] :
       {std::pair(5, 5), {20, 20}, {60, 60}, {400, 400}, {5, 400}, {5, 20}, {20, 150}, {400, 60}}) {
    const PairBounds bounds({{1.0 * m, 1.0 * n}, {1.0 * n, 1.0 * m}}, 0.05, BoundKind::same_rate);
    std::vector<double> rates;
    for (int k = 0; k <= m; ++k) rates.push_back(1.0 * k / m);
    for (int k = 0; k <= n; ++k) rates.push_back(1.0 * k / n);
    std::sort(rates.begin(), rates.end());
    rates.erase(
        std::unique(rates.begin(), rates.end(), [](double a, double b) { return b - a < 1e-9; }),
        rates.end());
    std::vector<std::pair<double, double>> limits;
    for (const double rate : rates) {
      limits.emplace_back(bounds.difference(0, rate, rate), bounds.difference(1, rate, rate));
    }
    Random random(static_cast<unsigned>(1000 * m + n));
    const int runs = trials(m == n ? 20000 : 10000);
    int failures = 0;
    for (int run = 0; run < runs; ++run) {
      const Cell a(random, m);
      const Cell b(random, n);
      for (std::size_t k = 0; k < rates.size(); ++k) {
        const Cell::Range in_a = a.truth(rates[k]);
        const Cell::Range in_b = b.truth(rates[k]);
        if (in_a.high - in_b.low > limits[k].first || in_b.high - in_a.low > limits[k].second) {
          ++failures;
          break;
        }
      }
    }
    expect_at_most(failures, runs, 0.05,
                   "cells of " + std::to_string(m) + " and " + std::to_string(n));
  }
}

// Scores are powers of a uniform number, and right: the label is 1 with that probability. With
// `grid` above 0, cut down to so many values.
struct Population {
  double power;
  int grid;

  double draw(Random& random, std::uint8_t& label) const {
    const double p = std::pow(random.unit(), power);
    label = random.unit() < p ? 1 : 0;
    return grid > 0 ? std::floor(p * grid) / grid : p;
  }

  // The rate of "score >= from".
  double above(double from, Rate rate) const {
    const double c = std::clamp(grid > 0 ? std::ceil(from * grid - 1e-9) / grid : from, 0.0, 1.0);
    const double all = 1 - std::pow(c, 1 / power);
    const double positive = 1 - std::pow(c, (power + 1) / power);
    if (rate == Rate::selection) return all;
    if (rate == Rate::true_positive) return positive;
    const double base = 1 / (power + 1);
    return (all - base * positive) / (1 - base);
  }

  double rate_under(const Response& response, Rate rate) const {
    double sum = response.start;
    double before = response.start;
    for (const Point& point : response.points) {
      sum += (point.q - before) * above(point.score, rate);
      before = point.q;
    }
    return sum;
  }
};

struct Drawn {
  std::vector<std::vector<Population>> populations;  // of groups in strata
  Tally tally;
};

Drawn draw(Random& random, const std::vector<std::vector<int>>& sizes, int grid) {
  Rows rows;
  std::vector<std::vector<Population>> populations;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    populations.emplace_back();
    for (std::size_t s = 0; s < sizes[k].size(); ++s) {
      populations[k].push_back({1 + 0.6 * static_cast<double>(s) + static_cast<double>(k), grid});
      for (int i = 0; i < sizes[k][s]; ++i) {
        std::uint8_t label = 0;
        rows.score.push_back(populations[k][s].draw(random, label));
        rows.label.push_back(label);
        rows.sex.push_back("g" + std::to_string(s));
        rows.race.push_back("k" + std::to_string(k));
      }
    }
  }
  return {populations, rows.tally()};
}

// The largest difference, or the smallest ratio, that a rule has in the population.
double truth(const Drawn& drawn, const Rule& rule, const Criterion& criterion) {
  const bool is_ratio = criterion.relation == Relation::ratio;
  double worst = is_ratio ? 1 : 0;
  for (std::size_t k = 0; k < drawn.populations.size(); ++k) {
    for (const Rate rate : criterion.rates) {
      std::vector<double> rates;
      for (std::size_t s = 0; s < drawn.populations[k].size(); ++s) {
        const CellCode cell =
            rule.cells().code_of({"g" + std::to_string(s), "k" + std::to_string(k)});
        rates.push_back(drawn.populations[k][s].rate_under(rule.parts().responses[cell], rate));
      }
      const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
      worst =
          is_ratio ? std::min(worst, *high > 0 ? *low / *high : 1) : std::max(worst, *high - *low);
    }
  }
  return worst;
}

std::vector<Criterion> all_criteria_with(double tolerance) {
  const ParityOptions options{.sensitive = {"sex"}, .within = {"race"}, .tolerance = tolerance};
  return {statistical_parity(options), equal_opportunity(options), false_positive_parity(options),
          equalized_odds(options), four_fifths({.sensitive = {"sex"}, .within = {"race"}})};
}

TEST(Coverage, HoldsForFittedRulesOfEveryCriterion) {
  Random random(11);
  for (const double tolerance : {0.0, 0.05}) {
    for (const int grid : {0, 20}) {
      for (const Criterion& criterion : all_criteria_with(tolerance)) {
        const int runs = trials(400);
        int failures = 0;
        for (int run = 0; run < runs; ++run) {
          const Drawn drawn = draw(random, {{60, 150}, {40, 90}}, grid);
          const Solution fit = solve(drawn.tally, criterion, {.threads = 1});
          const ConfidenceBound bound = confidence_bound(drawn.tally, fit);
          const double real = truth(drawn, fit.rule, criterion);
          failures += bound.is_ratio ? real < *bound.value : real > *bound.value;
        }
        expect_at_most(failures, runs, 0.05, criterion.name);
      }
    }
  }
}

TEST(Coverage, CertifiedFitsKeepTheirTolerancePlainOnesDoNot) {
  Random random(12);
  const Criterion criterion =
      statistical_parity({.sensitive = {"sex"}, .within = {"race"}, .tolerance = 0.1});
  const int runs = trials(1000);
  int certified = 0;
  int plain = 0;
  for (int run = 0; run < runs; ++run) {
    // Three groups whose own rates are .5, .35 and .27: two of them may be too far from the first.
    const Drawn drawn = draw(random, {{700, 800, 750}}, 0);
    const CertifiedFit fit = certify(drawn.tally, criterion, {.threads = 1});
    ASSERT_FALSE(fit.too_few);
    certified += truth(drawn, fit.solution.rule, criterion) > 0.1;
    plain += truth(drawn, fit.plain.rule, criterion) > 0.1;
  }
  expect_at_most(certified, runs, 0.05, "certified");
  EXPECT_GE(plain, runs * 40 / 100) << "of " << runs;
}

Tally tally_of(const Adult& people, const std::vector<std::size_t>& rows) {
  std::vector<std::string> who;
  std::vector<double> p;
  std::vector<std::uint8_t> y;
  for (const std::size_t i : rows) {
    who.push_back(people.sex[i]);
    p.push_back(people.score[i]);
    y.push_back(people.label[i]);
  }
  return Tally::of(p, Cells::from({{"sex", who}}), {.label = y, .threads = 1});
}

TEST(Coverage, HoldsForSamplesOfAdult) {
  if (trials(10) < 10) GTEST_SKIP() << "in the full suite only";
  const Adult& adult = adult_people();
  std::vector<std::size_t> everybody(adult.sex.size());
  for (std::size_t i = 0; i < everybody.size(); ++i) everybody[i] = i;
  const Tally population = tally_of(adult, everybody);
  Random random(14);
  for (const double tolerance : {0.0, 0.03}) {
    const ParityOptions options{.sensitive = {"sex"}, .tolerance = tolerance};
    for (const Criterion& criterion :
         {statistical_parity(options), equal_opportunity(options), equalized_odds(options),
          four_fifths({.sensitive = {"sex"}})}) {
      constexpr int runs = 300;
      int failures = 0;
      for (int run = 0; run < runs; ++run) {
        std::vector<std::size_t> drawn;
        for (int i = 0; i < 900; ++i) {
          drawn.push_back(
              static_cast<std::size_t>(random.below(static_cast<int>(adult.sex.size()))));
        }
        const Tally sample = tally_of(adult, drawn);
        const Solution fit = solve(sample, criterion, {.threads = 1});
        const ConfidenceBound bound = confidence_bound(sample, fit);
        ASSERT_TRUE(bound.value);
        const AuditReport real = audit_report(population, scope_of(criterion), fit.rule);
        failures += bound.is_ratio ? real.smallest_ratio->ratio() < *bound.value
                                   : real.largest_difference->difference() > *bound.value;
      }
      expect_at_most(failures, runs, 0.05, "Adult, " + criterion.name);
    }
  }
}

TEST(Coverage, MonitoringRaisesFewFalseAlarmsHoweverOftenOneLooks) {
  Random random(13);
  constexpr int rows = 200;
  const auto count = [&](double rate) {
    int out = 0;
    for (int i = 0; i < rows; ++i) out += random.unit() < rate ? 1 : 0;
    return RateCount{1.0 * out, rows};
  };
  const int runs = trials(2000);
  int alarms = 0;
  for (int run = 0; run < runs; ++run) {
    PairEvidence one(0.05);
    PairEvidence other(0.05);
    for (int look = 0; look < 60; ++look) {
      const RateCount a = count(0.35);  // at the boundary
      const RateCount b = count(0.30);
      one.add(a, b);
      other.add(b, a);
      if (std::exp(one.log_evidence()) + std::exp(other.log_evidence()) >= 2 / 0.05) {
        ++alarms;
        break;
      }
    }
  }
  expect_at_most(alarms, runs, 0.05, "false alarms");
}

}  // namespace
}  // namespace evenhand::testing::coverage_test
