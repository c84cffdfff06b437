// Calibrators in the rule's file: read back bit for bit, and refused unless they are exactly that.
#include <evenhand/rule.h>

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/rule_text.h"
#include "support/throws.h"

namespace evenhand::calibrator_json_test {
namespace {

using testing::changed;
using testing::expect_throw;

CalibrationCurve random_curve(testing::Random& random, std::size_t kind) {
  if (kind == 0) {
    return PlattCurve{std::pow(10, 600 * random.unit() - 300), 1e9 * (random.unit() - 0.5)};
  }
  if (kind == 1) return TemperatureCurve{std::pow(10, 600 * random.unit() - 300)};
  Response out{Response::Shape::ramp, 0, {}};
  double score = -1;
  double p = 0;
  for (int i = 0; i <= random.below(5); ++i) {
    out.points.push_back({score, p});
    score += random.unit() + 1e-3;
    p += random.unit() / 5;
  }
  return out;
}

Rule random_rule(testing::Random& random) {
  RuleParts parts;
  parts.cells = CellNames({"sex"}, {{"F"}, {"M"}});
  parts.responses = {{Response::Shape::steps, 0, {{0.4, 1}}}, {Response::Shape::steps, 1, {}}};
  const auto kind = static_cast<std::size_t>(random.below(3));
  parts.reading.scale = kind == 1 ? Scale::signed_ : Scale::raw;
  parts.reading.favorable = random.chance(0.5) ? Favorable::low : Favorable::high;
  parts.calibrator = Calibrator{parts.reading, random_curve(random, kind)};
  if (random.chance(0.5)) {
    parts.calibrator->cells = parts.cells;
    parts.calibrator->each = {random_curve(random, kind), random_curve(random, kind)};
  }
  return Rule(parts);
}

Rule platt_rule() {
  RuleParts parts;
  parts.cells = CellNames({"sex"}, {{"F"}, {"M"}});
  parts.responses = {{Response::Shape::steps, 0, {{0.4, 1}}}, {Response::Shape::steps, 1, {}}};
  parts.reading.scale = Scale::raw;
  parts.otherwise = 0.25;
  parts.calibrator = Calibrator{
      parts.reading, PlattCurve{2, -0.5}, parts.cells, {PlattCurve{3, 0.125}, PlattCurve{4, 7}}};
  return Rule(parts);
}

std::string isotonic_text() {
  RuleParts parts = platt_rule().parts();
  parts.calibrator =
      Calibrator{parts.reading, Response{Response::Shape::ramp, 0, {{-1, 0.125}, {2, 0.75}}}};
  return Rule(parts).to_json();
}

std::string temperature_text() {
  RuleParts parts = platt_rule().parts();
  parts.reading.scale = Scale::logit;
  parts.calibrator = Calibrator{parts.reading, TemperatureCurve{2.5}};
  return Rule(parts).to_json();
}

void reject(const std::string& text, const std::string& part) {
  testing::expect_no_rule<Rule>(text, part);
}

TEST(CalibratorJson, ReadsBackBitForBit) {
  testing::expect_all_read_back(1, random_rule);
}

TEST(CalibratorJson, IsAMemberOfTheRule) {
  EXPECT_EQ(platt_rule().to_json(), R"({
  "evenhand": 1,
  "rule": {
    "attributes": ["sex"],
    "scale": "raw",
    "favorable": "high",
    "otherwise": 0.25,
    "calibrator": {
      "method": "platt",
      "all": {"slope": 2, "offset": -0.5},
      "cells": [
        {"slope": 3, "offset": 0.125},
        {"slope": 4, "offset": 7}
      ]
    },
    "cells": [
      {"values": ["F"], "start": 0, "steps": [[0.4, 1]]},
      {"values": ["M"], "start": 1, "steps": []}
    ]
  }
}
)");
}

TEST(CalibratorJson, TakesNoPartInDeciding) {
  RuleParts parts = platt_rule().parts();
  const Rule with(parts);
  parts.calibrator.reset();
  const Rule without(parts);
  EXPECT_EQ(without.to_json().find("calibrator"), std::string::npos);
  for (const double score : {-1e9, 0.25, 0.39, 0.4, 7.0}) {
    for (const CellCode cell : {0U, 1U}) {
      EXPECT_EQ(with.probability(cell, score), without.probability(cell, score));
    }
  }
}

TEST(CalibratorJson, RejectsTruncationAndSurvivesAnyChangedByte) {
  for (const std::string& valid : {platt_rule().to_json(), isotonic_text(), temperature_text()}) {
    for (std::size_t size = 0; size + 2 < valid.size(); ++size) {
      EXPECT_THROW(Rule::from_json(valid.substr(0, size)), std::invalid_argument) << size;
    }
    for (std::size_t at = 0; at < valid.size(); ++at) {
      for (const char c : {'0', '9', '-', '"', '}', '[', 'e', '\0', '\xFF'}) {
        std::string text = valid;
        text[at] = c;
        try {
          const Rule rule = Rule::from_json(text);
          EXPECT_EQ(Rule::from_json(rule.to_json()), rule);
          const double p = rule.parts().calibrator->at(0, 0.3);
          EXPECT_TRUE(p >= 0 && p <= 1) << text;
        } catch (const std::invalid_argument&) {
        }
      }
    }
  }
}

TEST(CalibratorJson, RejectsWhatIsNoCalibrator) {
  const std::string platt = platt_rule().to_json();
  reject(changed(platt, "\"platt\"", "\"none\""), "calibrator.method is none");
  reject(changed(platt, "\"platt\"", "\"beta\""), "there is no calibration 'beta'");
  reject(changed(platt, "\"platt\"", "7"), "calibrator.method is not a text");
  reject(changed(platt, "\"platt\"", "\"isotonic\""), "calibrator.all lacks 'ramp'");
  reject(changed(platt, "\"method\": \"platt\",", ""), "calibrator lacks 'method'");
  reject(changed(platt, "\"method\"", "\"by\": 1, \"method\""), "an unknown member by");
  reject(changed(platt, "\"all\": {\"slope\": 2, ", "\"all\": {"), "calibrator.all lacks 'slope'");
  reject(changed(platt, "\"slope\": 2", "\"slope\": 2, \"x\": 1"), "an unknown member x");
  reject(changed(platt, "\"slope\": 2", "\"slope\": 2, \"slope\": 2"), "occurs twice");
  reject(changed(platt, "\"slope\": 2", "\"slope\": 0"), "a slope that is not above 0");
  reject(changed(platt, "\"slope\": 3", "\"slope\": -3"), "a slope that is not above 0");
  reject(changed(platt, "\"slope\": 2", "\"slope\": \"2\""),
         "calibrator.all.slope is not a number");
  reject(changed(platt, "\"offset\": 7", "\"offset\": null"), "calibrator.cells[1].offset");
  reject(changed(platt, "\"offset\": 7", "\"offset\": 1e999"), "");
  reject(changed(platt, ",\n        {\"slope\": 4, \"offset\": 7}", ""), "2 cells but 1 curves");
  reject(changed(isotonic_text(), "\"all\"", "\"cells\": [], \"all\""),
         "calibrator.cells is empty");
  reject(changed(isotonic_text(), "\"all\"", "\"cells\": 3, \"all\""), "is not a list");

  const std::string isotonic = isotonic_text();
  reject(changed(isotonic, "[-1, 0.125]", "[3, 0.125]"), "the calibrator: scores do not ascend");
  reject(changed(isotonic, "[-1, 0.125]", "[-1, 0.875]"), "probabilities fall");
  reject(changed(isotonic, "[2, 0.75]", "[2, 1.75]"), "not in [0, 1]");
  reject(changed(isotonic, "[2, 0.75]", "[2]"), "a point that is not [score, p]");
  reject(changed(isotonic, "[[-1, 0.125], [2, 0.75]]", "[]"), "at least one point");

  const std::string temperature = temperature_text();
  reject(changed(temperature, "2.5", "0"), "a temperature that is not above 0");
  reject(changed(temperature, "2.5", "-1"), "a temperature that is not above 0");
  reject(changed(temperature, "\"logit\"", "\"raw\""), "the logits of raw scores");
}

TEST(CalibratorJson, RulesRefuseTheCalibratorsOfOthers) {
  const auto refuse = [](RuleParts parts, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { Rule rule(parts); }, part);
  };
  RuleParts parts = platt_rule().parts();
  parts.calibrator->reading.favorable = Favorable::low;
  refuse(parts, "read scores differently");
  parts = platt_rule().parts();
  parts.calibrator->cells = CellNames({"sex"}, {{"F"}, {"X"}});
  refuse(parts, "different cells");
  parts = platt_rule().parts();
  parts.calibrator->each[1] = TemperatureCurve{1};
  refuse(parts, "several methods");
  parts = platt_rule().parts();
  parts.calibrator->all = Response{Response::Shape::steps, 0, {{0, 1}}};
  parts.calibrator->each.clear();
  refuse(parts, "steps where isotonic ones are ramps");
}

}  // namespace
}  // namespace evenhand::calibrator_json_test
