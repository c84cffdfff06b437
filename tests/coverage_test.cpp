// Whether bounds hold as often as they say, by simulation from populations whose rates are known.
// A share of failures above the stated one would have to be chance of 1 in 10,000 to pass.
#include <evenhand/evenhand.h>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/trials.h"

namespace evenhand::testing {
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

TEST(Coverage, HoldsForThresholdsPutByAnAdversary) {
  // Threshold rules with the same observed rate k / m in both cells, at any k, with the threshold
  // anywhere between two rows: the worst of all.
  for (const int m : {5, 20, 60, 400}) {
    const PairBounds bounds({{1.0 * m, 1.0 * m}, {1.0 * m, 1.0 * m}}, 0.05, BoundKind::same_rate);
    std::vector<double> limit;
    for (int k = 0; k <= m; ++k) limit.push_back(bounds.difference(0, 1.0 * k / m, 1.0 * k / m));
    Random random(static_cast<unsigned>(m));
    const auto masses = [&] {
      std::vector<double> out = {0, 1};
      for (int i = 0; i < m; ++i) out.push_back(random.unit());
      std::sort(out.begin(), out.end());
      return out;  // out[k] .. out[k + 1]: true rates of thresholds that take k rows
    };
    const int runs = trials(20000);
    int failures = 0;
    for (int run = 0; run < runs; ++run) {
      const std::vector<double> a = masses();
      const std::vector<double> b = masses();
      for (std::size_t k = 0; k < limit.size(); ++k) {
        if (std::max(a[k + 1] - b[k], b[k + 1] - a[k]) > limit[k]) {
          ++failures;
          break;
        }
      }
    }
    expect_at_most(failures, runs, 0.05, "cells of " + std::to_string(m));
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
    const Drawn drawn = draw(random, {{800, 800}}, 0);
    const CertifiedFit fit = certify(drawn.tally, criterion, {.threads = 1});
    ASSERT_FALSE(fit.too_few);
    certified += truth(drawn, fit.solution.rule, criterion) > 0.1;
    plain += truth(drawn, fit.plain.rule, criterion) > 0.1;
  }
  expect_at_most(certified, runs, 0.05, "certified");
  EXPECT_GE(plain, runs * 35 / 100) << "of " << runs;
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
}  // namespace evenhand::testing
