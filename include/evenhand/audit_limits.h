// Limits that an audit may not exceed, for pipelines and tests.
#pragma once

#include <evenhand/confidence_bound.h>

#include <optional>
#include <string>
#include <vector>

namespace evenhand {

struct AuditLimits {
  std::optional<double> fail_above;  // of the largest difference, in [0, 1]
  std::optional<double> fail_below;  // of the smallest ratio, in [0, 1]
  // The same of new people: what the data show, with the audit's confidence.
  std::optional<double> if_shown_above;      // of a difference
  std::optional<double> unless_shown_below;  // of a difference
  std::optional<double> if_shown_ratio_below;
  std::optional<double> unless_shown_ratio_above;

  bool about_new_people() const noexcept;
};

// What an audit found: over all views, strata and rates that are compared; none if nothing is.
struct AuditedExtremes {
  std::optional<double> difference;
  std::optional<double> ratio;
  // Without them, limits of what the data show are refused.
  const ConfidenceBound* difference_bound = nullptr;
  const ConfidenceBound* ratio_bound = nullptr;
};

// A line for each limit that is exceeded, by more than rounding (1e-9). Throws
// std::invalid_argument if there is a limit and nothing was compared.
std::vector<std::string> exceeded(const AuditLimits& limits, const AuditedExtremes& found);

}  // namespace evenhand
