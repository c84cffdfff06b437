#include <evenhand/scale.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::scale_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<Reading> all_readings() {
  std::vector<Reading> out;
  for (const Scale scale : {Scale::probability, Scale::signed_, Scale::logit}) {
    for (const Favorable favorable : {Favorable::high, Favorable::low}) {
      out.push_back({scale, favorable});
    }
  }
  return out;
}

TEST(Scale, TurningIsItsOwnInverseAndNeverGivesMinusZero) {
  for (const Reading& reading : all_readings()) {
    for (const double score : {0.0, -0.0, 0.25, 1.0, 5e-324}) {
      EXPECT_EQ(reading.turn(reading.turn(score)), score);
      EXPECT_FALSE(std::signbit(reading.turn(score)) && reading.turn(score) == 0);
    }
  }
}

TEST(Scale, LowScoresAreFavourableExactlyWhenTurned) {
  const Reading high{Scale::probability, Favorable::high};
  const Reading low{Scale::probability, Favorable::low};
  EXPECT_EQ(high.probability(high.turn(0.25)), 0.25);
  EXPECT_EQ(low.probability(low.turn(0.25)), 0.75);
  EXPECT_TRUE(low.valid(low.turn(1.0)));
  EXPECT_FALSE(low.valid(low.turn(-0.1)));
}

TEST(Scale, FirstAboveIsTheSmallestDoubleWithThatBenefit) {
  for (const Reading& reading : all_readings()) {
    for (const Costs costs : {Costs{1, 1}, Costs{3, 1}, Costs{0.1, 7}}) {
      for (const double bar : {-0.3, 0.0, 1e-9, 0.05}) {
        const double from = first_above(reading, costs, bar);
        ASSERT_TRUE(std::isfinite(from));
        EXPECT_GT(benefit(reading.probability(from), costs), bar);
        const double below = std::nextafter(from, -infinity);
        if (reading.valid(below)) {
          EXPECT_LE(benefit(reading.probability(below), costs), bar);
        }
      }
    }
  }
}

TEST(Scale, FirstAboveKnowsTheEnds) {
  const Reading reading{Scale::probability, Favorable::high};
  EXPECT_EQ(first_above(reading, {1, 1}, 1), infinity);  // no benefit is above 1
  EXPECT_EQ(first_above(reading, {1, 1}, -2), 0);        // every benefit is above -2
  EXPECT_EQ(first_above(reading, {1, 1}, 0), std::nextafter(0.5, 1));
}

TEST(Scale, RawScoresAreAnyFiniteNumberAndSayNothingOfTheOutcome) {
  for (const Favorable favorable : {Favorable::high, Favorable::low}) {
    const Reading raw{Scale::raw, favorable};
    EXPECT_TRUE(raw.valid(-1e308) && raw.valid(0) && raw.valid(1e308));
    EXPECT_FALSE(raw.valid(infinity) || raw.valid(-infinity));
    EXPECT_FALSE(raw.has_probability());
    EXPECT_TRUE(std::isnan(raw.probability(0.5)));
    EXPECT_EQ(first_above(raw, {1, 1}, 0), infinity);
  }
}

TEST(Scale, NamesReadBack) {
  for (const Scale scale : {Scale::probability, Scale::signed_, Scale::logit, Scale::raw}) {
    EXPECT_EQ(scale_from(to_string(scale)), scale);
  }
  for (const Favorable favorable : {Favorable::high, Favorable::low}) {
    EXPECT_EQ(favorable_from(to_string(favorable)), favorable);
  }
  testing::expect_throw<std::invalid_argument>([] { scale_from("percent"); },
                                               "there is no scale 'percent'");
  testing::expect_throw<std::invalid_argument>([] { favorable_from("up"); }, "high or low");
}

}  // namespace
}  // namespace evenhand::scale_test
