// audit of several rules about the same people.
#pragma once

#include <evenhand/audit_report.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "commands/audit_limits.h"
#include "data/prepared.h"
#include "data/rule_file.h"
#include "error.h"

namespace evenhand::cli {

// Throws UserError if rules read scores differently: no column can serve both.
void check_same_reading(const std::vector<RuleFile>& rules);

// All that rules ask of people beside the score, each once.
std::vector<std::string> attributes_of(const std::vector<RuleFile>& rules);

// What `audit` returns; people in cells that a rule does not know are an error with advice.
template <class Audited>
auto for_rule_on(const std::string& data, const Audited& audit) {
  try {
    return audit();
  } catch (const std::out_of_range& error) {
    throw UserError(data + ": " + error.what() +
                    "; refit it, leave these people out with --sql, or say how to decide about "
                    "them (--unseen)");
  }
}

struct SideBySideRequest {
  const Prepared& data;
  const AuditScope& scope;
  const AuditOptions& auditing;
  const std::vector<RuleFile>& rules;  // of known groups, or of none
  AuditLimits limits;
  bool same_rows;  // all rules were fitted on these
  bool json;
};

// All of `evenhand audit`, for these. Returns the exit status.
int run_side_by_side(const SideBySideRequest& request);

}  // namespace evenhand::cli
