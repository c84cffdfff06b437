// Limits that an audit may not exceed, for pipelines.
#pragma once

#include <evenhand/audit_report.h>
#include <evenhand/soft_audit.h>

#include <optional>
#include <string>

#include "command.h"

namespace evenhand::cli {

struct AuditLimits {
  std::optional<double> fail_above;  // of a difference
  std::optional<double> fail_below;  // of a ratio

  void check() const;  // throws UserError for a limit that cannot be
  // The exit status of an audit, and a line that says why. Throws UserError if there is a limit and
  // nothing was compared.
  // `by` says whose decisions: "", or "by rule.json, ".
  int judge(const std::string& data, const AuditReport& report, const std::string& by = "") const;
  int judge(const std::string& data, const SoftAudit& audit) const;

 private:
  int judge(const std::string& data, std::optional<double> difference, std::optional<double> ratio,
            const std::string& by = "") const;
};
void add_limits(Command& command, AuditLimits& limits);

}  // namespace evenhand::cli
