// audit of groups that are known by their probabilities only.
#pragma once

#include <evenhand/scale.h>

#include <string>
#include <vector>

#include "commands/audit_limits.h"
#include "data/rule_file.h"
#include "data/soft_rows.h"
#include "options.h"

namespace evenhand::cli {

struct SoftAuditRequest {
  const DataOptions& data;
  const RowOptions& rows;
  Costs costs;
  SoftColumnOptions soft;  // none: the rule's
  std::string criterion;   // empty: the rule's, or selection rates
  std::string decision;    // column; empty: decisions by the score
  ColumnsIfThere if_there;
  const std::vector<RuleFile>& rules;  // a soft one, none, or several of which one is soft
  AuditLimits limits;
  bool json;
};

// All of `evenhand audit`, for these. Returns the exit status.
int run_soft_audit(const SoftAuditRequest& request);

}  // namespace evenhand::cli
