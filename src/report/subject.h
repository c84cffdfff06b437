// What a report is about, worked out once for all its sections.
#pragma once

#include <evenhand/audit_report.h>
#include <evenhand/confidence_bound.h>
#include <evenhand/report.h>
#include <evenhand/side_by_side.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audit/totals.h"
#include "report/table.h"

namespace evenhand::report {

struct Subject {
  const ReportedData& data;
  std::span<const ReportedRule> rules;
  const ReportOptions& options;
  AuditOptions auditing;  // with the calibrator that all expectations trust
  Criterion criterion;
  bool asked;  // somebody asked for the criterion; else it only says what is compared
  AuditReport before;
  std::vector<RuleBeside> beside;  // one for each rule
  std::vector<Change> changes;     // of the first rule, against the base decisions
  ConfidenceBound bound;
  bool same_rows;  // the first rule was fitted on the very rows that it is reported on

  static Subject of(const ReportedData& data, std::span<const ReportedRule> rules,
                    const ReportOptions& options);

  const Tally& tally() const noexcept { return data.stored.tally; }
  const Roles& roles() const noexcept { return criterion.roles; }
  bool ruled() const noexcept { return !rules.empty(); }
  const AuditReport& last() const { return ruled() ? beside.front().report : before; }
  std::vector<Totals> totals() const;  // of each cell, under the last decisions
  Change changed() const;              // of everybody
  // "before" and "after" a rule, or the only one, without a name.
  std::vector<std::pair<std::string, const AuditReport*>> sides() const;
};

// Texts.
std::string percent(double share);  // "31.1 %"
std::string percent(const std::optional<double>& share);
std::string points(double difference);  // "3.4 percentage points"
std::string people(double weight);      // "16,281"
std::string listed(const std::vector<std::string>& names);
std::string in_words(const Criterion& criterion);
std::string in_words(const Roles& roles);  // "groups of sex within race"

// Sections.
Json answer(const Subject& subject);  // three sentences
Json about_data(const Subject& subject);
Json about_criterion(const Subject& subject);
Json selection(const Subject& subject);  // who is selected
Json fairness(const Subject& subject);   // how far the criterion holds
Json costs(const Subject& subject);
Json frontier(const Subject& subject);      // null: there is none
Json side_by_side(const Subject& subject);  // null of fewer than two rules
Json calibration(const Subject& subject);   // null without labels
Json thresholds(const Subject& subject);    // null without a rule
Json not_compared(const Subject& subject);
Json local_law_144(const Subject& subject);
Json eeoc(const Subject& subject);
Json annex_iv(const Subject& subject);
Json method(const Subject& subject);
Json provenance(const Subject& subject);

}  // namespace evenhand::report
