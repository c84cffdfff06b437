// report: one page for the people who sign off. All its figures are in one JSON object, which the
// page holds and draws; Markdown has the same figures. docs/report.md lists them.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/criterion.h>
#include <evenhand/fit_record.h>
#include <evenhand/rule.h>
#include <evenhand/tally_file.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace evenhand {

struct ReportedRule {
  std::string name;  // what the page calls it: its file
  Rule rule;
  FitRecord fit = {};  // what it says is taken for granted
};

// The tallied people; `source.roles` says who is compared.
struct ReportedData {
  std::string name;  // what the page calls it
  StoredTally stored;
};

struct ReportOptions {
  // What is to hold, and whose tolerance the explorer varies; none: what the first rule was fitted
  // for, or else selection rates are compared, and nothing has to hold.
  std::optional<Criterion> criterion = {};
  // Costs, base decisions, confidence, groups that a rule has not seen, decisions made elsewhere.
  // Costs and threshold are the caller's to take from a rule's record.
  AuditOptions auditing = {};
  // Attributes of the tables that regulators ask for; none: the sensitive ones.
  std::vector<std::string> categories = {};
  // Categories with a smaller share of the people have no impact ratio, in [0, 1).
  double smallest_category = 0.02;
  std::size_t tolerances = 500;  // the most that the explorer has; 0: no explorer
  std::size_t bins = 10;         // of the calibration charts
  std::string title = {};        // empty: what it is about
  std::string date = {};         // of the report, as the reader shall see it; empty: left to ink
  unsigned threads = 0;          // as in SolveOptions
};

// All figures. Of several rules the first is the subject; the others stand beside it. Without one
// it is about the base decisions, or about decisions made elsewhere. Throws like audit_report, and
// std::invalid_argument for options out of range.
nlohmann::ordered_json report_figures(const ReportedData& data, std::span<const ReportedRule> rules,
                                      const ReportOptions& options = {});

// The figures as one HTML file that needs nothing else: styles, scripts and figures are in it, and
// its content security policy allows these and no more.
std::string report_page(const nlohmann::ordered_json& figures);
// The same in GitHub's Markdown, without pictures.
std::string report_markdown(const nlohmann::ordered_json& figures);

}  // namespace evenhand
