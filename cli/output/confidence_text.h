// What an audit says beyond its rows, for people.
#pragma once

#include <evenhand/audit_confidence.h>

#include <string>

namespace evenhand::cli {

// Pairs, strata and permutations; a line that says why if there are none.
std::string to_text(const AuditTests& tests);
// The bound that the headline of the report is about.
std::string to_text(const AuditConfidence& confidence, const AuditReport& report);

// Its lines, indented.
std::string to_text(const ConfidenceBound& bound);

}  // namespace evenhand::cli
