// The optimum, checked against the linear program over atoms; the proof, recomputed from the
// multipliers; the criterion, on the applied rule.
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/recompute.h"
#include "support/trials.h"
#include "support/verified.h"

namespace evenhand::testing::oracle_test {
namespace {

constexpr double close = 1e-9;

enum class Kind {
  statistical_parity,
  isotonic_parity,
  equal_opportunity,
  false_positive_parity,
  equal_rates_given,
  equal_rates_base,
  equal_rates_best,
  four_fifths,
};

struct Case {
  Kind kind;
  bool tolerance;
  bool unequal_costs;
  bool strata;
};

// In the order of Kind.
constexpr std::array names_of_kinds = {"StatisticalParity",   "IsotonicParity",  "EqualOpportunity",
                                       "FalsePositiveParity", "EqualRatesGiven", "EqualRatesBase",
                                       "EqualRatesBest",      "FourFifths"};
static_assert(names_of_kinds.size() == static_cast<std::size_t>(Kind::four_fifths) + 1);

std::string name_of(Kind kind) {
  return names_of_kinds.at(static_cast<std::size_t>(kind));
}

std::string describe(const ::testing::TestParamInfo<Case>& info) {
  return name_of(info.param.kind) + (info.param.tolerance ? "Tolerance" : "Exact") +
         (info.param.unequal_costs ? "UnequalCosts" : "EqualCosts") +
         (info.param.strata ? "Strata" : "OneStratum");
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (int kind = 0; kind <= static_cast<int>(Kind::four_fifths); ++kind) {
    for (int bits = 0; bits < 8; ++bits) {
      cases.push_back({static_cast<Kind>(kind), (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    }
  }
  return cases;
}

// Four-fifths has no tolerance: there the second value of the flag is another ratio.
Criterion criterion_for(const Case& c, Random& random) {
  Roles roles;
  roles.sensitive =
      c.strata ? std::vector<std::string>{"sex"} : std::vector<std::string>{"sex", "race"};
  if (c.strata) roles.within = {"race"};
  const double tolerance =
      c.tolerance ? std::array{0.01, 0.05, 0.2, 0.7}[static_cast<std::size_t>(random.below(4))] : 0;
  switch (c.kind) {
    case Kind::statistical_parity:
    case Kind::isotonic_parity:
      return statistical_parity({roles.sensitive, roles.within, tolerance});
    case Kind::equal_opportunity:
      return equal_opportunity({roles.sensitive, roles.within, tolerance});
    case Kind::false_positive_parity:
      return false_positive_parity({roles.sensitive, roles.within, tolerance});
    case Kind::equal_rates_given:
      return equal_rates({roles.sensitive, roles.within, tolerance,
                          Rho::given(std::array{0.0, 0.1, 0.37, 0.5,
                                                1.0}[static_cast<std::size_t>(random.below(5))])});
    case Kind::equal_rates_base:
      return equal_rates({roles.sensitive, roles.within, tolerance, Rho::base()});
    case Kind::equal_rates_best:
      return equal_rates({roles.sensitive, roles.within, tolerance, Rho::best()});
    case Kind::four_fifths:
      return four_fifths(
          {roles.sensitive, roles.within, c.tolerance ? 0.05 + 0.95 * random.unit() : 0.8});
  }
  throw std::logic_error("no such kind");
}

ProblemOptions options_for(const Case& c, Random& random, int trial) {
  ProblemOptions options;
  options.groups = 2 + random.below(3);
  options.strata = c.strata ? 2 + random.below(3) : 1;
  options.most_rows = 1 + random.below(40);
  options.few_scores = random.chance(0.4);
  options.odd_cells = random.chance(0.5);
  options.integer_weights = random.chance(0.4);
  if (trial % 50 == 0) {  // some with about a thousand atoms
    options.most_rows = 1000 / (options.groups * options.strata) * 2;
    options.few_scores = false;
  }
  return options;
}

void PrintTo(const Case& c, std::ostream* out) {
  *out << name_of(c.kind);
}

class Oracle : public ::testing::TestWithParam<Case> {};

TEST_P(Oracle, RuleIsOptimalFairMonotoneAndProvenSo) {
  const Case& c = GetParam();
  Random random(static_cast<std::uint64_t>(GetParam().kind) * 8 + (c.tolerance ? 1 : 0) +
                (c.unequal_costs ? 2 : 0) + (c.strata ? 4 : 0) + 1000);
  int solved = 0;
  for (int trial = 0; solved < trials(100); ++trial) {
    ASSERT_LT(trial, 1000) << "too few problems with something to compare";
    const Rows rows = random_rows(random, options_for(c, random, trial));
    const Criterion criterion = criterion_for(c, random);
    SolveOptions options;
    if (c.unequal_costs) options.costs = {3 * random.unit(), 0.01 + 3 * random.unit()};
    if (c.kind == Kind::isotonic_parity) options.calibrate = Calibration::isotonic;
    const Atoms atoms = atoms_of(rows, criterion, options);
    if (compared_cells(atoms, criterion).empty()) {
      EXPECT_THROW(solve(rows.tally(), criterion, options), std::invalid_argument);
      continue;
    }
    ++solved;
    SCOPED_TRACE("trial " + std::to_string(trial));
    const Solution solution = solve(rows.tally(), criterion, options);
    const double rho = criterion.rho.kind == Rho::Kind::base ? base_rate(atoms, rows, options)
                                                             : criterion.rho.value;
    const Applied applied = apply(rows, atoms, solution, rho);
    const double scale = std::max(atoms.magnitude, 1e-300);
    EXPECT_EQ(solution.status, Status::optimal);
    EXPECT_TRUE(applied.nondecreasing);
    EXPECT_LE(applied.violation, close);
    EXPECT_NEAR(solution.violation, std::max(0.0, applied.violation), close);
    EXPECT_NEAR(solution.magnitude, atoms.magnitude, close * scale);
    EXPECT_NEAR(solution.primal, applied.objective, close * scale);
    EXPECT_NEAR(solution.dual, bound_from_multipliers(atoms, solution, rho), close * scale);
    EXPECT_NEAR(solution.primal, best_objective(atoms, criterion, rho), close * scale);
    expect_verified(rows.tally(), solution);
  }
}

INSTANTIATE_TEST_SUITE_P(AllCriteria, Oracle, ::testing::ValuesIn(all_cases()), describe);

}  // namespace
}  // namespace evenhand::testing::oracle_test
