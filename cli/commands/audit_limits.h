// Limits that an audit may not exceed, for pipelines.
#pragma once

#include <evenhand/audit_confidence.h>
#include <evenhand/audit_report.h>
#include <evenhand/soft_audit.h>

#include <optional>
#include <string>

#include "command.h"
#include "data/rule_file.h"

namespace evenhand::cli {

struct AuditLimits {
  std::optional<double> fail_above;  // of a difference
  std::optional<double> fail_below;  // of a ratio
  // The same of new people: what the data show, with the audit's confidence.
  std::optional<double> if_shown_above;      // of a difference
  std::optional<double> unless_shown_below;  // of a difference
  std::optional<double> if_shown_ratio_below;
  std::optional<double> unless_shown_ratio_above;

  bool about_new_people() const noexcept;
  void check() const;  // throws UserError for a limit that cannot be
  // The exit status of an audit, and a line that says why. Throws UserError if there is a limit and
  // nothing was compared.
  // `by` says whose decisions: "", or "by rule.json, ".
  int judge(const std::string& data, const AuditReport& report, const AuditConfidence& confidence,
            const std::string& by = "") const;
  int judge(const std::string& data, const SoftAudit& audit, const std::string& by = "") const;

 private:
  int judge(const std::string& data, std::optional<double> difference, std::optional<double> ratio,
            const std::string& by = "") const;
  int judge(const AuditConfidence& confidence, const std::string& by) const;
};
// What the audited rows say of new people: they are fresh to the decisions, unless the rule was
// fitted on them.
AuditConfidence confidence_by(const RuleFile* rule, bool same_rows, const StoredTally& data,
                              const AuditReport& report, double confidence);

void add_limits(Command& command, AuditLimits& limits);

}  // namespace evenhand::cli
