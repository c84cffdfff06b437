// The rule's file: docs/formats.md describes it. Reading is strict, since a rule decides about
// people: what is not exactly a rule of a known version is refused.
#include <evenhand/rule.h>
#include <evenhand/text.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rule/json_file.h"

namespace evenhand {
namespace {

using json_file::expect_keys;
using json_file::fail;
using json_file::Json;
using json_file::list;
using json_file::number;
using json_file::text;
using json_file::texts;

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
  if (rule.is_object() && rule.contains("soft")) {
    fail("it decides by columns of probabilities; read it by SoftRule::from_json");
  }
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
      json_file::newest_version, json_list(names.begin(), names.end()),
      to_string(parts_.reading.scale), to_string(parts_.reading.favorable),
      std::isfinite(parts_.otherwise) ? shortest(parts_.otherwise) : "null");
  if (parts_.level) out += fmt::format("    \"level\": {},\n", *parts_.level);
  if (parts_.calibrator) {
    out += fmt::format("    \"calibrator\": {},\n", calibrator_text(*parts_.calibrator));
  }
  out += fmt::format("    \"cells\": [{}\n    ]\n  }}", cells);
  out += json_file::file_end;
  return json_file::with_fit(std::move(out), fit);
}

Rule json_file::rule_in(const Json& file) {
  return read_rule(file, [](const Json& rule) { return Rule(rule_parts(rule)); });
}

Rule Rule::from_json(std::string_view json) {
  return json_file::rule_in(json_file::parse_file(json));
}

std::string fit_record(std::string_view json) {
  const Json file = json_file::parse_file(json);
  return file.contains("fit") ? file["fit"].dump() : "{}";
}

}  // namespace evenhand
