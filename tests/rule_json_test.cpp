// Rules as JSON: read back bit for bit, and nothing but rules is read.
#include <evenhand/rule.h>

#include <clocale>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/rule_text.h"
#include "support/throws.h"

namespace evenhand::rule_json_test {
namespace {

using testing::expect_throw;
using Shape = Response::Shape;

Rule random_rule(testing::Random& random) {
  RuleParts parts;
  parts.cells =
      CellNames({"a", "b \"quoted\"\n"},
                {{"", "\xE2\x82\xAC"}, {"\t", "{}[],:"}, {"x", std::string("nul\0!", 5)}});
  parts.reading.scale = static_cast<Scale>(random.below(3));
  parts.reading.favorable = random.chance(0.5) ? Favorable::low : Favorable::high;
  parts.otherwise = random.chance(0.2) ? std::numeric_limits<double>::infinity() : random.unit();
  if (random.chance(0.3)) parts.level = random.below(60) - 8;
  for (int c = 0; c < 3; ++c) {
    Response response{random.chance(0.5) ? Shape::ramp : Shape::steps, 0, {}};
    double score = -1;
    double q = random.unit() / 8;
    if (response.shape == Shape::steps) response.start = q;
    for (int i = 0; i <= random.below(5); ++i) {
      score += random.unit() * std::pow(10, -random.below(300));
      score = std::nextafter(score, 1e300);
      q += random.unit() / 8;
      response.points.push_back({score, q});
    }
    parts.responses.push_back(response);
  }
  return Rule(parts);
}

const std::string& valid() {
  static const std::string text = Rule(RuleParts{CellNames({"sex"}, {{"F"}, {"M"}}),
                                                 {{Shape::steps, 0, {{0.4, 0.5}, {0.5, 1}}},
                                                  {Shape::ramp, 0, {{0.3, 0}, {0.4, 1}}}},
                                                 {},
                                                 {},
                                                 0.5})
                                      .to_json(R"({"note": [1, 2]})");
  return text;
}

std::string with(const std::string& from, const std::string& to) {
  return testing::changed(valid(), from, to);
}

void reject(const std::string& text, const std::string& part) {
  testing::expect_no_rule<Rule>(text, part);
}

TEST(RuleJson, ReadsBackBitForBit) {
  testing::expect_all_read_back(11, random_rule);
}

TEST(RuleJson, KeepsTheRecordOfTheFitApart) {
  EXPECT_EQ(fit_record(valid()), R"({"note":[1,2]})");
  const Rule rule = Rule::from_json(valid());
  EXPECT_EQ(fit_record(rule.to_json()), "{}");
  EXPECT_EQ(Rule::from_json(rule.to_json()), rule);
  expect_throw<std::invalid_argument>([&] { (void)rule.to_json("[1]"); }, "fit is not an object");
  expect_throw<std::invalid_argument>([&] { (void)rule.to_json("{"); }, "not a valid rule");
}

TEST(RuleJson, DoesNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const Rule rule = Rule::from_json(valid());
  const std::string plain = rule.to_json();
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    if (!std::setlocale(LC_ALL, name)) continue;
    EXPECT_EQ(rule.to_json(), plain);
    EXPECT_EQ(Rule::from_json(plain), rule);
    EXPECT_EQ(rule.describe(0), "sex=F: yes from 0.5; from 0.4 to 0.5 in 50 of 100 cases");
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST(RuleJson, RejectsTruncationAtEveryByte) {
  for (std::size_t size = 0; size + 2 < valid().size(); ++size) {
    EXPECT_THROW(Rule::from_json(valid().substr(0, size)), std::invalid_argument) << size;
  }
}

TEST(RuleJson, SurvivesAnyChangedByte) {
  // Whatever it reads must be a rule: evaluated, described and written without harm.
  for (std::size_t at = 0; at < valid().size(); ++at) {
    for (const char c : {'0', '-', '"', '}', '[', 'e', '\0', '\xFF'}) {
      std::string text = valid();
      text[at] = c;
      try {
        const Rule rule = Rule::from_json(text);
        EXPECT_GE(rule.probability(0, 0.45), 0);
        EXPECT_EQ(Rule::from_json(rule.to_json()), rule);
        EXPECT_FALSE(rule.describe().empty());
      } catch (const std::invalid_argument&) {
      }
    }
  }
}

TEST(RuleJson, RejectsANewerVersion) {
  const std::pair<const char*, const char*> versions[] = {
      {"2", "it has version 2, this program reads up to"},
      {"99999999999999999999", "version"},
      {"0", "not a positive integer"},
      {"\"1\"", "not a positive integer"}};
  for (const auto& [version, part] : versions) {
    reject(with("\"evenhand\": 1", std::string("\"evenhand\": ") + version), part);
  }
  reject(with("\"evenhand\": 1,", ""), "lacks the version");
}

TEST(RuleJson, RejectsDuplicateKeys) {
  reject(with("\"start\": 0", "\"start\": 0, \"start\": 1"), "the key start occurs twice");
  reject(with("\"note\":", "\"note\": 1, \"note\":"), "the key note occurs twice");
}

TEST(RuleJson, RejectsUnknownAndMissingMembers) {
  reject(with("\"start\": 0", "\"begin\": 0"), "cells[0] lacks 'start'");
  reject(with("\"start\": 0", "\"start\": 0, \"extra\": 1"),
         "cells[0] has an unknown member extra");
  reject(with("\"scale\"", "\"escale\""), "rule lacks 'scale'");
  reject(with("\"fit\"", "\"fitt\""), "the file has an unknown member fitt");
}

TEST(RuleJson, RejectsWrongTypesAndValues) {
  reject(with("\"probability\"", "\"percent\""), "there is no scale 'percent'");
  reject(with("\"high\"", "\"higher\""), "high or low");
  reject(with("0.4, 0.5]", "0.4, 1.5]"), "not in [0, 1]");
  reject(with("0.4, 0.5]", "\"0.4\", 0.5]"), "is not a number");
  reject(with("[0.4, 0.5]", "[0.4]"), "not [score, q]");
  reject(with("[0.4, 0.5]", "[0.6, 0.5]"), "scores do not ascend");
  reject(with("[0.4, 0.5]", "[1e999, 0.5]"), "");
  reject(with("[0.4, 0.5]", "[NaN, 0.5]"), "");
  reject(with("\"F\"", "\"Z\""), "cells must ascend");
  reject(with("[\"F\"]", "[\"F\", \"G\"]"), "cell 0 has 2 values");
  reject(with("[\"F\"]", "[1]"), "is not a text");
  reject(with("\"start\"", "\"level\": 1, \"start\""), "unknown member level");
  reject(with("\"cells\"", "\"level\": 53, \"cells\""), "level 53");
  reject(with("\"cells\"", "\"level\": 1.5, \"cells\""), "level is not an integer");
  reject("[]", "lacks the version");
  reject("", "");
}

TEST(RuleJson, RejectsDeepNestingWithoutRecursing) {
  const std::string deep(100'000, '[');
  reject(deep, "nested more than");
  reject(with("[\n      1,", deep), "nested more than");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  reject(objects, "nested more than");
}

TEST(RuleJson, RejectsWhatIsTooLarge) {
  reject(std::string((std::size_t{256} << 20U) + 1, ' '), "larger than 256 MiB");
  reject(valid() + std::string(1, '\0') + "text that nobody would see", "a NUL at byte");
}

}  // namespace
}  // namespace evenhand::rule_json_test
