// The soft rule's file: docs/formats.md describes it. As strict as that of any other rule.
#include <evenhand/soft_rule.h>
#include <evenhand/text.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

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

std::vector<double> numbers(const Json& value, const std::string& where) {
  std::vector<double> out;
  for (const Json& item : list(value, where)) out.push_back(number(item, where));
  return out;
}

SoftStratum stratum_of(const Json& json, const std::string& where, bool steps) {
  if (steps) {
    expect_keys(json, where, {"values", "means", "multipliers", "tie"});
  } else {
    expect_keys(json, where, {"values", "means", "multipliers"});
  }
  SoftStratum out;
  out.means = numbers(json["means"], where + ".means");
  out.multipliers = numbers(json["multipliers"], where + ".multipliers");
  if (!steps) return out;
  const std::string tie = where + ".tie";
  expect_keys(json["tie"], tie, {"width", "slopes"});
  out.tie_width = number(json["tie"]["width"], tie + ".width");
  out.tie_slopes = numbers(json["tie"]["slopes"], tie + ".slopes");
  return out;
}

SoftPrice price_of(const Json& json, const std::vector<std::string>& columns) {
  if (list(json, "prices").size() != 2) fail("prices has an entry that is not [column, given]");
  const auto found = std::find(columns.begin(), columns.end(), text(json[0], "prices"));
  if (found == columns.end()) fail("prices names a column that is not among soft");
  const std::string& given = text(json[1], "prices");
  for (const Given one : {Given::everyone, Given::favorable, Given::unfavorable}) {
    if (given == to_string(one)) return {static_cast<std::size_t>(found - columns.begin()), one};
  }
  fail("prices are given everyone, favorable or unfavorable");
}

SoftRuleParts parts_of(const Json& rule) {
  if (!rule.is_object() || !rule.contains("soft")) {
    fail("it does not decide by soft columns; read it by Rule::from_json");
  }
  expect_keys(rule, "rule",
              {"soft", "within", "scale", "favorable", "cost_fp", "cost_fn", "gamma", "strata"},
              {"prices"});
  SoftRuleParts parts;
  parts.columns = texts(rule["soft"], "soft");
  if (rule.contains("prices")) {
    for (const Json& price : list(rule["prices"], "prices")) {
      parts.prices.push_back(price_of(price, parts.columns));
    }
    if (parts.prices.empty()) fail("prices is empty");
  }
  parts.reading.scale = scale_from(text(rule["scale"], "scale"));
  parts.reading.favorable = favorable_from(text(rule["favorable"], "favorable"));
  parts.costs.false_positive = number(rule["cost_fp"], "cost_fp");
  parts.costs.false_negative = number(rule["cost_fn"], "cost_fn");
  parts.gamma = number(rule["gamma"], "gamma");
  std::vector<std::vector<std::string>> strata;
  for (const Json& stratum : list(rule["strata"], "strata")) {
    const std::string where = fmt::format("strata[{}]", strata.size());
    parts.of.push_back(stratum_of(stratum, where, parts.gamma == 0));
    strata.push_back(texts(stratum["values"], where + ".values"));
  }
  parts.strata = CellNames(texts(rule["within"], "within"), strata);
  return parts;
}

std::string list_text(const std::vector<double>& values) {
  std::string out = "[";
  for (const double value : values) out += (out.size() > 1 ? ", " : "") + shortest(value);
  return out + "]";
}

}  // namespace

std::string SoftRule::to_json(std::string_view fit) const {
  std::string strata;
  for (CellCode c = 0; c < parts_.of.size(); ++c) {
    const auto values = parts_.strata.values(c);
    const SoftStratum& stratum = parts_.of[c];
    strata +=
        fmt::format("{}\n      {{\"values\": {}, \"means\": {}, \"multipliers\": {}", c ? "," : "",
                    Json(std::vector<std::string>(values.begin(), values.end())).dump(),
                    list_text(stratum.means), list_text(stratum.multipliers));
    if (parts_.gamma == 0) {
      strata += fmt::format(",\n       \"tie\": {{\"width\": {}, \"slopes\": {}}}",
                            shortest(stratum.tie_width), list_text(stratum.tie_slopes));
    }
    strata += "}";
  }
  std::string prices;
  if (!parts_.prices.empty()) {
    Json list = Json::array();
    for (const SoftPrice& price : parts_.prices) {
      list.push_back({parts_.columns[price.column], to_string(price.given)});
    }
    prices = fmt::format(",\n    \"prices\": {}", list.dump());
  }
  std::string out = fmt::format(
      "{{\n  \"evenhand\": {},\n  \"rule\": {{\n    \"soft\": {}{},\n    \"within\": {},\n"
      "    \"scale\": \"{}\",\n    \"favorable\": \"{}\",\n    \"cost_fp\": {},\n"
      "    \"cost_fn\": {},\n    \"gamma\": {},\n    \"strata\": [{}\n    ]\n  }}",
      json_file::newest_version, Json(parts_.columns).dump(), prices,
      Json(parts_.strata.attributes()).dump(), to_string(parts_.reading.scale),
      to_string(parts_.reading.favorable), shortest(parts_.costs.false_positive),
      shortest(parts_.costs.false_negative), shortest(parts_.gamma), strata);
  out += json_file::file_end;
  return json_file::with_fit(std::move(out), fit);
}

SoftRule json_file::soft_rule_in(const Json& file) {
  return read_rule(file, [](const Json& rule) { return SoftRule(parts_of(rule)); });
}

SoftRule SoftRule::from_json(std::string_view json) {
  return json_file::soft_rule_in(json_file::parse_file(json));
}

bool json_file::is_soft(const Json& file) {
  return file["rule"].is_object() && file["rule"].contains("soft");
}

bool is_soft_rule(std::string_view json) {
  return json_file::is_soft(json_file::parse_file(json));
}

}  // namespace evenhand
