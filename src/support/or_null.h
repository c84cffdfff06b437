// A figure as JSON, null where there is none.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace evenhand {

inline nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace evenhand
