#include <evenhand/scale.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/check_costs.h"
#include "support/first_where.h"
#include "support/logit.h"

namespace evenhand {
namespace {

bool unbounded(Scale scale) noexcept {
  return scale == Scale::logit || scale == Scale::raw;
}

}  // namespace

double Reading::lowest() const noexcept {
  if (unbounded(scale)) return std::numeric_limits<double>::lowest();
  return scale == Scale::probability && favorable == Favorable::high ? 0.0 : -1.0;
}

double Reading::highest() const noexcept {
  if (unbounded(scale)) return std::numeric_limits<double>::max();
  return scale == Scale::probability && favorable == Favorable::low ? 0.0 : 1.0;
}

double Reading::probability(double x) const noexcept {
  switch (scale) {
    case Scale::probability:
      return favorable == Favorable::high ? x : 1 + x;
    case Scale::signed_:
      return (1 + x) / 2;
    case Scale::logit:
      return sigmoid(x);
    case Scale::raw:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void check_costs(const Costs& costs) {
  const auto is_cost = [](double cost) { return cost >= 0 && std::isfinite(cost); };
  if (is_cost(costs.false_positive) && is_cost(costs.false_negative) &&
      costs.false_positive + costs.false_negative > 0) {
    return;
  }
  throw std::invalid_argument(fmt::format(
      "costs are at least 0 and not both 0, not {} (false positive) and {} (false negative)",
      costs.false_positive, costs.false_negative));
}

double first_above(const Reading& reading, const Costs& costs, double bar) noexcept {
  // The benefit is nondecreasing in x, in floating point too.
  return first_where(reading,
                     [&](double x) { return benefit(reading.probability(x), costs) > bar; });
}

}  // namespace evenhand
