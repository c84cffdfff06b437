// gamma > 0: the proof, the criterion and monotonicity on the applied rule.
#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/recompute.h"
#include "support/trials.h"
#include "support/verified.h"

namespace evenhand::testing::ramp_test {
namespace {

struct Case {
  const char* criterion;
  bool isotonic;
  double tolerance;
};

std::string describe(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.criterion;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + (info.param.isotonic ? "_isotonic" : "") +
         (info.param.tolerance > 0 ? "_tolerance" : "_exact");
}

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.criterion;
}

class Ramp : public ::testing::TestWithParam<Case> {};

Criterion criterion_for(const Case& c, Random& random) {
  const Roles roles{{"sex"}, {"race"}};
  const std::string name = c.criterion;
  if (name == "four-fifths") return criterion_from(name, {roles, {}, 0.5 + random.unit() / 2});
  if (name == "equal-rates") {
    const Rho rho = random.chance(0.3) ? Rho::best() : Rho::given(random.below(5) / 4.0);
    return criterion_from(name, {roles, c.tolerance, {}, rho});
  }
  return criterion_from(name, {roles, c.tolerance});
}

TEST_P(Ramp, GapAndViolationVanishAndTheRuleIsMonotone) {
  Random random(77);
  int solved = 0;
  for (int trial = 0; solved < trials(150); ++trial) {
    ASSERT_LT(trial, 1000);
    const Rows rows =
        random_rows(random, {.groups = 2 + random.below(3),
                             .strata = 1 + random.below(3),
                             .most_rows = trial % 30 == 0 ? 500 : 1 + random.below(40),
                             .few_scores = random.chance(0.4),
                             .odd_cells = random.chance(0.5),
                             .integer_weights = random.chance(0.3)});
    const Criterion criterion = criterion_for(GetParam(), random);
    SolveOptions options;
    options.gamma =
        std::array{0.001, 0.01, 0.1, 0.5, 1.0, 5.0}[static_cast<std::size_t>(random.below(6))];
    if (random.chance(0.5)) options.costs = {3 * random.unit(), 0.01 + 3 * random.unit()};
    if (GetParam().isotonic) options.calibrate = Calibration::isotonic;
    const Atoms atoms = atoms_of(rows, criterion, options);
    if (compared_cells(atoms, criterion).empty()) continue;
    ++solved;
    SCOPED_TRACE("trial " + std::to_string(trial) + ", gamma " + std::to_string(options.gamma));
    const Solution fit = solve(rows.tally(), criterion, options);
    expect_verified(rows.tally(), fit);
    const Applied applied = apply(rows, atoms, fit, criterion.rho.value);
    EXPECT_EQ(fit.status, Status::optimal);
    EXPECT_LE(applied.violation, 1e-9);
    EXPECT_TRUE(applied.nondecreasing);
    const double scale = std::max(atoms.magnitude, 1e-300);
    EXPECT_NEAR(fit.primal, applied.objective, 1e-9 * scale);
    const double bound = bound_from_multipliers(atoms, fit, criterion.rho.value);
    EXPECT_NEAR(fit.dual, bound, 1e-9 * scale);
    EXPECT_NEAR(fit.primal, bound, 1e-9 * scale);
  }
}

INSTANTIATE_TEST_SUITE_P(
    AllCriteria, Ramp,
    ::testing::Values(Case{"statistical-parity", false, 0}, Case{"statistical-parity", false, 0.05},
                      Case{"statistical-parity", true, 0}, Case{"statistical-parity", true, 0.05},
                      Case{"equal-opportunity", false, 0}, Case{"equal-opportunity", false, 0.05},
                      Case{"false-positive-parity", false, 0},
                      Case{"false-positive-parity", false, 0.05}, Case{"equal-rates", false, 0},
                      Case{"equal-rates", false, 0.05}, Case{"four-fifths", false, 0}),
    describe);

TEST(RampLimit, TendsToTheStepsAsGammaVanishes) {
  Random random(78);
  const Rows rows = random_rows(random, {.groups = 3, .strata = 2, .most_rows = 200});
  const Criterion criterion = statistical_parity({.sensitive = {"sex"}, .within = {"race"}});
  const Solution steps = solve(rows.tally(), criterion);
  double last = -INFINITY;
  for (const double gamma : {1.0, 0.1, 0.01, 0.001}) {
    const Solution ramp = solve(rows.tally(), criterion, {.gamma = gamma});
    EXPECT_GE(ramp.primal, last - 1e-12 * steps.magnitude);
    EXPECT_GE(ramp.primal, steps.primal - gamma / 2 * rows.tally().total().n);
    EXPECT_LE(ramp.primal, steps.primal + 1e-12 * steps.magnitude);
    last = ramp.primal;
  }
}

TEST(RampLimit, TwoPointsSufficeOnLinearScales) {
  Random random(79);
  Rows rows = random_rows(random, {.groups = 2, .strata = 1, .most_rows = 300});
  for (const Scale scale : {Scale::probability, Scale::signed_}) {
    rows.scale = scale;
    for (double& score : rows.score) score = random.unit();
    const Solution fit =
        solve(rows.tally(), statistical_parity({.sensitive = {"sex"}, .within = {"race"}}),
              {.gamma = 0.2});
    for (const Response& response : fit.rule.parts().responses) {
      EXPECT_LE(response.points.size(), 2);
    }
  }
}

}  // namespace
}  // namespace evenhand::testing::ramp_test
