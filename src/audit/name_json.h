// Names of groups in the JSON of audits.
#pragma once

#include <evenhand/audit_json.h>
#include <evenhand/audit_report.h>

#include <nlohmann/json.hpp>

namespace evenhand {

inline nlohmann::ordered_json name_json(const GroupName& name) {
  return values_json(name.attributes, name.values);
}

}  // namespace evenhand
