#include <evenhand/monitor.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "confidence/bisect.h"
#include "confidence/check.h"

namespace evenhand {
namespace {

struct RatePair {
  double a, b;
};

// The point with p_a - p_b = tolerance that is nearest to the guess in n_a KL + n_b KL.
RatePair nearest(const RatePair& guess, double rows_a, double rows_b, double tolerance) {
  const double b =
      last_of_bisection(std::max(0.0, -tolerance), std::min(1.0, 1 - tolerance), [&](double y) {
        const double x = y + tolerance;
        return rows_a * (x - guess.a) / (x * (1 - x)) + rows_b * (y - guess.b) / (y * (1 - y)) < 0;
      });
  return {b + tolerance, b};
}

double log_likelihood_ratio(const RateCount& count, double guess, double null) {
  return count.positive * std::log(guess / null) +
         (count.rows - count.positive) * std::log((1 - guess) / (1 - null));
}

}  // namespace

PairEvidence::PairEvidence(double tolerance) : tolerance_(tolerance) {
  if (!(tolerance > -1 && tolerance < 1)) {
    throw std::invalid_argument(
        fmt::format("a tolerance to monitor lies between -1 and 1, not {}", tolerance));
  }
}

// Why it is fair: with s = (guess - nearest) / (q (1 - q)) in each group, n_a s_a = -n_b s_b = L >=
// 0 at the nearest point, and the expectation of the ratio is
// (1 + (p_a - q_a) s_a)^n_a (1 + (p_b - q_b) s_b)^n_b <= exp(L (p_a - p_b - tolerance)) <= 1. It is
// convex in every decision, so that probabilities in place of decisions only lower it.
void PairEvidence::add(const RateCount& a, const RateCount& b) {
  for (const RateCount* count : {&a, &b}) {
    if (!(count->rows >= 0 && count->positive >= 0 && count->positive <= count->rows)) {
      throw std::invalid_argument(
          fmt::format("a batch has from 0 to all of its rows positive, not "
                      "{} of {}",
                      count->positive, count->rows));
    }
  }
  constexpr double edge = 1e-3;
  if (past_.rows > 0 && a.rows > 0 && b.rows > 0) {
    const double level = (past_.positive + 0.5) / (past_.rows + 1);
    for (std::size_t g = 0; g < gaps.size(); ++g) {
      const double d = tolerance_ + gaps[g];
      const double lowest = std::max(edge, edge - d);
      const double highest = std::min(1 - edge, 1 - edge - d);
      if (lowest >= highest) continue;
      const double low = std::clamp(level - d * a.rows / (a.rows + b.rows), lowest, highest);
      const RatePair guess{low + d, low};
      const RatePair null = nearest(guess, a.rows, b.rows, tolerance_);
      logs_[g] +=
          log_likelihood_ratio(a, guess.a, null.a) + log_likelihood_ratio(b, guess.b, null.b);
    }
  }
  past_.positive += a.positive + b.positive;
  past_.rows += a.rows + b.rows;
}

double PairEvidence::log_evidence() const noexcept {
  const double largest = *std::max_element(logs_.begin(), logs_.end());
  double sum = 0;
  for (const double log : logs_) sum += std::exp(log - largest);
  return largest + std::log(sum / static_cast<double>(gaps.size()));
}

// Rejecting "p_b - p_a <= -d" rejects "p_a - p_b >= d".
double monitored_difference_at_most(std::span<const std::pair<RateCount, RateCount>> batches,
                                    double alpha) {
  check_level(alpha);
  const double enough = -std::log(alpha);
  const auto kept = [&](double d) {
    PairEvidence evidence(-d);
    for (const auto& [a, b] : batches) {
      evidence.add(b, a);
      if (evidence.log_evidence() >= enough) return false;
    }
    return true;
  };
  double low = -1;
  double high = 1;
  for (int round = 0; round < 40; ++round) {
    const double middle = (low + high) / 2;
    (kept(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace evenhand
