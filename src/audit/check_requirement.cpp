#include "audit/check_requirement.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rule/grouping.h"

namespace evenhand {
namespace {

struct Share {
  double part = 0, whole = 0;
};

Share share_of(Measure measure, const Totals& t, const Totals& all, const Costs& costs) {
  const double negatives = t.n - t.positives;
  const double selected_negatives = t.selected - t.selected_positives;
  const double false_negatives = t.positives - t.selected_positives;
  switch (measure) {
    case Measure::tpr:
      return {t.selected_positives, t.positives};
    case Measure::fpr:
      return {selected_negatives, negatives};
    case Measure::accuracy:
      return {t.selected_positives + negatives - selected_negatives, t.n};
    case Measure::cost:
      return {costs.false_positive * selected_negatives + costs.false_negative * false_negatives,
              t.n};
    case Measure::selected:
      return {t.selected, 1};
    case Measure::precision:
      return {t.selected_positives, t.selected};
    case Measure::npv:
      return {negatives - selected_negatives, t.n - t.selected};
    case Measure::share:
      return {t.selected, all.selected};
    default:
      return {t.selected, t.n};
  }
}

bool needs_outcomes(Measure measure) {
  return measure != Measure::rate && measure != Measure::selected && measure != Measure::share;
}

std::string in_words(const std::vector<Condition>& conditions) {
  GroupName out;
  for (const Condition& condition : conditions) {
    out.attributes.push_back(condition.attribute);
    out.values.push_back(condition.value);
  }
  return out.text(60);
}

// The value of a term, or why there is none.
std::optional<double> value_of(const RequirementTerm& term, const CheckedDecisions& of,
                               std::string& why_not) {
  const bool of_labels = term.measure == Measure::tpr || term.measure == Measure::fpr;
  if (of_labels ? !of.tally.labelled() : needs_outcomes(term.measure) && !of.knows_outcomes) {
    why_not = "it needs labels";
    return std::nullopt;
  }
  const CellNames& names = of.tally.cells();
  std::vector<std::size_t> at;
  for (const Condition& condition : term.conditions) {
    const auto& known = names.attributes();
    const auto found = std::find(known.begin(), known.end(), condition.attribute);
    if (found == known.end()) {
      why_not =
          fmt::format("these data have no attribute {}", quoted_if_needed(condition.attribute, 60));
      return std::nullopt;
    }
    at.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  Totals sum, all;
  const std::vector<Totals>& totals = term.base ? of.base : of.totals;
  for (CellCode c = 0; c < totals.size(); ++c) {
    all += totals[c];
    bool meets = true;
    for (std::size_t i = 0; i < at.size(); ++i) {
      meets = meets && names.values(c)[at[i]] == term.conditions[i].value;
    }
    if (meets) sum += totals[c];
  }
  const Share share = share_of(term.measure, sum, all, of.costs);
  if (!(share.whole > 0) || !(sum.n > 0)) {
    why_not = fmt::format("nobody here counts for the {} of {}", to_string(term.measure),
                          in_words(term.conditions));
    return std::nullopt;
  }
  return share.part / share.whole;
}

CheckedRequirement checked(const Requirement& requirement, const CheckedDecisions& of) {
  CheckedRequirement out{requirement.text, requirement.sense, requirement.bound, 0.0, {}};
  for (const RequirementTerm& term : requirement.terms) {
    const auto value = value_of(term, of, out.why_not);
    if (!value) {
      out.value.reset();
      return out;
    }
    *out.value += term.factor * *value;
  }
  if (requirement.absolute) {
    out.value = std::abs(*out.value - requirement.bound);
    out.sense = Sense::at_most;
    out.bound = requirement.margin;
  }
  return out;
}

}  // namespace

std::vector<CheckedRequirement> CheckedDecisions::check(const Requirement& requirement) const {
  if (requirement.each.empty()) return {checked(requirement, *this)};
  const std::vector<std::string>& known = tally.cells().attributes();
  for (const std::string& name : requirement.each) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      CheckedRequirement out{requirement.text, requirement.sense, requirement.bound, {}, {}};
      out.why_not = fmt::format("these data have no attribute {}", quoted_if_needed(name, 60));
      return {out};
    }
  }
  std::vector<CheckedRequirement> out;
  for (const CellGroup& group : group_cells(tally.cells(), requirement.each)) {
    Requirement one = requirement;
    for (RequirementTerm& term : one.terms) {
      for (std::size_t i = 0; i < group.values.size(); ++i) {
        term.conditions.push_back({requirement.each[i], group.values[i]});
      }
    }
    one.text = fmt::format("{} ({})", requirement.text,
                           GroupName{requirement.each, group.values}.text(60));
    out.push_back(checked(one, *this));
  }
  return out;
}

bool mentions_base(const Requirement& requirement) {
  return std::any_of(requirement.terms.begin(), requirement.terms.end(),
                     [](const RequirementTerm& term) { return term.base; });
}

double CheckedRequirement::missed_by() const noexcept {
  if (!value) return 0;
  switch (sense) {
    case Sense::at_most:
      return std::max(0.0, *value - bound);
    case Sense::at_least:
      return std::max(0.0, bound - *value);
    default:
      return std::abs(*value - bound);
  }
}

}  // namespace evenhand
