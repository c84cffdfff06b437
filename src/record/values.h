// Writing JSON, and reading JSON that may say less, more or other than expected.
#pragma once

#include <evenhand/names.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace evenhand::record {

using Json = nlohmann::ordered_json;

// Writes what there is.
inline void put(Json& out, const char* key, const std::string& text) {
  if (!text.empty()) out[key] = text;
}

template <class Value>
void put(Json& out, const char* key, const std::optional<Value>& value) {
  if (value) out[key] = *value;
}

// The member, if the value is an object that has it.
inline const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(key);
  return at == object.end() ? nullptr : &*at;
}

inline const Json* object_in(const Json& object, const char* key) {
  const Json* const found = member(object, key);
  return found && found->is_object() ? found : nullptr;
}

inline const Json* list_in(const Json& object, const char* key) {
  const Json* const found = member(object, key);
  return found && found->is_array() ? found : nullptr;
}

inline std::optional<double> number_in(const Json& object, const char* key) {
  const Json* const found = member(object, key);
  return found && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

// NaN if there is none, which is how JSON writes it.
inline double number_or_nan(const Json& object, const char* key) {
  return number_in(object, key).value_or(std::numeric_limits<double>::quiet_NaN());
}

inline std::optional<std::uint64_t> count_in(const Json& object, const char* key) {
  const Json* const found = member(object, key);
  return found && found->is_number_unsigned() ? std::optional(found->get<std::uint64_t>())
                                              : std::nullopt;
}

inline std::optional<bool> truth_in(const Json& object, const char* key) {
  const Json* const found = member(object, key);
  return found && found->is_boolean() ? std::optional(found->get<bool>()) : std::nullopt;
}

inline std::optional<std::string> text_in(const Json& object, const char* key) {
  const Json* const found = member(object, key);
  return found && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

// Those of the list that are texts.
inline std::optional<std::vector<std::string>> texts_in(const Json& object, const char* key) {
  const Json* const found = list_in(object, key);
  if (!found) return std::nullopt;
  std::vector<std::string> out;
  for (const Json& text : *found) {
    if (text.is_string()) out.push_back(text.get<std::string>());
  }
  return out;
}

// The value whose name it is.
template <class Value, std::size_t count>
std::optional<Value> named(const std::array<Name<Value>, count>& names,
                           const std::optional<std::string>& text) {
  for (const Name<Value>& one : names) {
    if (text == one.name) return one.value;
  }
  return std::nullopt;
}

}  // namespace evenhand::record
