// Intervals of two rates by inverting score tests: a value is in when the rates that are most
// likely under it are not too many standard deviations from those seen.
#include <evenhand/tests_of_rates.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "confidence/beta.h"
#include "confidence/bisect.h"
#include "confidence/check.h"

namespace evenhand {
namespace {

// The p of the reference that is most likely when the group's is p + difference. The derivative of
// the log likelihood falls with p, so that bisection finds its root, or the end nearest to it.
double likeliest(const RateCount& group, const RateCount& reference, double difference) {
  const auto slope = [](const RateCount& count, double p) {
    const double negative = count.rows - count.positive;
    return (count.positive > 0 ? count.positive / p : 0) - (negative > 0 ? negative / (1 - p) : 0);
  };
  return last_of_bisection(
      std::max(0.0, -difference), std::min(1.0, 1 - difference), [&](double p) {
        return slope(group, std::min(1.0, p + difference)) + slope(reference, p) > 0;
      });
}

// Standard deviations from a difference to the one seen; falls with the difference.
double score_of_difference(const RateCount& group, const RateCount& reference, double difference) {
  const double q = likeliest(group, reference, difference);
  const double p = std::clamp(q + difference, 0.0, 1.0);
  const double n = group.rows + reference.rows;
  if (n <= 1) return 0;  // less than two rows say nothing
  const double variance = (p * (1 - p) / group.rows + q * (1 - q) / reference.rows) * n / (n - 1);
  const double off = rate_of(group) - rate_of(reference) - difference;
  if (off == 0) return 0;
  return variance > 0 ? off / std::sqrt(variance)
                      : std::copysign(std::numeric_limits<double>::infinity(), off);
}

// Pearson's chi-square of one group, in forms that stay exact where everybody or nobody is
// positive.
double chi_square(const RateCount& count, double p) {
  if (count.positive == 0) return count.rows * p / (1 - p);
  if (count.positive == count.rows) return count.rows * (1 - p) / p;
  const double off = count.positive - count.rows * p;
  return off * off / (count.rows * p * (1 - p));
}

double chi_square_of_ratio(const RateCount& group, const RateCount& reference, double ratio) {
  const double n = group.rows + reference.rows;
  const double positive = group.positive + reference.positive;
  // The likeliest p of the reference: the smaller root of n ratio p^2 - b p + positive.
  const double b = ratio * (group.rows + reference.positive) + group.positive + reference.rows;
  const double root = std::sqrt(std::max(0.0, b * b - 4 * n * ratio * positive));
  const double q = std::min(1.0, 2 * positive / (b + root));
  return chi_square(group, std::min(1.0, ratio * q)) + chi_square(reference, q);
}

double two_sided(double confidence) {
  check_confidence(confidence);
  return normal_above((1 - confidence) / 2);
}

}  // namespace

RateLimits difference_interval(const RateCount& group, const RateCount& reference,
                               double confidence) {
  check_count(group);
  check_count(reference);
  const double z = two_sided(confidence);
  const double seen = rate_of(group) - rate_of(reference);
  const auto within = [&](double difference) {
    return std::abs(score_of_difference(group, reference, difference)) <= z;
  };
  // Over the distance from the difference seen, which keeps its digits.
  const double down = last_of_bisection(0, seen + 1, [&](double d) { return within(seen - d); });
  const double up = last_of_bisection(0, 1 - seen, [&](double d) { return within(seen + d); });
  return {std::max(-1.0, seen - down), std::min(1.0, seen + up)};
}

RateLimits ratio_interval(const RateCount& group, const RateCount& reference, double confidence) {
  check_count(group);
  check_count(reference);
  const double z = two_sided(confidence);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto within = [&](double log_ratio) {
    return chi_square_of_ratio(group, reference, std::exp(log_ratio)) <= z * z;
  };
  constexpr double far = 600;  // e^600 has a square, and no data reach it
  RateLimits out{0, infinity};
  if (group.positive == 0 && reference.positive == 0) return out;
  const double seen = group.positive == 0       ? -far
                      : reference.positive == 0 ? far
                                                : std::log(rate_of(group) / rate_of(reference));
  if (group.positive > 0) {
    out.low = std::exp(
        seen - last_of_bisection(0, seen + far, [&](double d) { return within(seen - d); }));
  }
  if (reference.positive > 0) {
    out.high = std::exp(
        seen + last_of_bisection(0, far - seen, [&](double d) { return within(seen + d); }));
  }
  return out;
}

}  // namespace evenhand
