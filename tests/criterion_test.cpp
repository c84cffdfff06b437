#include <evenhand/criterion.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::criterion_test {
namespace {

using testing::expect_throw;

const Roles roles{{"sex"}, {"race"}};

TEST(Criterion, NamesMakeTheSameAsFunctions) {
  EXPECT_EQ(criterion_from("statistical-parity", {roles, 0.1}),
            statistical_parity({{"sex"}, {"race"}, 0.1}));
  EXPECT_EQ(criterion_from("equal-opportunity", {roles}), equal_opportunity({{"sex"}, {"race"}}));
  EXPECT_EQ(criterion_from("false-positive-parity", {roles}),
            false_positive_parity({{"sex"}, {"race"}}));
  EXPECT_EQ(criterion_from("equal-rates", {roles, 0.1, {}, Rho::given(0.3)}),
            equal_rates({{"sex"}, {"race"}, 0.1, Rho::given(0.3)}));
  EXPECT_EQ(criterion_from("four-fifths", {roles, {}, 0.7}), four_fifths({{"sex"}, {"race"}, 0.7}));
  EXPECT_EQ(criterion_from("four-fifths", {roles}).ratio, 0.8);
}

TEST(Criterion, FairlearnsNamesAreAccepted) {
  EXPECT_EQ(criterion_from("demographic_parity", {roles}).name, "statistical-parity");
  EXPECT_EQ(criterion_from("true_positive_rate_parity", {roles}).name, "equal-opportunity");
  EXPECT_EQ(criterion_from("false_positive_rate_parity", {roles}).name, "false-positive-parity");
  EXPECT_EQ(criterion_from("equalized_odds", {roles}).name, "equalized-odds");
  // The same by another name: one less the rate.
  EXPECT_EQ(criterion_from("selection_rate_parity", {roles}).name, "statistical-parity");
  EXPECT_EQ(criterion_from("false_negative_rate_parity", {roles}).name, "equal-opportunity");
  EXPECT_EQ(criterion_from("true_negative_rate_parity", {roles}).name, "false-positive-parity");
}

TEST(Criterion, UnderscoresAreAsGoodAsHyphens) {
  for (const std::string name : {"statistical-parity", "equal-opportunity", "false-positive-parity",
                                 "equalized-odds", "equal-rates", "four-fifths"}) {
    std::string other = name;
    std::replace(other.begin(), other.end(), '-', '_');
    EXPECT_EQ(criterion_from(other, {roles}), criterion_from(name, {roles}));
    EXPECT_EQ(criterion_from(other, {roles}).name, name);
  }
  EXPECT_EQ(criterion_from("demographic-parity", {roles}).name, "statistical-parity");
  expect_throw<std::invalid_argument>([] { criterion_from("predictive_equality", {roles}); },
                                      "equal-rates");
}

TEST(Criterion, PredictiveEqualityIsRefusedWithItsTwoMeanings) {
  expect_throw<std::invalid_argument>([] { criterion_from("predictive-equality", {roles}); },
                                      "equal-rates");
  expect_throw<std::invalid_argument>([] { criterion_from("predictive-equality", {roles}); },
                                      "false-positive-parity");
}

TEST(Criterion, UnknownNamesGetASuggestion) {
  expect_throw<std::invalid_argument>([] { criterion_from("statistical_party", {roles}); },
                                      "did you mean 'statistical-parity'?");
  expect_throw<std::invalid_argument>([] { criterion_from("fair", {roles}); }, "choose one of");
  expect_throw<std::invalid_argument>([] { criterion_from("", {}); }, "say what is fair");
  expect_throw<std::invalid_argument>(
      [] { criterion_from("", {.roles = roles, .require = {"rate <= 1"}}); },
      "requirements alone take no roles");
}

TEST(Criterion, RejectsParametersThatItDoesNotTake) {
  expect_throw<std::invalid_argument>(
      [] {
        criterion_from("four-fifths", {roles, 0.1});
      },
      "four-fifths takes no tolerance");
  expect_throw<std::invalid_argument>(
      [] {
        criterion_from("equal-opportunity", {roles, {}, 0.8});
      },
      "takes no ratio");
  expect_throw<std::invalid_argument>(
      [] {
        criterion_from("statistical-parity", {roles, {}, {}, Rho::base()});
      },
      "takes no rho");
}

TEST(Criterion, RejectsParametersOutOfRange) {
  expect_throw<std::invalid_argument>(
      [] {
        criterion_from("statistical-parity", {roles, -0.1});
      },
      "from 0 to 1, not -0.1");
  expect_throw<std::invalid_argument>(
      [] {
        statistical_parity({{"s"}, {}, 1.5}).check();
      },
      "from 0 to 1, not 1.5");
  expect_throw<std::invalid_argument>([] { four_fifths({{"s"}, {}, 0}).check(); }, "above 0");
  expect_throw<std::invalid_argument>([] { four_fifths({{"s"}, {}, 1.25}).check(); }, "at most 1");
  expect_throw<std::invalid_argument>(
      [] {
        equal_rates({{"s"}, {}, 0, Rho::given(2)}).check();
      },
      "rho is a rate");
}

}  // namespace
}  // namespace evenhand::criterion_test
