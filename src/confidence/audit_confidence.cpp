#include <evenhand/audit_confidence.h>

#include <algorithm>

#include "confidence/bound.h"
#include "confidence/check.h"

namespace evenhand {
namespace {

// All views together: their bounds hold at once.
std::vector<ComparedGroups> groups_of(const AuditReport& report) {
  std::vector<ComparedGroups> out;
  for (const AuditView& view : report.views) {
    const std::size_t first = out.size();
    for (const ComparedRates& compared : view.compared) {
      ComparedGroups groups{compared.stratum.values, compared.rate, {}, {}};
      for (const CountedGroup& group : compared.groups) {
        if (!report.scope.reference.empty() && group.name.values == report.scope.reference) {
          groups.reference = groups.groups.size();
        }
        groups.groups.push_back(
            {{group.name.in(compared.stratum).text(), group.count.rows}, group.rate, 0});
      }
      if (!report.scope.reference.empty() && !groups.reference) continue;
      if (groups.groups.size() > 1) out.push_back(std::move(groups));
    }
    // Both rates of a stratum together, as in fits.
    std::stable_sort(
        out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
        [](const ComparedGroups& a, const ComparedGroups& b) { return a.values < b.values; });
  }
  return out;
}

bool any_pooled(const AuditReport& report) {
  for (const AuditView& view : report.views) {
    for (const ComparedRates& compared : view.compared) {
      for (const CountedGroup& group : compared.groups) {
        if (group.pooled) return true;
      }
    }
  }
  return false;
}

// Whether the report compares what the fit made alike.
bool same_comparison(const AuditScope& scope, const Criterion& criterion) {
  const AuditScope fitted = scope_of(criterion);
  return scope.rates == fitted.rates && scope.all_cells == fitted.all_cells &&
         scope.roles.sensitive == fitted.roles.sensitive &&
         scope.roles.within == fitted.roles.within && scope.roles.across == fitted.roles.across;
}

std::string out_of_reach_of_fits(const AuditReport& report, const FitRecord& fit) {
  if (!report.unit_weights) return "rows have weights, and the bound counts people";
  if (fit.blind.value_or(false)) return "one threshold decides for several cells";
  const bool several =
      report.scope.roles.across != Across::intersection && report.scope.roles.sensitive.size() > 1;
  if (several || any_pooled(report)) {
    return "the groups pool several cells, each with its own threshold";
  }
  return {};
}

}  // namespace

AuditConfidence confidence_of(const AuditReport& report, const AuditConfidenceOptions& options) {
  check_confidence(options.confidence);
  AuditConfidence out;
  out.fitted = options.fitted_by.has_value();
  const std::vector<ComparedGroups> compared = groups_of(report);
  const auto each = [&](const auto& bound) {
    out.difference = bound(false);
    out.ratio = bound(true);
  };
  if (!out.fitted) {
    if (!report.unit_weights && !report.effective) {
      each([&](bool is_ratio) {
        return no_bound("rows have weights, and the bound counts people", options.confidence,
                        is_ratio);
      });
      return out;
    }
    each([&](bool is_ratio) {
      return bound_of_fresh(compared, options.confidence, is_ratio, options.strict);
    });
    return out;
  }
  const FitRecord& fit = *options.fitted_by;
  Criterion criterion;
  bool tied = false;
  if (fit.criterion && fit.proof && fit.criterion->name != "requirements") {
    criterion = fit.criterion->criterion();
    tied = same_comparison(report.scope, criterion) &&
           ties_rates(criterion, fit.proof->status, fit.gamma.value_or(0));
  }
  check_kind(options.kind, tied);
  const std::string reason = out_of_reach_of_fits(report, fit);
  each([&](bool is_ratio) {
    if (!reason.empty()) return no_bound(reason, options.confidence, is_ratio);
    // At a lower confidence than the fit's, a certificate holds too.
    const bool certified = fit.certified && *fit.certified >= options.confidence;
    return bound_of_fitted(compared, criterion, options.kind,
                           {options.confidence, is_ratio, tied, certified});
  });
  return out;
}

}  // namespace evenhand
