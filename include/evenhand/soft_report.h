// The report (report.h) where groups are known by probabilities only: the answer, expected rates of
// those who belong and of the others, costs, rules side by side, the rule in words, and what all of
// it assumes.
#pragma once

#include <evenhand/fit_record.h>
#include <evenhand/soft_audit.h>
#include <evenhand/soft_rule.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace evenhand {

// The criterion whose rates are compared for a rule of this record, without "soft-" before it:
// statistical-parity if the record does not say, or has requirements alone.
std::string compared_by(const FitRecord& fit);
// Whether a rule asks for a group: for a sensitive attribute, if its record names those, or else
// for anything but strata. Rules for soft groups do not.
bool asks_for_group(const AnyRule& rule, const FitRecord& fit, std::span<const std::string> within);

struct SoftReportedRule {
  std::string name;  // what the page calls it
  AnyRule rule;
  FitRecord fit = {};
  std::vector<double> q = {};  // what the rule does to each row
};

struct SoftReported {
  std::string data;  // what the page calls the people
  const SoftRows& rows;
  // The first is the subject, the others stand beside it; at least one.
  std::span<const SoftReportedRule> rules;
  SoftAuditOptions auditing = {};  // its `rates` are those of the criterion
  // Its rates are compared, and have to be as its tolerance or ratio says; without either, as that
  // of the first rule does if it was fitted for the same. None: that of the first rule. Of a rule
  // for known groups the rates are compared, and nothing has to hold.
  std::optional<RecordedCriterion> criterion = {};
  std::string score = {}, label = {}, weight = {};  // names of columns; empty: none
  std::vector<std::string> within = {};             // what strata are made of
  std::uint64_t excluded = 0;                       // rows left out for a missing value
  std::string title = {};                           // empty: what it is about
  std::string date = {};                            // as the reader shall see it
};

// All figures, for report_page and report_markdown. Tables of regulators, the explorer and
// intervals need known groups: they are null. Throws like audit_soft, and std::invalid_argument
// without a rule.
nlohmann::ordered_json soft_report_figures(const SoftReported& about);

}  // namespace evenhand
