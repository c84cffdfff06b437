// Limits that an audit may not exceed, for pipelines.
#pragma once

#include <evenhand/audit_confidence.h>
#include <evenhand/audit_limits.h>
#include <evenhand/audit_report.h>
#include <evenhand/soft_audit.h>

#include <string>

#include "command.h"
#include "data/rule_file.h"

namespace evenhand::cli {

void check(const AuditLimits& limits);  // throws UserError for a limit that cannot be

// The exit status of an audit, and a line for each limit that is exceeded. Throws UserError if
// there is a limit and nothing was compared. `by` says whose decisions: "", or "by rule.json, ".
int judge(const AuditLimits& limits, const std::string& data, const AuditReport& report,
          const AuditConfidence& confidence, const std::string& by = "");
int judge(const AuditLimits& limits, const std::string& data, const SoftAudit& audit,
          const std::string& by = "");

// What the audited rows say of new people: they are fresh to the decisions, unless the rule was
// fitted on them.
AuditConfidence confidence_by(const RuleFile* rule, bool same_rows, const StoredTally& data,
                              const AuditReport& report, double confidence);

void add_limits(Command& command, AuditLimits& limits);

}  // namespace evenhand::cli
