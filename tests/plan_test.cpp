// How many people are needed: what is promised for so many rows, and one fewer.
#include <evenhand/plan.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::testing::plan_test {
namespace {

Plan plan_of(const PlannedStratum& stratum, const PlanOptions& options) {
  return plan(std::span(&stratum, 1), options);
}

TEST(Plan, NumbersOfTwoGroups) {
  // By the normal approximation 4 c W / eps^2 = 1,329; fresh rows at power one half, 2 r (1 - r)
  // (z / eps)^2 = 491.7.
  const Plan found = plan_of({0.2, {1, 1}}, {.tolerance = 0.05, .power = 0.5});
  EXPECT_NEAR(found.fitted, 1330, 15);
  EXPECT_NEAR(found.fresh, 491.7, 0.1);
  EXPECT_EQ(found.at_hand, 1);  // one person in each group
}

// What a rule has for a bound when it was fixed beforehand, and when half of the rows are kept out
// to test it: numbers computed separately, for so many ordered pairs, rows in each cell, and rate.
struct Kept {
  std::size_t pairs;
  double rows, rate, half_kept_out, fixed;
};
constexpr Kept kept[] = {{2, 50, 0.2, 0.332, 0.157},
                         {2, 200, 0.05, 0.104, 0.043},
                         {2, 200, 0.2, 0.171, 0.078},
                         {2, 20'000, 0.01, 0.0044, 0.0020},
                         {60, 200, 0.2, 0.237, 0.126}};

TEST(Plan, FreshRowsAtEvenOddsAreThoseOfARuleFixedBeforehand) {
  for (const Kept& row : kept) {
    const std::vector<PlannedStratum> strata(row.pairs / 2, {row.rate, {1, 1}});
    // The bound is printed with two or three digits: the rows lie between those of its ends.
    const double unit = row.fixed < 0.01 ? 1e-4 : 1e-3;
    const auto rows = [&](double bound) {
      return plan(strata, {.tolerance = bound, .power = 0.5}).fresh;
    };
    EXPECT_LE(rows(row.fixed + unit / 2), row.rows);
    EXPECT_GE(rows(row.fixed - unit / 2), row.rows);
  }
}

TEST(Plan, HalfKeptOutIsTheTypicalBoundOfTheOtherHalf) {
  std::mt19937_64 random(5);
  for (const Kept& row : kept) {
    const double half = row.rows / 2;
    const double alpha = 0.05 / static_cast<double>(row.pairs);
    // The fit puts its threshold at a row: the true rate above that is a beta variate.
    const auto fresh = [&] {
      std::gamma_distribution<double> above(row.rate * half + 0.5);
      std::gamma_distribution<double> below((1 - row.rate) * half + 0.5);
      const double a = above(random);
      std::binomial_distribution<int> count(static_cast<int>(half), a / (a + below(random)));
      return RateCount{1.0 * count(random), half};
    };
    std::vector<double> bounds;
    for (int run = 0; run < 400; ++run) {
      const RateCount one = fresh();
      const RateCount other = fresh();
      bounds.push_back(std::max(fresh_difference_at_most(one, other, alpha),
                                fresh_difference_at_most(other, one, alpha)));
    }
    std::nth_element(bounds.begin(), bounds.begin() + 200, bounds.end());
    EXPECT_NEAR(bounds[200] / row.half_kept_out, 1, 0.08) << row.rows << " rows, " << row.rate;
  }
}

TEST(Plan, SoManyRowsAreEnoughAndFewerAreNot) {
  const std::vector<PlannedStratum> strata = {{0.2, {300, 100}}, {0.4, {50, 60, 1000}}};
  for (const BoundKind kind : {BoundKind::same_rate, BoundKind::any, BoundKind::dkw}) {
    for (const bool ratio : {false, true}) {
      PlanOptions options{.confidence = 0.9, .kind = kind};
      (ratio ? options.ratio : options.tolerance) = ratio ? 0.8 : 0.07;
      const double factor = plan(strata, options).fitted;
      const auto bound_with = [&](double times) {
        std::vector<PlannedStratum> larger = strata;
        for (PlannedStratum& stratum : larger) {
          for (double& rows : stratum.rows) rows *= times;
        }
        return plan(larger, options).at_hand;
      };
      if (ratio) {
        EXPECT_GE(bound_with(factor * (1 + 1e-9)), 0.8);
        EXPECT_LT(bound_with(factor * (1 - 1e-6)), 0.8);
      } else {
        EXPECT_LE(bound_with(factor * (1 + 1e-9)), 0.07);
        EXPECT_GT(bound_with(factor * (1 - 1e-6)), 0.07);
      }
    }
  }
}

TEST(Plan, MorePowerConfidenceGroupsAndLessToleranceNeedMorePeople) {
  const PlannedStratum two{0.2, {1, 1}};
  const PlanOptions usual{.tolerance = 0.05};
  const auto more = [&](const PlannedStratum& stratum, const PlanOptions& options, bool fitted) {
    if (fitted) {
      EXPECT_GT(plan_of(stratum, options).fitted, plan_of(two, usual).fitted);
    }
    EXPECT_GT(plan_of(stratum, options).fresh, plan_of(two, usual).fresh);
  };
  more(two, {.tolerance = 0.04}, true);
  more(two, {.tolerance = 0.05, .confidence = 0.99}, true);
  more({0.2, {1, 1, 1}}, usual, true);
  more(two, {.tolerance = 0.05, .power = 0.9}, false);
  more(two, {.tolerance = 0.05, .actual = 0.02}, false);
}

TEST(Plan, RejectsWhatNoNumberOfPeopleCanShow) {
  using Bad = std::invalid_argument;
  const PlannedStratum two{0.2, {1, 1}};
  const auto bad = [&](const PlanOptions& options, const char* part) {
    expect_throw<Bad>([&] { plan_of(two, options); }, part);
  };
  bad({}, "for a tolerance or for a ratio");
  bad({.tolerance = 0.1, .ratio = 0.8}, "for a tolerance or for a ratio");
  bad({.tolerance = 0}, "exactly 0");
  bad({.tolerance = 1.5}, "at most 1");
  bad({.ratio = 1}, "ratio of a plan");
  bad({.tolerance = 0.1, .confidence = 1}, "confidence lies between");
  bad({.tolerance = 0.1, .power = 1}, "power lies between");
  bad({.tolerance = 0.1, .actual = 0.1}, "cannot be shown to be at most");
  bad({.ratio = 0.8, .actual = 0.8}, "cannot be shown to be at least");
  expect_throw<Bad>([] { plan_of({0.2, {1}}, {.tolerance = 0.1}); }, "nothing to compare");
  expect_throw<Bad>([] { plan_of({1.2, {1, 1}}, {.tolerance = 0.1}); }, "rate lies between");
  expect_throw<Bad>([] { plan_of({0, {1, 1}}, {.ratio = 0.8}); }, "rate above 0");
  expect_throw<Bad>([] { plan_of({0.2, {1, 0}}, {.tolerance = 0.1}); }, "have rows");
}

}  // namespace
}  // namespace evenhand::testing::plan_test
