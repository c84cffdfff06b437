#pragma once

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/many.h"
#include "support/verified.h"

namespace evenhand::testing::many {

// How the tests of a family are called.
inline std::string name_of_family(const ::testing::TestParamInfo<Family>& info) {
  return info.param.name;
}

// What must hold of any solution with a rule: the proof, from the constraints' multipliers alone,
// and everything required, on the applied rule.
// How much larger rounding is in a ratio than in the sums that it divides.
inline double magnified(const Model& model, const Term& ratio, const PerAtom& q) {
  if (ratio.of.measure == Measure::share) return 1e3;
  Term rate = ratio;
  rate.factor = 1;
  rate.of.measure = Measure::rate;
  const double selected = value_of(model, rate, q);
  const double divided_by = ratio.of.measure == Measure::npv ? 1 - selected : selected;
  return std::max(1.0, std::abs(ratio.factor)) / divided_by;
}

inline void check_solution(const Problem& problem, const Model& model, const Solution& solution) {
  constexpr double close = 1e-9;
  const double scale = model.scale();
  ASSERT_EQ(to_string(solution.status), "optimal")
      << "gap " << solution.gap << ", violation " << solution.violation;
  const Applied applied = apply(model, solution.rule, problem.people.favorable);
  EXPECT_TRUE(applied.nondecreasing);
  EXPECT_LE(applied.violation, close);
  EXPECT_NEAR(solution.violation, applied.violation, close);
  // Where cells share a rule, benefits are not pooled cell by cell.
  if (model.alike.empty()) {
    EXPECT_NEAR(solution.magnitude, model.magnitude, close * scale);
  }
  EXPECT_NEAR(solution.primal, applied.objective, close * scale);
  EXPECT_FALSE(solution.infeasibility.has_value());
  for (const Constraint& constraint : solution.constraints) {
    EXPECT_EQ(unfounded(model, constraint), "");
    EXPECT_TRUE(right_sign(constraint)) << constraint.text << ": " << constraint.multiplier;
    const double value = value_of(model, constraint, applied.q);
    if (std::isnan(constraint.value) || std::isnan(value)) continue;  // of nobody
    const Term& first = constraint.terms.front();
    const double unit = is_ratio(first.of.measure) ? magnified(model, first, applied.q)
                                                   : side_of(model, constraint).unit;
    EXPECT_NEAR(constraint.value, value, close * std::max(1.0, unit)) << constraint.text;
  }
  const double bound = bound_from(model, solution.constraints);
  EXPECT_NEAR(solution.dual, bound, close * scale);
  EXPECT_NEAR(solution.primal, bound, close * scale);
  expect_verified(problem.people.tally(), solution);
}

inline std::uint64_t seed_of(const std::string& name, std::uint64_t start) {
  for (const char c : name) start = start * 31 + static_cast<unsigned char>(c);
  return start;
}

// Random problems of a family, until enough of them counted. If most are passed over, there is
// nothing to be learnt from the rest: the test fails.
class Draws {
 public:
  Draws(const Family& family, std::uint64_t start, int wanted, int most)
      : family_(family), random_(seed_of(family.name, start)), wanted_(wanted), most_(most) {}

  bool more() {
    if (counted_ >= wanted_) return false;
    if (++trial_ < most_) return true;
    ADD_FAILURE() << "too few problems to compare: " << counted_;
    return false;
  }
  Problem problem() { return random_problem(random_, family_, trial_); }  // the next one
  void count() { ++counted_; }

  int counted() const { return counted_; }
  int trial() const { return trial_; }
  Random& random() { return random_; }

 private:
  const Family& family_;
  Random random_;
  int wanted_, most_;
  int counted_ = 0;
  int trial_ = -1;
};

// For the trace: the problem in a line.
inline std::string outline(const Problem& problem, int trial) {
  const Criterion& criterion = problem.criterion;
  const char* across = criterion.roles.across == Across::marginal ? " marginal"
                       : criterion.roles.across == Across::both   ? " both"
                                                                  : "";
  std::string out = "trial " + std::to_string(trial) + ", " +
                    std::to_string(problem.people.size()) + " rows, " +
                    std::to_string(problem.people.cells().names.size()) + " cells, gamma " +
                    std::to_string(problem.options.gamma) + ", " + criterion.name + across +
                    ", tolerance " + std::to_string(criterion.tolerance);
  for (const Demand& demand : problem.demands) out += "; " + demand.text();
  return out;
}

}  // namespace evenhand::testing::many
