#include "confidence/bound.h"

#include <evenhand/audit_confidence.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "confidence/check.h"

namespace evenhand {
namespace {

// A rate that was given beforehand leaves nothing to choose by the rows: they count as fresh.
bool rate_was_given(const Criterion& criterion) {
  return criterion.relation == Relation::target && criterion.rho.kind == Rho::Kind::given;
}

// With the window [t, u] that the criterion leaves, the rule of each group is at most the one at
// its upper end and at least the one at its lower end, so that the bound is the one of (u, t); both
// rates observed say where t may be. A tolerance leaves u = t + tolerance, a ratio u = t / ratio.
double same_rate_bound(const PairBounds& bounds, std::size_t n, double over, double under,
                       const Criterion& criterion, bool is_ratio) {
  double highest = under;
  double lowest = over;
  if (criterion.relation == Relation::ratio) {
    highest = std::min(1.0, under / criterion.ratio);
    lowest = criterion.ratio * over;
  } else {
    const double width =
        criterion.relation == Relation::target ? 2 * criterion.tolerance : criterion.tolerance;
    if (width == 0) {
      return is_ratio ? bounds.ratio(n, under, over) : bounds.difference(n, over, under);
    }
    highest = std::min(1.0, under + width);
    lowest = std::max(0.0, over - width);
  }
  return is_ratio
             ? std::max(bounds.ratio(n, lowest, over), bounds.ratio(n, under, highest))
             : std::min(bounds.difference(n, highest, under), bounds.difference(n, over, lowest));
}

// Why there is nothing to bound; empty if there is.
std::string not_countable(std::span<const ComparedGroups> compared) {
  const std::size_t count = count_pairs(compared);
  if (count == 0) return "there is nobody to compare";
  if (count <= most_pairs) return {};
  return fmt::format("{} pairs of groups are more than {} to compare", count, most_pairs);
}

ConfidenceBound empty_bound(double confidence, bool is_ratio) {
  ConfidenceBound out;
  out.confidence = confidence;
  out.is_ratio = is_ratio;
  return out;
}

double fresh_of_pair(const RateCount& over, const RateCount& under, double alpha, bool is_ratio,
                     bool strict) {
  if (is_ratio) {
    return strict ? strict_ratio_at_least(under, over, alpha)
                  : fresh_ratio_at_least(under, over, alpha);
  }
  return strict ? strict_difference_at_most(over, under, alpha)
                : fresh_difference_at_most(over, under, alpha);
}

// A rate that was given: what the rows would count at the ends of its window.
ConfidenceBound given_rate_bound(std::span<const ComparedGroups> compared,
                                 const Criterion& criterion, double confidence, bool is_ratio) {
  ConfidenceBound out = empty_bound(confidence, is_ratio);
  const double alpha = (1 - confidence) / static_cast<double>(count_pairs(compared));
  const double high = std::min(1.0, criterion.rho.value + criterion.tolerance);
  const double low = std::max(0.0, criterion.rho.value - criterion.tolerance);
  bounded(
      compared,
      [&](std::size_t, const ComparedGroup& over, const ComparedGroup& under) {
        return fresh_of_pair({high * over.group.rows, over.group.rows},
                             {low * under.group.rows, under.group.rows}, alpha, is_ratio, false);
      },
      out);
  return out;
}

}  // namespace

void check_kind(std::optional<BoundKind> kind, bool tied) {
  if (kind == BoundKind::same_rate && !tied) {
    throw std::invalid_argument(
        "the bound same-rate is for exact fits of a named criterion, with gamma 0 and no "
        "requirements: use any or dkw");
  }
}

bool ties_rates(const Criterion& criterion, Status status, double gamma) {
  return status == Status::optimal && gamma == 0 && criterion.require.empty();
}

ConfidenceBound no_bound(const std::string& reason, double confidence, bool is_ratio) {
  ConfidenceBound out = empty_bound(confidence, is_ratio);
  out.reason = reason;
  return out;
}

ConfidenceBound bound_of_fitted(std::span<const ComparedGroups> compared,
                                const Criterion& criterion, std::optional<BoundKind> kind,
                                const FittedBound& options) {
  const auto& [confidence, is_ratio, tied, certified] = options;
  if (const std::string reason = not_countable(compared); !reason.empty()) {
    return no_bound(reason, confidence, is_ratio);
  }
  if (!kind && tied && rate_was_given(criterion)) {
    return given_rate_bound(compared, criterion, confidence, is_ratio);
  }
  ConfidenceBound out = empty_bound(confidence, is_ratio);
  out.kind = kind.value_or(tied ? BoundKind::same_rate : BoundKind::any);
  const PairBounds bounds(pairs_of(compared), 1 - confidence, *out.kind);
  bounded(
      compared,
      [&](std::size_t n, const ComparedGroup& over, const ComparedGroup& under) {
        const auto at_rates = [&] {
          return is_ratio ? bounds.ratio(n, under.rate, over.rate)
                          : bounds.difference(n, over.rate, under.rate);
        };
        if (out.kind != BoundKind::same_rate) return at_rates();
        const double value = same_rate_bound(bounds, n, over.rate, under.rate, criterion, is_ratio);
        // A certified window is narrower than the criterion's: that it keeps the criterion on new
        // people was checked before any rate was chosen.
        if (!certified || is_ratio != (criterion.relation == Relation::ratio)) return value;
        if (is_ratio) {
          return at_rates() >= criterion.ratio ? std::max(value, criterion.ratio) : value;
        }
        return at_rates() <= criterion.tolerance ? std::min(value, criterion.tolerance) : value;
      },
      out);
  return out;
}

ConfidenceBound bound_of_fresh(std::span<const ComparedGroups> compared, double confidence,
                               bool is_ratio, bool strict) {
  if (const std::string reason = not_countable(compared); !reason.empty()) {
    return no_bound(reason, confidence, is_ratio);
  }
  ConfidenceBound out = empty_bound(confidence, is_ratio);
  const double alpha = (1 - confidence) / static_cast<double>(count_pairs(compared));
  const auto counted = [](const ComparedGroup& group) {
    return RateCount{std::min(group.rate, 1.0) * group.group.rows, group.group.rows};
  };
  bounded(
      compared,
      [&](std::size_t, const ComparedGroup& over, const ComparedGroup& under) {
        return fresh_of_pair(counted(over), counted(under), alpha, is_ratio, strict);
      },
      out);
  return out;
}

ConfidenceBound confidence_bound(const Tally& tally, const Solution& solution,
                                 const BoundOptions& options) {
  check_confidence(options.confidence);
  const Criterion& criterion = solution.criterion;
  const bool is_ratio = criterion.relation == Relation::ratio;
  const bool tied = ties_rates(criterion, solution.status, solution.options.gamma);
  check_kind(options.kind, tied);
  const std::string reason = solution.status == Status::infeasible ? "there is no rule"
                             : solution.options.blind ? "one threshold decides for several cells"
                                                      : out_of_reach(tally, criterion);
  if (!reason.empty()) return no_bound(reason, options.confidence, is_ratio);
  return bound_of_fitted(compared_cells(tally, solution), criterion, options.kind,
                         {options.confidence, is_ratio, tied});
}

ConfidenceBound fresh_bound(const Tally& tally, const Criterion& criterion, const Rule& rule,
                            double confidence, bool strict) {
  if (criterion.rates.empty()) {
    check_confidence(confidence);
    return no_bound("requirements alone compare no groups", confidence,
                    criterion.relation == Relation::ratio);
  }
  const AuditConfidence found = confidence_of(audit_report(tally, scope_of(criterion), rule),
                                              {.confidence = confidence, .strict = strict});
  return criterion.relation == Relation::ratio ? found.ratio : found.difference;
}

}  // namespace evenhand
