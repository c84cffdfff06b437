// The bound of a rule, fitted on the rows or fresh to them, for groups that are known with rates
// and rows.
#pragma once

#include <evenhand/confidence_bound.h>

#include <optional>
#include <span>
#include <string>

#include "confidence/compared.h"

namespace evenhand {

// Whether the rates move together, in a window that was known before the rows.
bool ties_rates(const Criterion& criterion, Status status, double gamma);
// Throws std::invalid_argument for BoundKind::same_rate where nothing ties the rates.
void check_kind(std::optional<BoundKind> kind, bool tied);

ConfidenceBound no_bound(const std::string& reason, double confidence, bool is_ratio);

struct FittedBound {
  double confidence = 0.95;
  bool is_ratio = false;
  bool tied = false;       // by the criterion: its window is that of these rates
  bool certified = false;  // the window was chosen so that its bound is what the criterion asks
};
// `kind`: none for the one that suits. The criterion matters for tied rates only.
ConfidenceBound bound_of_fitted(std::span<const ComparedGroups> compared,
                                const Criterion& criterion, std::optional<BoundKind> kind,
                                const FittedBound& options);
ConfidenceBound bound_of_fresh(std::span<const ComparedGroups> compared, double confidence,
                               bool is_ratio, bool strict);

}  // namespace evenhand
