#include <evenhand/plan.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "confidence/beta.h"
#include "confidence/bisect.h"
#include "confidence/check.h"

namespace evenhand {
namespace {

void check(std::span<const PlannedStratum> strata, const PlanOptions& options) {
  if (options.tolerance.has_value() == options.ratio.has_value()) {
    throw std::invalid_argument("a plan is for a tolerance or for a ratio");
  }
  if (options.tolerance && !(*options.tolerance > 0 && *options.tolerance <= 1)) {
    throw std::invalid_argument(
        fmt::format("the tolerance of a plan is above 0 and at most 1, not {}: no number of people "
                    "shows that a difference is exactly 0",
                    *options.tolerance));
  }
  if (options.ratio && !(*options.ratio > 0 && *options.ratio < 1)) {
    throw std::invalid_argument(
        fmt::format("the ratio of a plan lies between 0 and 1, not {}", *options.ratio));
  }
  check_confidence(options.confidence);
  if (!(options.power > 0 && options.power < 1)) {
    throw std::invalid_argument(
        fmt::format("a power lies between 0 and 1, for example 0.8, not {}", options.power));
  }
  if (options.actual) {
    const double actual = *options.actual;
    const bool reachable = options.tolerance ? actual >= 0 && actual < *options.tolerance
                                             : actual > *options.ratio && actual <= 1;
    if (!reachable) {
      throw std::invalid_argument(
          options.tolerance
              ? fmt::format("an actual difference of {} cannot be shown to be at most {}: give one "
                            "from 0 to below the tolerance",
                            actual, *options.tolerance)
              : fmt::format("an actual ratio of {} cannot be shown to be at least {}: give one "
                            "above it and up to 1",
                            actual, *options.ratio));
    }
  }
  for (const PlannedStratum& stratum : strata) {
    check_share(stratum.rate, "a rate");
    if (options.ratio && stratum.rate == 0) {
      throw std::invalid_argument("a ratio of rates needs a rate above 0");
    }
  }
}

// The bound of all pairs together if every group has `factor` times its rows.
double bound_at(std::span<const PlannedStratum> strata, const PlanOptions& options, double factor) {
  std::vector<PairSizes> pairs = pairs_of(strata);
  for (PairSizes& pair : pairs) pair = {pair.over * factor, pair.under * factor};
  const PairBounds bounds(std::move(pairs), 1 - options.confidence, options.kind);
  double worst = options.ratio ? 1 : 0;
  std::size_t pair = 0;
  for (const PlannedStratum& stratum : strata) {
    for (std::size_t i = 0; i < stratum.rows.size() * (stratum.rows.size() - 1); ++i, ++pair) {
      worst = options.ratio ? std::min(worst, bounds.ratio(pair, stratum.rate, stratum.rate))
                            : std::max(worst, bounds.difference(pair, stratum.rate, stratum.rate));
    }
  }
  return worst;
}

double fitted(std::span<const PlannedStratum> strata, const PlanOptions& options) {
  const auto too_few = [&](double log_factor) {
    const double bound = bound_at(strata, options, std::exp(log_factor));
    return options.ratio ? bound < *options.ratio : bound > *options.tolerance;
  };
  constexpr double most = 80;  // no plan needs 10^34 times as many people
  double high = -most;
  while (too_few(high) && high < most) high += 1;
  double low = high - 1;
  for (int round = 0; round < 40; ++round) {
    const double middle = (low + high) / 2;
    (too_few(middle) ? low : high) = middle;
  }
  return std::exp(high);
}

// By the normal approximation: the bound lies z_alpha standard errors above the difference seen,
// which itself is z_power of them above the true one in the worse cases. For ratios, on the scale
// of their logarithm.
double fresh(std::span<const PlannedStratum> strata, const PlanOptions& options) {
  const std::size_t count = pairs_of(strata).size();
  const double z = normal_above((1 - options.confidence) / static_cast<double>(count)) +
                   normal_above(1 - options.power);
  const double gap = options.tolerance ? *options.tolerance - options.actual.value_or(0)
                                       : std::log(options.actual.value_or(1) / *options.ratio);
  double factor = 0;
  for (const PlannedStratum& stratum : strata) {
    const double spread =
        options.tolerance ? stratum.rate * (1 - stratum.rate) : (1 - stratum.rate) / stratum.rate;
    for (std::size_t i = 0; i < stratum.rows.size(); ++i) {
      for (std::size_t j = i + 1; j < stratum.rows.size(); ++j) {
        const double variance = spread / stratum.rows[i] + spread / stratum.rows[j];
        factor = std::max(factor, z > 0 ? variance * (z / gap) * (z / gap) : 0);
      }
    }
  }
  return factor;
}

}  // namespace

std::vector<PairSizes> pairs_of(std::span<const PlannedStratum> strata) {
  std::vector<PairSizes> out;
  for (const PlannedStratum& stratum : strata) {
    for (std::size_t i = 0; i < stratum.rows.size(); ++i) {
      for (std::size_t j = 0; j < stratum.rows.size(); ++j) {
        if (i != j) out.push_back({stratum.rows[i], stratum.rows[j]});
      }
    }
  }
  return out;
}

Plan plan(std::span<const PlannedStratum> strata, const PlanOptions& options) {
  check(strata, options);
  if (pairs_of(strata).empty()) {
    throw std::invalid_argument("there is nothing to compare: no stratum has two groups");
  }
  return {fitted(strata, options), fresh(strata, options), bound_at(strata, options, 1)};
}

}  // namespace evenhand
