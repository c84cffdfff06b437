#include "report/subject.h"

#include <evenhand/audit_confidence.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "audit/auditor.h"

namespace evenhand::report {
namespace {

// What the options ask for, or the first rule's record; the data say who is compared.
std::optional<Criterion> asked_criterion(const ReportedData& data,
                                         std::span<const ReportedRule> rules,
                                         const ReportOptions& options) {
  if (options.criterion) {
    Criterion out = *options.criterion;
    if (out.rates.empty()) out.roles = data.stored.source.roles;
    return out;
  }
  if (rules.empty() || !rules.front().fit.criterion) return std::nullopt;
  const RecordedCriterion& recorded = *rules.front().fit.criterion;
  Criterion out = recorded.criterion();
  const Across across = recorded.roles ? recorded.roles->across : Across::intersection;
  out.roles = data.stored.source.roles;
  out.roles.across = across;
  return out;
}

void check(const ReportOptions& options, std::span<const ReportedRule> rules) {
  if (!(options.smallest_category >= 0 && options.smallest_category < 1)) {
    throw std::invalid_argument(
        fmt::format("the smallest category's share lies between 0 and 1, not {}",
                    shortest(options.smallest_category)));
  }
  if (options.bins < 1 || options.bins > 100) {
    throw std::invalid_argument("a calibration chart has from 1 to 100 bins");
  }
  if (options.tolerances > 500 || (options.tolerances > 0 && options.tolerances < 5)) {
    throw std::invalid_argument("a report has from 5 to 500 tolerances, or none (0)");
  }
  if (options.auditing.decisions && !rules.empty()) {
    throw std::invalid_argument("decisions made elsewhere are not those of a rule");
  }
}

ConfidenceBound without_bound(const std::string& reason, double confidence) {
  ConfidenceBound out;
  out.reason = reason;
  out.confidence = confidence;
  return out;
}

// `fitted_by`: of the rule, if it was fitted on these very rows.
ConfidenceBound bound_of(const Subject& subject, const std::optional<FitRecord>& fitted_by) {
  const double confidence = subject.auditing.confidence;
  if (!subject.last().audit().unseen.empty()) {
    return without_bound("the rule does not know all of these groups", confidence);
  }
  if (subject.criterion.rates.empty()) {
    return without_bound("requirements alone compare no groups", confidence);
  }
  return confidence_of(subject.last(), {.confidence = confidence, .fitted_by = fitted_by})
      .of(subject.criterion.relation);
}

}  // namespace

Subject Subject::of(const ReportedData& data, std::span<const ReportedRule> rules,
                    const ReportOptions& options) {
  check(options, rules);
  const Tally& tally = data.stored.tally;
  const std::optional<Criterion> asked = asked_criterion(data, rules, options);
  Criterion criterion = asked.value_or(Criterion());
  if (!asked) {
    criterion = statistical_parity({.sensitive = data.stored.source.roles.sensitive,
                                    .within = data.stored.source.roles.within});
    criterion.roles.across = data.stored.source.roles.across;
  }
  AuditOptions auditing = options.auditing;
  if (!auditing.calibrator && !rules.empty()) {
    auditing.calibrator = rules.front().rule.parts().calibrator;
  }
  const AuditScope scope = scope_of(criterion);
  Subject out{data, rules, options, auditing, criterion, asked.has_value(), {}, {}, {}, {}, false};
  if (rules.empty()) {
    out.before = audit_report(tally, scope, auditing);
    out.bound = bound_of(out, {});
    return out;
  }
  std::vector<Rule> plain;
  for (const ReportedRule& rule : rules) plain.push_back(rule.rule);
  SideBySide beside = evenhand::side_by_side(tally, scope, plain, auditing);
  out.before = std::move(beside.base);
  out.beside = std::move(beside.rules);
  out.changes = changes_from_base(tally, plain.front(), auditing);
  const ReportedRule& first = rules.front();
  out.same_rows = first.fit.fitted_on(data.stored);
  out.bound = bound_of(out, out.same_rows ? std::optional(first.fit) : std::nullopt);
  return out;
}

std::vector<Totals> Subject::totals() const {
  return ruled() ? Auditor(tally(), rules.front().rule, auditing).totals()
                 : Auditor(tally(), auditing).totals();
}

Change Subject::changed() const {
  return RuleBeside{.report = {}, .changes = changes}.changed();
}

std::vector<std::pair<std::string, const AuditReport*>> Subject::sides() const {
  if (!ruled()) return {{"", &before}};
  return {{"before", &before}, {"after", &last()}};
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string percent(const std::optional<double>& share) {
  return share ? percent(*share) : "-";
}

std::string points(double difference) {
  const double value = std::abs(difference) < 5e-10 ? 0 : 100 * difference;
  const std::string text = rounded(value, 3);
  return text + (text == "1" ? " percentage point" : " percentage points");
}

std::string people(double weight) {
  const double whole = std::round(weight);
  if (weight >= 0 && weight < 1e15 && std::abs(weight - whole) <= 1e-6) {
    return with_commas(static_cast<std::size_t>(whole));
  }
  return weight < 1000 ? rounded(weight, 3) : with_commas(static_cast<std::size_t>(whole));
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    out += quoted_if_needed(names[i], 60);
  }
  return out;
}

std::string in_words(const Roles& roles) {
  std::string out = "groups of " + listed(roles.sensitive);
  if (roles.across == Across::marginal) out += ", each on its own";
  if (roles.across == Across::both) out += ", combined and each on its own";
  if (!roles.within.empty()) out += " within " + listed(roles.within);
  return out;
}

std::string in_words(const Criterion& criterion) {
  if (criterion.rates.empty()) return "requirements";
  std::string name = criterion.name;
  std::replace(name.begin(), name.end(), '-', ' ');
  if (criterion.relation == Relation::ratio) {
    return fmt::format("{} with a ratio of at least {}", name, rounded(criterion.ratio, 6));
  }
  return fmt::format("{} with a tolerance of {}", name, rounded(criterion.tolerance, 6));
}

}  // namespace evenhand::report
