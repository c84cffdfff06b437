#include "rule/json_file.h"

#include <evenhand/text.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand::json_file {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20U;
constexpr int deepest = 32;
constexpr std::size_t most_keys = 1000;  // looking a key up takes as long as there are keys

// Parses with bounded depth and without duplicate keys, of which parsers keep one in silence.
Json parse(std::string_view text) {
  if (text.size() > most_bytes) fail(fmt::format("it is larger than {} MiB", most_bytes >> 20U));
  std::vector<std::set<std::string>> keys;
  const auto watch = [&keys](int depth, Json::parse_event_t event, Json& value) {
    if (depth > deepest) fail(fmt::format("it is nested more than {} deep", deepest));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (!keys.empty() && keys.back().size() > most_keys) {
      fail(fmt::format("an object has more than {} keys", most_keys));
    }
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(value.get_ref<const std::string&>()).second) {
      fail(fmt::format("the key {} occurs twice",
                       quoted_if_needed(value.get_ref<const std::string&>(), 60)));
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at ..."
    const auto start = what.find("] ");
    fail(start == std::string::npos ? what : what.substr(start + 2, 200));
  }
}

}  // namespace

void fail(const std::string& what) {
  throw std::invalid_argument("not a valid rule: " + what);
}

void expect_keys(const Json& object, std::string_view where,
                 std::initializer_list<std::string_view> required,
                 std::initializer_list<std::string_view> optional) {
  if (!object.is_object()) fail(fmt::format("{} is not an object", where));
  for (const std::string_view key : required) {
    if (!object.contains(key)) fail(fmt::format("{} lacks '{}'", where, key));
  }
  for (const auto& [key, value] : object.items()) {
    const auto is_key = [&key = key](std::string_view known) { return known == key; };
    if (std::none_of(required.begin(), required.end(), is_key) &&
        std::none_of(optional.begin(), optional.end(), is_key)) {
      fail(fmt::format("{} has an unknown member {}", where, quoted_if_needed(key, 60)));
    }
  }
}

double number(const Json& value, std::string_view where) {
  if (!value.is_number()) fail(fmt::format("{} is not a number", where));
  return value.get<double>();
}

const std::string& text(const Json& value, std::string_view where) {
  if (!value.is_string()) fail(fmt::format("{} is not a text", where));
  return value.get_ref<const std::string&>();
}

const Json& list(const Json& value, std::string_view where) {
  if (!value.is_array()) fail(fmt::format("{} is not a list", where));
  return value;
}

std::vector<std::string> texts(const Json& value, std::string_view where) {
  std::vector<std::string> out;
  for (const Json& item : list(value, where)) out.push_back(text(item, where));
  return out;
}

Json parse_file(std::string_view json) {
  Json file = parse(json);
  // The version first: a newer one may well have other members.
  if (!file.is_object() || !file.contains("evenhand")) fail("it lacks the version, 'evenhand'");
  const Json& version = file["evenhand"];
  if (!version.is_number_integer() || version < 1) fail("its version is not a positive integer");
  if (version > newest_version) {
    fail(fmt::format("it has version {}, this program reads up to version {}; please update",
                     version.dump(), newest_version));
  }
  expect_keys(file, "the file", {"evenhand", "rule"}, {"fit"});
  if (file.contains("fit") && !file["fit"].is_object()) fail("fit is not an object");
  return file;
}

std::string fit_member(std::string_view fit) {
  if (fit.empty()) return {};
  const Json record = parse(fit);
  if (!record.is_object()) fail("fit is not an object");
  std::string text = record.dump(2);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) {
    text.insert(at + 1, "  ");
  }
  return ",\n  \"fit\": " + text;
}

}  // namespace evenhand::json_file
