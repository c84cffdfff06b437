// Bounds for people not met yet, as records and both front ends write them.
#pragma once

#include <evenhand/confidence_bound.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace evenhand::record {

// `within` names the attributes of strata.
nlohmann::ordered_json bound_json(const ConfidenceBound& bound,
                                  const std::vector<std::string>& within);
// What is missing, or not of its type, is left out.
ConfidenceBound bound_from(const nlohmann::ordered_json& json);

}  // namespace evenhand::record
