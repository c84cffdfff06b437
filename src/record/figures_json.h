// Figures of an audit as JSON, with the names of docs/formats.md.
#pragma once

#include <evenhand/audit.h>

#include <nlohmann/json.hpp>

namespace evenhand::record {

nlohmann::ordered_json figures_json(const Figures& figures);
Figures figures_from(const nlohmann::ordered_json& json);

}  // namespace evenhand::record
