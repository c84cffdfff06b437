// The report (report.h) of a rule for soft groups: the answer, expected rates of those who belong
// and of the others, costs, the rule in words, and what all of it assumes.
#pragma once

#include <evenhand/fit_record.h>
#include <evenhand/soft_audit.h>
#include <evenhand/soft_rule.h>

#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace evenhand {

struct SoftReported {
  std::string data;       // what the page calls the people
  std::string rule_name;  // and the rule
  const SoftRows& rows;
  const SoftRule& rule;
  std::span<const double> q;  // what the rule does to each row
  FitRecord fit = {};
  SoftAuditOptions auditing = {};
  std::string score = {}, label = {}, weight = {};  // names of columns; empty: none
  std::vector<std::string> within = {};             // what strata are made of
  std::uint64_t excluded = 0;                       // rows left out for a missing value
  std::string title = {};                           // empty: what it is about
  std::string date = {};                            // as the reader shall see it
};

// All figures, for report_page and report_markdown. Tables of regulators, the explorer and
// intervals need known groups: they are null. Throws like audit_soft.
nlohmann::ordered_json soft_report_figures(const SoftReported& about);

}  // namespace evenhand
