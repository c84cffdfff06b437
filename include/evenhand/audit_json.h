// Audits as JSON, for programs that use nlohmann's; evenhand.h does not include this.
#pragma once

#include <evenhand/audit_confidence.h>
#include <evenhand/audit_report.h>
#include <evenhand/calibrate.h>
#include <evenhand/side_by_side.h>
#include <evenhand/soft_audit.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace evenhand {

nlohmann::ordered_json to_json(const Figures& figures);
nlohmann::ordered_json to_json(const Audit& audit, const CellNames& names, const Roles& roles);
nlohmann::ordered_json to_json(const CalibrationReport& report, const CellNames& names);
nlohmann::ordered_json to_json(const SoftAudit& audit, const std::vector<std::string>& within);
// One of several rules: coins, who is decided unlike by the first, and its audit.
nlohmann::ordered_json to_json(const SoftBeside& beside, const std::vector<std::string>& within);

// One set of decisions: what is compared, the headline, and the views.
nlohmann::ordered_json to_json(const AuditReport& report);

// What the tool prints: where it comes from, the headline of the last decisions, and the views,
// before and after a rule if there is one.
struct AuditSource {
  std::string data = {};       // its name; empty: none
  std::uint64_t rows = 0;      // 0: not known
  std::uint64_t excluded = 0;  // left out for a missing value
};
nlohmann::ordered_json to_json(const AuditSource& source, const AuditReport& before,
                               const AuditReport* after = nullptr);

// Several rules, called by these names.
nlohmann::ordered_json to_json(const AuditSource& source, const SideBySide& beside,
                               const std::vector<std::string>& names);

// What is said of new people: the bound that the headline is about, as fits have it, and the two
// sides of the other one.
nlohmann::ordered_json to_json(const AuditConfidence& confidence, const AuditScope& scope);
nlohmann::ordered_json to_json(const AuditTests& tests);

// {"attribute": "value"}
nlohmann::ordered_json values_json(const std::vector<std::string>& attributes,
                                   std::span<const std::string> values);

}  // namespace evenhand
