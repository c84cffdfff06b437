#include <evenhand/tests_of_rates.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "confidence/check.h"
#include "confidence/hypergeometric.h"

namespace evenhand {
namespace {

void check_whole(const RateCount& count) {
  check_count(count);
  if (!whole(count)) {
    throw std::invalid_argument(
        fmt::format("tests need whole counts, decisions that were taken, not {} of {}",
                    count.positive, count.rows));
  }
}

// P(X > x) for X with one degree of freedom.
double chi_square_above(double x) {
  return std::erfc(std::sqrt(x / 2));
}

}  // namespace

bool whole(const RateCount& count) noexcept {
  return count.positive == std::floor(count.positive) && count.rows == std::floor(count.rows);
}

ExactTest fisher_exact(const RateCount& group, const RateCount& reference) {
  check_whole(group);
  check_whole(reference);
  const Hypergeometric dealt{group.rows, reference.rows, group.positive + reference.positive};
  // Tables whose probabilities differ by rounding only are as likely as each other.
  constexpr double as_likely = 1e-7;
  const double seen = dealt.relative(group.positive);
  double all = 0, less = 0, same = 0;
  dealt.each([&](double, double mass) {
    all += mass;
    if (mass < seen * (1 - as_likely)) {
      less += mass;
    } else if (mass <= seen * (1 + as_likely)) {
      same += mass;
    }
  });
  return {std::min(1.0, (less + same) / all), std::min(1.0, (less + same / 2) / all)};
}

double standard_deviations(const RateCount& group, const RateCount& reference) {
  check_count(group);
  check_count(reference);
  const double p = (group.positive + reference.positive) / (group.rows + reference.rows);
  const double variance = p * (1 - p) * (1 / group.rows + 1 / reference.rows);
  return variance > 0 ? (rate_of(group) - rate_of(reference)) / std::sqrt(variance) : 0;
}

double shortfall(const RateCount& group, const RateCount& reference, double ratio) {
  check_count(group);
  check_count(reference);
  if (!(ratio >= 0 && std::isfinite(ratio))) {
    throw std::invalid_argument(fmt::format("a ratio of rates is 0 or more, not {}", ratio));
  }
  return std::max(0.0, group.rows * ratio * rate_of(reference) - group.positive);
}

ChiSquareTest mantel_haenszel(std::span<const RatesOfTwo> strata) {
  double off = 0;
  double variance = 0;
  for (const auto& [group, reference] : strata) {
    check_whole(group);
    check_whole(reference);
    const Hypergeometric dealt{group.rows, reference.rows, group.positive + reference.positive};
    off += group.positive - dealt.mean();
    variance += dealt.variance();
  }
  if (variance == 0) return {};
  const double statistic = off * off / variance;
  return {statistic, chi_square_above(statistic)};
}

PermutationTest largest_difference_test(std::span<const std::vector<RateCount>> strata,
                                        const Permutations& permutations) {
  if (permutations.draws == 0) throw std::invalid_argument("a permutation test draws once or more");
  struct Dealt {
    std::vector<double> rows;
    double all = 0, positive = 0;
  };
  std::vector<Dealt> stratum_of;
  double seen = 0;
  for (const std::vector<RateCount>& groups : strata) {
    Dealt dealt;
    double low = 1;
    double high = 0;
    for (const RateCount& count : groups) {
      check_whole(count);
      dealt.rows.push_back(count.rows);
      dealt.all += count.rows;
      dealt.positive += count.positive;
      low = std::min(low, rate_of(count));
      high = std::max(high, rate_of(count));
    }
    seen = std::max(seen, high - low);
    // Where nobody or everybody is positive, every deal is the same.
    if (dealt.positive > 0 && dealt.positive < dealt.all) stratum_of.push_back(std::move(dealt));
  }
  // Rates are quotients of whole numbers: this is rounding, far below their differences.
  const double as_large = seen - 1e-12;
  Draw draw(permutations.seed);
  std::size_t hits = 0;
  for (std::size_t n = 0; n < permutations.draws; ++n) {
    bool hit = as_large <= 0;
    // All strata are dealt even after a hit, so that draws do not depend on what was found.
    for (const Dealt& dealt : stratum_of) {
      double rows = dealt.all;
      double positive = dealt.positive;
      double low = 1;
      double high = 0;
      for (const double size : dealt.rows) {
        rows -= size;
        const double got = draw.from({size, rows, positive});
        positive -= got;
        low = std::min(low, got / size);
        high = std::max(high, got / size);
      }
      hit = hit || high - low >= as_large;
    }
    hits += hit ? 1 : 0;
  }
  return {seen, static_cast<double>(1 + hits) / static_cast<double>(1 + permutations.draws)};
}

std::vector<double> holm(std::span<const double> p) {
  for (const double each : p) check_share(each, "a p-value");
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> out(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, left * p[order[i]]));
    out[order[i]] = largest;
  }
  return out;
}

double effective_size(double weight, double squared_weights) {
  if (!(weight > 0 && squared_weights > 0 && std::isfinite(weight) &&
        std::isfinite(squared_weights))) {
    throw std::invalid_argument("an effective size needs weights above 0");
  }
  return weight * weight / squared_weights;
}

}  // namespace evenhand
