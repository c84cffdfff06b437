// The rule's file: docs/formats.md describes it. Reading is strict, since a rule decides about
// people: what is not exactly a rule of a known version is refused.
#include <evenhand/rule.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rule/json_file.h"
#include "support/text.h"

namespace evenhand {
namespace {

using json_file::expect_keys;
using json_file::fail;
using json_file::Json;
using json_file::list;
using json_file::number;
using json_file::text;
using json_file::texts;

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
  const std::string points = where + (ramp ? ".ramp" : ".steps");
  for (const Json& point : list(ramp ? cell["ramp"] : cell["steps"], points)) {
    if (list(point, points).size() != 2) fail(points + " has a point that is not [score, q]");
    out.points.push_back({number(point[0], points), number(point[1], points)});
  }
  return out;
}

RuleParts rule_parts(const Json& rule) {
  if (rule.is_object() && rule.contains("soft")) {
    fail("it decides by columns of probabilities; read it by SoftRule::from_json");
  }
  expect_keys(rule, "rule", {"attributes", "scale", "favorable", "otherwise", "cells"}, {"level"});
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
  out += fmt::format("    \"cells\": [{}\n    ]\n  }}", cells);
  return out + json_file::fit_member(fit) + "\n}\n";
}

Rule Rule::from_json(std::string_view json) {
  const Json file = json_file::parse_file(json);
  try {
    return Rule(rule_parts(file["rule"]));
  } catch (const std::invalid_argument& error) {
    const std::string_view what = error.what();
    if (what.starts_with("not a valid rule")) throw;
    fail(std::string(what));
  }
}

std::string fit_record(std::string_view json) {
  const Json file = json_file::parse_file(json);
  return file.contains("fit") ? file["fit"].dump() : "{}";
}

}  // namespace evenhand
