// Names in one table: every one reads back, and a bad one is answered with those there are.
#include <evenhand/bad_row.h>
#include <evenhand/calibrate.h>
#include <evenhand/names.h>
#include <evenhand/tally.h>

#include <string>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::testing::names_test {
namespace {

TEST(Names, ReadBackAsWhatTheyName) {
  for (const auto& each : scale_names) EXPECT_EQ(scale_from(to_string(each.value)), each.value);
  for (const auto& each : across_names) EXPECT_EQ(across_from(to_string(each.value)), each.value);
  for (const auto& each : unseen_names) EXPECT_EQ(unseen_from(to_string(each.value)), each.value);
  for (const auto& each : solver_names) EXPECT_EQ(solver_from(to_string(each.value)), each.value);
  for (const auto& each : lottery_names) EXPECT_EQ(lottery_from(to_string(each.value)), each.value);
  for (const char* text : {"exact", "auto", "16", "-3", "at-most 1000"}) {
    EXPECT_EQ(to_string(resolution_from(text)), text);
  }
}

TEST(Names, OfEveryOptionAreDistinctAndExplained) {
  for (const Choices& each : all_choices()) {
    EXPECT_EQ(&choices_of(each.option), &each);
    for (const Choice& choice : each.choices) {
      EXPECT_FALSE(choice.name.empty() || choice.help.empty()) << each.option;
      EXPECT_NE(each.text().find(std::string(choice.name) + " ("), std::string::npos);
    }
  }
  expect_throw<std::out_of_range>([] { choices_of("colour"); }, "colour");
}

TEST(Names, OneThatIsNoneIsAnsweredWithThoseThereAre) {
  expect_throw<std::invalid_argument>(
      [] { across_from("diagonal"); },
      "no across 'diagonal': choose intersection, marginal or both");
  expect_throw<std::invalid_argument>([] { unseen_from("guess"); }, "error, score or reject");
  expect_throw<std::invalid_argument>([] { resolution_from("fine"); }, "no resolution 'fine'");
}

TEST(Names, OfCriteriaSayWhichParametersTheyTake) {
  for (const CriterionName& each : all_criteria()) {
    EXPECT_EQ(&find_criterion(each.name), &each);
    for (const std::string_view also : each.also) {
      if (also.empty()) continue;
      EXPECT_EQ(&find_criterion(also), &each);
    }
    EXPECT_FALSE(each.help.empty());
    CriterionOptions options{.roles = {{"sex"}}};
    EXPECT_EQ(criterion_from(each.name, options).name, each.name);
    EXPECT_EQ(criterion_from(each.name, options).uses_labels(), each.needs_labels());
    options.rho = Rho::base();
    if (each.takes_rho()) {
      EXPECT_EQ(criterion_from(each.name, options).rho, Rho::base());
    } else {
      EXPECT_THROW(criterion_from(each.name, options), std::invalid_argument);
    }
  }
}

TEST(BadRow, CarriesTheRowAndTheProblem) {
  const std::vector<double> score = {0.5, 1.5};
  const std::vector<std::string> sex = {"F", "M"};
  try {
    Tally::of(score, Cells::from({{"sex", sex}}));
    FAIL() << "accepted";
  } catch (const BadRow& bad) {
    EXPECT_EQ(bad.row(), 1U);
    EXPECT_TRUE(bad.problem().starts_with("the score 1.5 is outside"));
    EXPECT_EQ(bad.what(), "row 1: " + bad.problem());
  }
}

TEST(Names, OfCalibrationsReadBack) {
  for (const Calibration method :
       {Calibration::none, Calibration::isotonic, Calibration::platt, Calibration::temperature}) {
    EXPECT_EQ(calibration_from(to_string(method)), method);
  }
  for (const CalibrateBy by : {CalibrateBy::cell, CalibrateBy::all}) {
    EXPECT_EQ(calibrate_by_from(to_string(by)), by);
  }
  expect_throw<std::invalid_argument>([] { calibration_from("beta"); },
                                      "there is no calibration 'beta'");
  expect_throw<std::invalid_argument>([] { calibrate_by_from("group"); }, "cell or all");
}

}  // namespace
}  // namespace evenhand::testing::names_test
