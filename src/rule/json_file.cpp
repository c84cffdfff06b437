#include "rule/json_file.h"

#include <evenhand/text.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand::json_file {
namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20U;
constexpr std::size_t deepest = 32;
constexpr std::size_t most_keys = 1000;  // looking a key up takes as long as there are keys

// Refuses what is nested too deep, and keys that occur twice, of which parsers keep one in silence.
class Watch {
 public:
  using Text = Json::string_t;

  bool null() { return seen(); }
  bool boolean(bool) { return seen(); }
  bool number_integer(Json::number_integer_t) { return seen(); }
  bool number_unsigned(Json::number_unsigned_t) { return seen(); }
  bool number_float(Json::number_float_t, const Text&) { return seen(); }
  bool string(const Text&) { return seen(); }
  bool binary(const Json::binary_t&) { return seen(); }
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(const Text& name) {
    std::set<std::string>& keys = keys_.back();
    if (!keys.insert(name).second) {
      fail(fmt::format("the key {} occurs twice", quoted_if_needed(name, 60)));
    }
    if (keys.size() > most_keys) fail(fmt::format("an object has more than {} keys", most_keys));
    return seen();
  }
  // The parser proper will say it.
  bool parse_error(std::size_t, const std::string&, const Json::exception&) { return false; }

 private:
  bool seen() const {
    if (keys_.size() > deepest) fail(fmt::format("it is nested more than {} deep", deepest));
    return true;
  }
  bool open() {
    seen();
    keys_.emplace_back();
    return true;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> keys_;  // of each object and array that is open
};

}  // namespace

void fail(const std::string& what) {
  throw std::invalid_argument("not a valid rule: " + what);
}

Json parse(std::string_view text) {
  if (text.size() > most_bytes) fail(fmt::format("it is larger than {} MiB", most_bytes >> 20U));
  // The parser takes a NUL for the end, and would ignore whatever follows.
  if (const auto at = text.find('\0'); at != std::string_view::npos) {
    fail(fmt::format("it has a NUL at byte {}", at));
  }
  // Twice, since the parser's own callback takes time that is quadratic in the length of a list.
  Watch watch;
  Json::sax_parse(text, &watch);
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at ..."
    const auto start = what.find("] ");
    fail(start == std::string::npos ? what : what.substr(start + 2, 200));
  }
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

std::string with_fit(std::string file, const Json& fit) {
  if (!fit.is_object()) fail("fit is not an object");
  const std::string text = fit.dump(2);
  file.resize(file.size() - file_end.size());
  file += ",\n  \"fit\": ";
  for (const char c : text) {
    file += c;
    if (c == '\n') file += "  ";
  }
  file += file_end;
  return file;
}

std::string with_fit(std::string file, std::string_view fit) {
  return fit.empty() ? file : with_fit(std::move(file), parse(fit));
}

}  // namespace evenhand::json_file
