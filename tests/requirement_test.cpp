#include <evenhand/requirement.h>

#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <locale>
#include <random>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::requirement_test {
namespace {

using testing::expect_throw;

RequirementTerm term(double factor, Measure measure, std::vector<Condition> conditions = {}) {
  return {factor, measure, std::move(conditions)};
}

Requirement requirement(std::vector<RequirementTerm> terms, Sense sense, double bound) {
  return {{}, std::move(terms), sense, bound, false, 0, ""};
}

void expect_refused(std::string_view text, const std::string& part) {
  SCOPED_TRACE(text);
  expect_throw<std::invalid_argument>([&] { parse_requirement(text); }, part);
}

std::string message_of(std::string_view text) {
  try {
    parse_requirement(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

// `part`, at this character.
void expect_refused_at(std::string_view text, std::size_t character, const std::string& part) {
  expect_refused(text, part);
  expect_refused(text, fmt::format(" at character {} of '", character));
}

void expect_same(std::string_view text, std::string_view other) {
  EXPECT_EQ(parse_requirement(text), parse_requirement(other)) << text << " and " << other;
}

TEST(Requirement, ReadsRatesConditionsFactorsAndBounds) {
  EXPECT_EQ(
      parse_requirement("tpr[sex=F] - tpr[sex=M] <= 0.02"),
      requirement({term(1, Measure::tpr, {{"sex", "F"}}), term(-1, Measure::tpr, {{"sex", "M"}})},
                  Sense::at_most, 0.02));
  EXPECT_EQ(parse_requirement("rate <= 0.1"),
            requirement({term(1, Measure::rate)}, Sense::at_most, 0.1));
  EXPECT_EQ(parse_requirement("rate[race=Black] >= 0.8 * rate[race=White]"),
            requirement({term(1, Measure::rate, {{"race", "Black"}}),
                         term(-0.8, Measure::rate, {{"race", "White"}})},
                        Sense::at_least, 0));
  EXPECT_EQ(parse_requirement(R"(fpr[sex=F, race="O'Neil, A"] = 0.05)"),
            requirement({term(1, Measure::fpr, {{"race", "O'Neil, A"}, {"sex", "F"}})},
                        Sense::equal, 0.05));
}

TEST(Requirement, MovesTermsToTheLeftAndConstantsToTheRight) {
  EXPECT_EQ(parse_requirement("1 + rate - 0.25 <= 0.5 - fpr + 2"),
            requirement({term(1, Measure::rate), term(1, Measure::fpr)}, Sense::at_most, 1.75));
  EXPECT_EQ(parse_requirement("0.25 <= rate"),
            requirement({term(-1, Measure::rate)}, Sense::at_most, -0.25));
  EXPECT_EQ(parse_requirement("-rate >= +tpr"),
            requirement({term(-1, Measure::rate), term(-1, Measure::tpr)}, Sense::at_least, 0));
}

TEST(Requirement, FactorsStandOnEitherSideOfTheirRate) {
  expect_same("0.5 * rate <= 1", "rate * 0.5 <= 1");
  expect_same("-2*tpr[a=b] <= 1", "-tpr[a=b]*2 <= 1");
}

TEST(Requirement, AddsUpTermsOfTheSameRateAndConditions) {
  EXPECT_EQ(parse_requirement("rate[a=1, b=2] + tpr <= 0.5 - rate[b=2, a=1]"),
            requirement({term(2, Measure::rate, {{"a", "1"}, {"b", "2"}}), term(1, Measure::tpr)},
                        Sense::at_most, 0.5));
  expect_same("rate[a=\"1\"] <= 0.5 * rate[a=1] + 1", "0.5 * rate[a=1] <= 1");
}

TEST(Requirement, DropsTermsThatCancel) {
  EXPECT_EQ(parse_requirement("rate[a=b] + tpr - rate[a=b] <= 1 + 0 * fpr"),
            requirement({term(1, Measure::tpr)}, Sense::at_most, 1));
}

TEST(Requirement, ConditionsAreSortedByAttribute) {
  expect_same("rate[b=1, a=2] <= 1", "rate[a=2, b=1] <= 1");
  EXPECT_EQ(to_string(parse_requirement("rate[b=1, a=2] <= 1")), "rate[a=2, b=1] <= 1");
}

TEST(Requirement, WhiteSpaceMayStandBetweenAnyTwoTokens) {
  expect_same("\t rate \n[ a\r\n= b ,\vc = \"d\" ]\f*\n2 - 0.5 * fpr<=\t-  1 \n",
              "rate[a=b,c=\"d\"]*2-0.5*fpr<=-1");
  EXPECT_EQ(parse_requirement("rate[a=\" b \"] <= 1").terms[0].conditions[0].value, " b ");
}

TEST(Requirement, KeepsTheTextAsWritten) {
  EXPECT_EQ(parse_requirement(" \n rate  <=  .5\t").text, "rate  <=  .5");
}

TEST(Requirement, TextAndPlacesDoNotCountForEquality) {
  expect_same("rate[a=b]<=1", "  rate  [ a = b ] <= 1.0");
}

TEST(Requirement, SaysWhereAttributesAndValuesStandInItsText) {
  const Requirement out = parse_requirement("  rate[sex = F, \"\u00e4\u4e2d\" = \u00fc, b=c] <= 1");
  const auto& conditions = out.terms[0].conditions;
  ASSERT_EQ(conditions.size(), 3U);
  EXPECT_EQ(conditions[0].attribute, "b");
  EXPECT_EQ(conditions[0].attribute_at, 25U);
  EXPECT_EQ(conditions[0].value_at, 27U);
  EXPECT_EQ(conditions[1].attribute, "sex");
  EXPECT_EQ(conditions[1].attribute_at, 6U);
  EXPECT_EQ(conditions[1].value_at, 12U);
  EXPECT_EQ(conditions[2].value, "\u00fc");
  EXPECT_EQ(conditions[2].attribute_at, 15U);
  EXPECT_EQ(conditions[2].value_at, 22U);
}

TEST(Requirement, AcceptsTheSignsOfTypesetText) {
  expect_same("rate \u2264 0.5", "rate <= 0.5");
  expect_same("rate\u22650.5", "rate >= 0.5");
  expect_same("tpr\u2212fpr <= \u22121", "tpr - fpr <= -1");
  expect_same("tpr\u2013fpr <= 1", "tpr - fpr <= 1");
  expect_same("rate == 0.5", "rate = 0.5");
}

TEST(Requirement, NamesMayHoldAnyPlainCharacter) {
  const Requirement out = parse_requirement("rate[-a+b/c.d_1=\u2264\u00e4-] <= 1");
  EXPECT_EQ(out.terms[0].conditions[0], (Condition{"-a+b/c.d_1", "\u2264\u00e4-"}));
}

TEST(Requirement, QuotedWordsTakeTheEscapesOfJson) {
  const Requirement out =
      parse_requirement(R"(rate["\"\\\/\b\f\n\r\t"="\u0041\u00e4\u4E2d\ud83d\uDE00\u0000."] <= 1)");
  EXPECT_EQ(out.terms[0].conditions[0],
            (Condition{"\"\\/\b\f\n\r\t", std::string("A\u00e4\u4e2d\U0001F600\0.", 12)}));
}

TEST(Requirement, ReadsNumbersInAllTheirForms) {
  const auto bound = [](std::string_view number) {
    return parse_requirement(fmt::format("rate <= {}", number)).bound;
  };
  EXPECT_EQ(bound("1e-3"), 0.001);
  EXPECT_EQ(bound("1E+2"), 100);
  EXPECT_EQ(bound(".5"), 0.5);
  EXPECT_EQ(bound("2."), 2);
  EXPECT_EQ(bound("007"), 7);
  EXPECT_EQ(bound("0.1"), 0.1);
  EXPECT_EQ(bound("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(bound("0e-999"), 0);
  EXPECT_FALSE(std::signbit(bound("-0")));
}

TEST(Requirement, RefusesWhatIsNoNumber) {
  expect_refused_at("rate <= inf", 9, "expected a number or one of rate, tpr, fpr");
  expect_refused_at("rate <= nan", 9, "expected a number");
  expect_refused_at("rate <= -.", 10, "expected a number");
  expect_refused_at("rate <= 0x10", 10, "expected '*'");
  expect_refused_at("rate <= 1e", 10, "expected '*'");
  expect_refused_at("rate <= 1.2.3", 12, "expected '+', '-' or the end");
}

TEST(Requirement, RefusesNumbersThatADoubleCannotHold) {
  expect_refused_at("rate <= 1e999", 9, "expected a number that a double can hold");
  expect_refused_at("rate <= 1e-999", 9, "expected a number that a double can hold");
  expect_refused_at("rate * 1e999 <= 1", 8, "expected a number that a double can hold");
}

TEST(Requirement, RefusesSumsThatADoubleCannotHold) {
  expect_refused("1e308 * rate + 1e308 * rate <= 1", "add up to one that is too large");
  expect_refused("rate <= 1e308 + 1e308 - 1e308", "add up to one that is too large");
}

TEST(Requirement, PercentagesAreRefusedWithTheNumberToWrite) {
  expect_refused_at("rate <= 10%", 9, "write 0.1 instead of 10%");
  expect_refused_at("0.7 % * rate <= 1", 1, "write 0.007 instead of 0.7%");
  expect_refused("rate <= 1e1%", "write 0.1 instead of 1e1%");
}

TEST(Requirement, ChainedComparisonsAreRefusedWithTheWayOut) {
  expect_refused_at("0.1 <= rate <= 0.2", 13, "write two requirements");
  expect_refused_at("0.1 \u2264 rate \u2264 0.2", 12, "write two requirements");
  expect_refused_at("0.1 < rate < 0.2", 5, "write '<=' instead of '<'");
  expect_refused_at("rate = tpr = fpr", 12, "write two requirements");
}

TEST(Requirement, StrictComparisonsAreRefusedWithTheSignToWrite) {
  expect_refused_at("rate < 0.1", 6, "expected '<='");
  expect_refused_at("rate < 0.1", 6, "write '<=' instead of '<'");
  expect_refused_at("rate > 0.1", 6, "write '>=' instead of '>'");
  expect_refused_at("rate =< 0.1", 6, "write '<=' instead of '=<'");
  expect_refused_at("rate => 0.1", 6, "write '>=' instead of '=>'");
}

TEST(Requirement, RefusesAMissingComparison) {
  expect_refused_at("rate", 5, "expected '+', '-', '<=', '>=' or '='");
  expect_refused_at("rate != 1", 6, "expected '+', '-', '<=', '>=' or '='");
  expect_refused_at("rate / 2 <= 1", 6, "expected '+', '-', '<=', '>=' or '='");
}

TEST(Requirement, RefusesAMissingItem) {
  EXPECT_EQ(message_of(""), "expected a number or a rate at character 1 of ''");
  EXPECT_EQ(message_of("rate <= "), "expected a number or a rate at character 9 of 'rate <= '");
  expect_refused_at("<= 1", 1, "expected a number or a rate");
  expect_refused_at("rate + <= 1", 8, "expected a number or a rate");
  expect_refused_at("rate - -1 <= 1", 8, "expected a number or a rate");
  expect_refused_at("(rate) <= 1", 1, "expected a number or a rate");
}

TEST(Requirement, RefusesProductsOfTwoRatesOrTwoNumbers) {
  expect_refused_at("rate * tpr <= 1", 8, "expected a number");
  expect_refused_at("2 * 3 <= rate", 5, "expected a rate");
  expect_refused_at("2 rate <= 1", 3, "expected '*'");
  expect_refused_at("2rate <= 1", 2, "expected '*'");
  expect_refused_at("2 * rate * 2 <= 1", 10, "expected '+', '-', '<=', '>=' or '='");
}

TEST(Requirement, UnknownRatesAreNotTakenForOthers) {
  expect_refused("TPR <= 1", "did you mean 'tpr'?");
  expect_refused_at("0.5 * Rate <= 1", 7, "expected one of rate, tpr, fpr, accuracy");
  for (const char* text : {"rat <= 1", "ppr <= 1", "f1 >= 0.5", "rate2 <= 1", "auc >= 0.5"}) {
    EXPECT_EQ(message_of(text),
              fmt::format("expected a number or one of rate, tpr, fpr, accuracy, cost, selected, "
                          "precision, npv and share at character 1 of '{}'",
                          text));
  }
  expect_refused_at("r\u00e4te\u2264 1", 1, "expected a number or one of rate");
}

TEST(Requirement, RefusesEmptyBrackets) {
  expect_refused_at("rate[] <= 1", 6, "expected an attribute");
  expect_refused_at("rate[ ] <= 1", 7, "leave out the brackets to mean everyone");
}

TEST(Requirement, RefusesBrokenConditions) {
  expect_refused_at("rate[a=b,] <= 1", 10, "expected an attribute");
  expect_refused_at("rate[=b] <= 1", 6, "expected an attribute");
  expect_refused_at("rate[a] <= 1", 7, "expected '='");
  expect_refused_at("rate[a=] <= 1", 8, "expected a value");
  expect_refused_at("rate[a==b] <= 1", 8, "expected a value");
  expect_refused_at("rate[a=b=c] <= 1", 9, "expected ',' or ']'");
  expect_refused_at("rate[a=b", 9, "expected ',' or ']'");
  expect_refused_at("rate[a=b c] <= 1", 10, "in double quotes");
  expect_refused_at("rate[a='b'] <= 1", 8, "in double quotes");
}

TEST(Requirement, RefusesTheSameAttributeTwiceInOneBracket) {
  expect_refused_at("rate[sex=F, age=1, sex=M] <= 1", 20, "the attribute sex comes twice");
  expect_refused_at("rate[\u00e4=1, \"\u00e4\"=1] <= 1", 11, "the attribute \u00e4 comes twice");
}

TEST(Requirement, RefusesBrokenQuotedWords) {
  expect_refused_at("rate[\"a", 8, "expected '\"'");
  expect_refused_at("rate[a=\"b\\", 10, "expected one of \\\"");
  expect_refused_at(R"(rate[a="\x"] <= 1)", 9, R"(expected one of \")");
  expect_refused_at(R"(rate[a="\u12"] <= 1)", 9, "four hexadecimal digits");
  expect_refused_at(R"(rate[a="\u-123"] <= 1)", 9, "four hexadecimal digits");
  expect_refused_at(R"(rate[a="b\u)", 10, "four hexadecimal digits");
  expect_refused_at("rate[a=\"b\nc\"] <= 1", 10, "instead of a control character");
}

TEST(Requirement, RefusesLoneSurrogates) {
  expect_refused_at(R"(rate[a="\ud83d"] <= 1)", 9, "pair of surrogates");
  expect_refused_at(R"(rate[a="\ude00"] <= 1)", 9, "pair of surrogates");
  expect_refused_at(R"(rate[a="\ud83d\u0041"] <= 1)", 9, "pair of surrogates");
  expect_refused_at(R"(rate[a="\ud83d\n"] <= 1)", 9, "pair of surrogates");
  expect_refused_at(R"(rate[a="\ud83d\u00"] <= 1)", 15, "four hexadecimal digits");
}

TEST(Requirement, RefusesWhatSaysNothingAboutAnyRate) {
  expect_refused("0 <= 1", "'0 <= 1' says nothing about any rate: name one");
  expect_refused("rate[a=b] <= rate[a=b] + 1", "says nothing about any rate: its rates cancel out");
  expect_refused("0 * rate <= 1", "says nothing about any rate");
}

TEST(Requirement, RefusesTextAfterTheEnd) {
  expect_refused_at("rate <= 1;", 10, "expected '+', '-' or the end");
  expect_refused_at(std::string_view("rate <= 1\0", 10), 10, "expected '+', '-' or the end");
}

TEST(Requirement, RefusesTextThatIsNotUtf8) {
  expect_refused("rate[a=\xFF] <= 1", "not valid UTF-8: byte 0xFF at position 7");
}

TEST(Requirement, RefusesTextThatIsTooLong) {
  std::string text = "rate <= 1";
  text.resize(65536, ' ');
  EXPECT_EQ(parse_requirement(text).text, "rate <= 1");
  expect_refused(text + ' ', "at most 65,536 bytes, not 65,537");
}

TEST(Requirement, PositionsCountCharactersNotBytes) {
  expect_refused_at("rate[\u00e4\u4e2d\U0001F600=\u00fc] ! 1", 13, "expected '+'");
  expect_refused_at("rate \u2264 ?", 8, "expected a number or a rate");
}

TEST(Requirement, PositionsAreThoseInTheTextOfTheMessage) {
  EXPECT_EQ(message_of(" \n rate ?"),
            "expected '+', '-', '<=', '>=' or '=' at character 6 of 'rate ?'");
}

TEST(Requirement, MessagesEscapeControlCharacters) {
  EXPECT_EQ(message_of("rate\n<=\t\x7f"),
            "expected a number or a rate at character 9 of 'rate\\u000a<=\\u0009\\u007f'");
}

TEST(Requirement, MessagesShowLongTextsAroundThePlace) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("rate[\u00e4={}] + ", i);
  const std::string message = message_of(text + "? + " + text + "rate <= 1");
  EXPECT_NE(message.find("expected a number or a rate at character 13891 of '..."),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("rate[\u00e4=999] + ? + rate[\u00e4=0]"), std::string::npos) << message;
  EXPECT_NE(message.find("...'"), std::string::npos) << message;
  EXPECT_LT(message.size(), 200U);
  EXPECT_LT(message_of(std::string(60000, 'x')).size(), 200U);
  EXPECT_LT(message_of("rate <= " + std::string(60000, '9')).size(), 200U);
  EXPECT_LT(message_of("rate[" + std::string(30000, 'a') + "=1," + std::string(30000, 'a') + "=1]")
                .size(),
            300U);
}

TEST(Requirement, ReadsManyTermsInLittleTime) {
  std::string text = "rate";
  for (int i = 0; text.size() < 65000; ++i) text += fmt::format("+tpr[a={}]", i);
  const Requirement out = parse_requirement(text + "<=1");
  EXPECT_GT(out.terms.size(), 4000U);
  const std::string digits(60000, '3');
  EXPECT_EQ(parse_requirement("rate <= 0." + digits).bound, 1.0 / 3);
}

struct CommaPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(Requirement, DoesNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const std::locale before_cpp = std::locale::global(std::locale(std::locale(), new CommaPoint));
  for (const char* const name : {"C", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    if (!std::setlocale(LC_ALL, name)) continue;
    const Requirement out = parse_requirement("0.5 * rate <= 1.5");
    EXPECT_EQ(out.terms[0].factor, 0.5) << name;
    EXPECT_EQ(to_string(out), "0.5 * rate <= 1.5") << name;
    expect_refused_at("rate <= 0,5", 10, "expected '+', '-' or the end");
  }
  std::locale::global(before_cpp);
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace evenhand::requirement_test
