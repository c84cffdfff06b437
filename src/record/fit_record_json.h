#pragma once

#include <evenhand/fit_record.h>

#include <nlohmann/json.hpp>

namespace evenhand::record {

nlohmann::ordered_json fit_json(const FitRecord& record);
FitRecord fit_from(const nlohmann::ordered_json& json);

}  // namespace evenhand::record
