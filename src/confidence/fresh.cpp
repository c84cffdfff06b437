// Rows that the rule was not fitted on.
#include <evenhand/confidence.h>

#include <algorithm>
#include <cmath>

#include "confidence/beta.h"
#include "confidence/check.h"

namespace evenhand {
// With decisions by coin `positive` is a sum of probabilities, which varies less than a count with
// the same mean.
RateLimits exact_limits(const RateCount& count, double alpha) {
  check_level(alpha);
  check_count(count);
  const auto& [positive, rows] = count;
  // The upper limit is one less that of the other decision: its tail keeps all its digits.
  return {positive <= 0 ? 0 : beta_quantile(positive, rows - positive + 1, alpha),
          positive >= rows ? 1 : 1 - beta_quantile(rows - positive, positive + 1, alpha)};
}

double fresh_difference_at_most(const RateCount& over, const RateCount& under, double alpha) {
  const double up = exact_limits(over, alpha).high - rate_of(over);
  const double down = rate_of(under) - exact_limits(under, alpha).low;
  return std::min(1.0, rate_of(over) - rate_of(under) + std::hypot(up, down));
}

// The largest t with p_j - t p_i >= sqrt(down^2 + t^2 up^2): the smaller root of
// (p_i^2 - up^2) t^2 - 2 p_i p_j t + p_j^2 - down^2, in the form that does not cancel.
double fresh_ratio_at_least(const RateCount& under, const RateCount& over, double alpha) {
  const double up = exact_limits(over, alpha).high - rate_of(over);
  const double low = exact_limits(under, alpha).low;
  const double down = rate_of(under) - low;
  const double product = rate_of(over) * rate_of(under);
  const double square = low * (rate_of(under) + down);  // p_j^2 - down^2
  if (square <= 0) return 0;
  const double root = product * product - (rate_of(over) - up) * (rate_of(over) + up) * square;
  return square / (product + std::sqrt(std::max(0.0, root)));
}

double strict_difference_at_most(const RateCount& over, const RateCount& under, double alpha) {
  return exact_limits(over, alpha / 2).high - exact_limits(under, alpha / 2).low;
}

double strict_ratio_at_least(const RateCount& under, const RateCount& over, double alpha) {
  return exact_limits(under, alpha / 2).low / exact_limits(over, alpha / 2).high;
}

}  // namespace evenhand
