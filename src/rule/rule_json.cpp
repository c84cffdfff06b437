// The rule's file: docs/formats.md describes it. Reading is strict, since a rule decides about
// people: what is not exactly a rule of a known version is refused.
#include <evenhand/rule.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/text.h"

namespace evenhand {
namespace {

using Json = nlohmann::ordered_json;

constexpr int newest_version = 1;
constexpr std::size_t most_bytes = std::size_t{64} << 20U;
constexpr int deepest = 32;
constexpr std::size_t most_keys = 1000;  // looking a key up takes as long as there are keys

[[noreturn]] void fail(const std::string& what) {
  throw std::invalid_argument("not a valid rule: " + what);
}

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

void expect_keys(const Json& object, std::string_view where,
                 std::initializer_list<std::string_view> required,
                 std::initializer_list<std::string_view> optional = {}) {
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

std::vector<Point> points(const Json& value, const std::string& where, std::string_view second) {
  std::vector<Point> out;
  for (const Json& point : list(value, where)) {
    if (list(point, where).size() != 2) {
      fail(fmt::format("{} has a point that is not [score, {}]", where, second));
    }
    out.push_back({number(point[0], where), number(point[1], where)});
  }
  return out;
}

Response response(const Json& cell, const std::string& where) {
  const bool ramp = cell.contains("ramp");
  if (ramp) {
    expect_keys(cell, where, {"values", "ramp"});
  } else {
    expect_keys(cell, where, {"values", "start", "steps"});
  }
  Response out;
  out.shape = ramp ? Response::Shape::ramp : Response::Shape::steps;
  if (!ramp) out.start = number(cell["start"], where + ".start");
  out.points =
      points(ramp ? cell["ramp"] : cell["steps"], where + (ramp ? ".ramp" : ".steps"), "q");
  return out;
}

CalibrationCurve curve(const Json& json, Calibration method, const std::string& where) {
  switch (method) {
    case Calibration::platt:
      expect_keys(json, where, {"slope", "offset"});
      return PlattCurve{number(json["slope"], where + ".slope"),
                        number(json["offset"], where + ".offset")};
    case Calibration::temperature:
      expect_keys(json, where, {"temperature"});
      return TemperatureCurve{number(json["temperature"], where + ".temperature")};
    case Calibration::isotonic:
      expect_keys(json, where, {"ramp"});
      return Response{Response::Shape::ramp, 0, points(json["ramp"], where + ".ramp", "p")};
    case Calibration::none:
      break;
  }
  fail("calibrator.method is none");
}

// Its cells are the rule's, in the same order.
Calibrator calibrator(const Json& json, const Reading& reading, const CellNames& names) {
  expect_keys(json, "calibrator", {"method", "all"}, {"cells"});
  const Calibration method = calibration_from(text(json["method"], "calibrator.method"));
  Calibrator out{reading, curve(json["all"], method, "calibrator.all")};
  if (!json.contains("cells")) return out;
  out.cells = names;
  for (const Json& cell : list(json["cells"], "calibrator.cells")) {
    out.each.push_back(curve(cell, method, fmt::format("calibrator.cells[{}]", out.each.size())));
  }
  if (out.each.empty()) fail("calibrator.cells is empty");
  return out;
}

RuleParts rule_parts(const Json& rule) {
  expect_keys(rule, "rule", {"attributes", "scale", "favorable", "otherwise", "cells"},
              {"level", "calibrator"});
  RuleParts parts;
  parts.reading.scale = scale_from(text(rule["scale"], "scale"));
  parts.reading.favorable = favorable_from(text(rule["favorable"], "favorable"));
  parts.otherwise = rule["otherwise"].is_null() ? std::numeric_limits<double>::infinity()
                                                : number(rule["otherwise"], "otherwise");
  if (rule.contains("level")) {
    const Json& level = rule["level"];
    if (!level.is_number_integer() || level < -2000 || level > 2000) {
      fail("level is not an integer within reason");
    }
    parts.level = level.get<int>();
  }
  std::vector<std::vector<std::string>> cells;
  for (const Json& cell : list(rule["cells"], "cells")) {
    const std::string where = fmt::format("cells[{}]", cells.size());
    parts.responses.push_back(response(cell, where));
    cells.push_back(texts(cell["values"], where + ".values"));
  }
  parts.cells = CellNames(texts(rule["attributes"], "attributes"), cells);
  if (rule.contains("calibrator")) {
    parts.calibrator = calibrator(rule["calibrator"], parts.reading, parts.cells);
  }
  return parts;
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

std::string points_text(const std::vector<Point>& points) {
  std::string out = "[";
  for (const Point& point : points) {
    out += fmt::format("{}[{}, {}]", out.size() > 1 ? ", " : "", shortest(point.score),
                       shortest(point.q));
  }
  return out + "]";
}

std::string curve_text(const PlattCurve& curve) {
  return fmt::format("{{\"slope\": {}, \"offset\": {}}}", shortest(curve.slope),
                     shortest(curve.offset));
}
std::string curve_text(const TemperatureCurve& curve) {
  return fmt::format("{{\"temperature\": {}}}", shortest(curve.temperature));
}
std::string curve_text(const Response& curve) {
  return fmt::format("{{\"ramp\": {}}}", points_text(curve.points));
}

std::string calibrator_text(const Calibrator& calibrator) {
  const auto curve = [](const CalibrationCurve& one) {
    return std::visit([](const auto& kind) { return curve_text(kind); }, one);
  };
  std::string out = fmt::format("{{\n      \"method\": \"{}\",\n      \"all\": {}",
                                to_string(calibrator.method()), curve(calibrator.all));
  for (std::size_t c = 0; c < calibrator.each.size(); ++c) {
    out += (c == 0 ? ",\n      \"cells\": [\n        " : ",\n        ") + curve(calibrator.each[c]);
  }
  return out + (calibrator.each.empty() ? "\n    }" : "\n      ]\n    }");
}

}  // namespace

std::string Rule::to_json(std::string_view fit) const {
  const auto json_list = [](auto begin, auto end) { return Json(std::vector(begin, end)).dump(); };
  std::string cells;
  for (CellCode c = 0; c < parts_.cells.size(); ++c) {
    const auto values = parts_.cells.values(c);
    const Response& response = parts_.responses[c];
    cells += fmt::format("{}\n      {{\"values\": {}, ", c ? "," : "",
                         json_list(values.begin(), values.end()));
    if (response.shape == Response::Shape::steps) {
      cells += fmt::format("\"start\": {}, \"steps\": {}}}", shortest(response.start),
                           points_text(response.points));
    } else {
      cells += fmt::format("\"ramp\": {}}}", points_text(response.points));
    }
  }
  const auto& names = parts_.cells.attributes();
  std::string out = fmt::format(
      "{{\n  \"evenhand\": {},\n  \"rule\": {{\n    \"attributes\": {},\n    \"scale\": \"{}\",\n"
      "    \"favorable\": \"{}\",\n    \"otherwise\": {},\n",
      newest_version, json_list(names.begin(), names.end()), to_string(parts_.reading.scale),
      to_string(parts_.reading.favorable),
      std::isfinite(parts_.otherwise) ? shortest(parts_.otherwise) : "null");
  if (parts_.level) out += fmt::format("    \"level\": {},\n", *parts_.level);
  if (parts_.calibrator) {
    out += fmt::format("    \"calibrator\": {},\n", calibrator_text(*parts_.calibrator));
  }
  out += fmt::format("    \"cells\": [{}\n    ]\n  }}", cells);
  if (!fit.empty()) {
    const Json record = parse(fit);
    if (!record.is_object()) fail("fit is not an object");
    std::string text = record.dump(2);
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) {
      text.insert(at + 1, "  ");
    }
    out += ",\n  \"fit\": " + text;
  }
  return out + "\n}\n";
}

Rule Rule::from_json(std::string_view json) {
  const Json file = parse_file(json);
  try {
    return Rule(rule_parts(file["rule"]));
  } catch (const std::invalid_argument& error) {
    const std::string_view what = error.what();
    if (what.starts_with("not a valid rule")) throw;
    fail(std::string(what));
  }
}

std::string fit_record(std::string_view json) {
  const Json file = parse_file(json);
  return file.contains("fit") ? file["fit"].dump() : "{}";
}

}  // namespace evenhand
