#include <evenhand/audit_report.h>
#include <evenhand/text.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/auditor.h"
#include "audit/check_requirement.h"

namespace evenhand {
namespace {

// The widest gap and the one of the smallest ratio among those it is shown; the first of equals.
struct Widest {
  std::optional<Gap> difference, ratio;

  void see(const Gap& gap) {
    if (!difference || gap.difference() > difference->difference()) difference = gap;
    if (!ratio || gap.ratio() < ratio->ratio()) ratio = gap;
  }
};

// The smallest and the largest of these rates; none of fewer than two.
std::optional<Gap> gap_between(const ComparedRates& compared) {
  const std::vector<CountedGroup>& groups = compared.groups;
  if (groups.size() < 2) return std::nullopt;
  const auto [low, high] = std::minmax_element(
      groups.begin(), groups.end(),
      [](const CountedGroup& a, const CountedGroup& b) { return a.rate < b.rate; });
  return Gap{compared.rate, compared.stratum, low->name, high->name, low->rate, high->rate};
}

std::vector<AgainstReference> against(const AuditView& view, const AuditScope& scope) {
  std::vector<AgainstReference> out;
  for (const Comparison& stratum : view.audit.strata) {
    const auto one =
        std::find_if(stratum.groups.begin(), stratum.groups.end(),
                     [&](const AuditedGroup& g) { return g.values == scope.reference; });
    if (one == stratum.groups.end() || !one->compared) continue;
    for (const AuditedGroup& group : stratum.groups) {
      if (&group == &*one || !group.compared) continue;
      for (const Rate rate : scope.rates) {
        const auto value = group.figures.*rate_of(rate).value;
        const auto other = one->figures.*rate_of(rate).value;
        if (!value || !other) continue;
        out.push_back({{view.roles.sensitive, group.values},
                       {view.roles.within, stratum.values},
                       rate,
                       *value,
                       *other});
      }
    }
  }
  return out;
}

Gap gap_of(const AgainstReference& one, const GroupName& reference) {
  if (one.value < one.reference) {
    return {one.rate, one.stratum, one.group, reference, one.value, one.reference};
  }
  return {one.rate, one.stratum, reference, one.group, one.reference, one.value};
}

// In views of one attribute at a time the reference is a group of one of them.
void check_reference(const AuditReport& report) {
  const std::vector<std::string>& asked = report.scope.reference;
  std::vector<std::string> known;
  for (const AuditView& view : report.views) {
    for (const AuditedGroup& group : view.audit.overall.groups) {
      if (group.values == asked) return;
      known.push_back(fmt::format("{}", fmt::join(group.values, ",")));
    }
  }
  const std::string text = fmt::format("{}", fmt::join(asked, ","));
  constexpr std::size_t most = 10;
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < known.size() && i < most; ++i) {
    listed.push_back(quoted_if_needed(known[i], 60));
  }
  throw std::invalid_argument(fmt::format(
      "the reference {} is not one of the groups{}; there are {}{}", quoted_if_needed(text, 60),
      suggestion(text, known), fmt::join(listed, ", "), known.size() > most ? ", ..." : ""));
}

void check_labels(const AuditScope& scope, const Tally& tally) {
  for (const Rate rate : scope.rates) {
    if (rate != Rate::selection && !tally.labelled()) {
      throw std::invalid_argument(
          fmt::format("the {} needs labels, what really happened", rate_of(rate).words));
    }
  }
}

// `base` makes the auditor of the base decisions, for requirements that speak of them.
template <class Base>
AuditReport report_of(const Auditor& auditor, AuditScope scope, const AuditOptions& options,
                      const Base& base) {
  const Tally& tally = auditor.tally();
  // The reference is a group, one cell of each stratum: it is compared inside these.
  if (!scope.reference.empty()) scope.all_cells = false;
  check_labels(scope, tally);
  AuditReport out{tally.cells(), scope, tally.unit_weights(), auditor.effective(), {}, {}, {}, {}};
  Widest widest;
  for (const Roles& roles : views_of(scope.roles)) {
    AuditView view{roles, auditor.by(roles), auditor.compared(roles, scope), {}};
    if (scope.reference.empty()) {
      for (const ComparedRates& compared : view.compared) {
        if (const auto gap = gap_between(compared)) widest.see(*gap);
      }
    } else {
      view.against_reference = against(view, scope);
      const GroupName reference{roles.sensitive, scope.reference};
      for (const AgainstReference& one : view.against_reference) {
        widest.see(gap_of(one, reference));
      }
    }
    out.views.push_back(std::move(view));
  }
  if (!scope.reference.empty()) check_reference(out);
  out.largest_difference = std::move(widest.difference);
  out.smallest_ratio = std::move(widest.ratio);
  std::vector<Totals> base_totals;
  for (const std::string& text : scope.require) {
    const Requirement requirement = parse_requirement(text);
    if (base_totals.empty() && mentions_base(requirement)) base_totals = base().totals();
    const CheckedDecisions decided{tally, auditor.totals(), base_totals, auditor.knows_outcomes(),
                                   options.costs};
    for (CheckedRequirement& checked : decided.check(requirement)) {
      out.requirements.push_back(std::move(checked));
    }
  }
  return out;
}

}  // namespace

AuditScope scope_of(const Criterion& criterion) {
  AuditScope out{.roles = criterion.roles,
                 .relation = criterion.relation,
                 .all_cells = criterion.all_cells,
                 .require = criterion.require};
  if (!criterion.rates.empty()) out.rates = criterion.rates;
  return out;
}

std::vector<Roles> views_of(const Roles& roles) {
  std::vector<Roles> out;
  if (roles.across != Across::marginal || roles.sensitive.size() < 2) {
    out.push_back({.sensitive = roles.sensitive, .within = roles.within});
  }
  if (roles.across != Across::intersection && roles.sensitive.size() > 1) {
    for (const std::string& attribute : roles.sensitive) {
      out.push_back({.sensitive = {attribute}, .within = roles.within});
    }
  }
  return out;
}

AuditReport audit_report(const Tally& tally, const AuditScope& scope, const AuditOptions& options) {
  return report_of(Auditor(tally, options), scope, options,
                   [&] { return Auditor(tally, options); });
}

AuditReport audit_report(const Tally& tally, const AuditScope& scope, const Rule& rule,
                         const AuditOptions& options) {
  AuditOptions before = options;
  if (!before.calibrator) before.calibrator = rule.parts().calibrator;
  return report_of(Auditor(tally, rule, options), scope, options,
                   [&] { return Auditor(tally, before); });
}

}  // namespace evenhand
