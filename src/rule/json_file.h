// What all rule files have in common: {"evenhand": version, "rule": {...}, "fit": {...}}. Every
// function throws std::invalid_argument, "not a valid rule: ...", for anything else.
#pragma once

#include <evenhand/rule.h>
#include <evenhand/soft_rule.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace evenhand::json_file {

using Json = nlohmann::ordered_json;

inline constexpr int newest_version = 1;

[[noreturn]] void fail(const std::string& what);

// Any JSON, with bounded depth and size, and without a key that occurs twice in an object.
Json parse(std::string_view text);

// The whole file, of a version that is known.
Json parse_file(std::string_view json);

// What `make` makes of the file's rule; whatever it finds wrong is "not a valid rule: ...".
template <class Make>
auto read_rule(const Json& file, const Make& make) {
  try {
    return make(file["rule"]);
  } catch (const std::invalid_argument& error) {
    const std::string_view what = error.what();
    if (what.starts_with("not a valid rule")) throw;
    fail(std::string(what));
  }
}

void expect_keys(const Json& object, std::string_view where,
                 std::initializer_list<std::string_view> required,
                 std::initializer_list<std::string_view> optional = {});
double number(const Json& value, std::string_view where);
const std::string& text(const Json& value, std::string_view where);
const Json& list(const Json& value, std::string_view where);
std::vector<std::string> texts(const Json& value, std::string_view where);

// The end of a file without the member `fit`,
inline constexpr std::string_view file_end = "\n}\n";
// and the file with it; `fit` is an object, or a text of one, or an empty text for none.
std::string with_fit(std::string file, const Json& fit);
std::string with_fit(std::string file, std::string_view fit);

// The file's rule.
Rule rule_in(const Json& file);
SoftRule soft_rule_in(const Json& file);
bool is_soft(const Json& file);

}  // namespace evenhand::json_file
