// Where a fit came from, as JSON: the columns of its data, and how it was called.
#pragma once

#include <evenhand/fit_record.h>

#include <nlohmann/json.hpp>

namespace evenhand::record {

nlohmann::ordered_json columns_json(const RecordedColumns& columns);
RecordedColumns columns_from(const nlohmann::ordered_json& json);

nlohmann::ordered_json source_json(const FitSource& source);
FitSource source_from(const nlohmann::ordered_json& json);

}  // namespace evenhand::record
