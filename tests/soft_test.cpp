// Soft parity: the optimum against the linear program over rows, the criterion on applied
// probabilities, hard attributes as the special case.
#include <evenhand/evenhand.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/linear_program.h"
#include "support/problems.h"
#include "support/throws.h"
#include "support/trials.h"

namespace evenhand::soft_test {
namespace {

using testing::expect_throw;
using testing::Random;
using testing::trials;

constexpr double close = 1e-9;

// Rows as a user would have them.
struct People {
  std::vector<double> score;
  std::vector<double> weight;
  std::vector<std::vector<double>> column;
  Cells within;
  Scale scale = Scale::probability;
  Favorable favorable = Favorable::high;

  SoftRows rows() const {
    SoftRows out{score, {}, within.names.size() > 0 ? &within : nullptr};
    for (std::size_t j = 0; j < column.size(); ++j) {
      out.columns.push_back({"g" + std::to_string(j), column[j]});
    }
    return out;
  }
  double benefit_of(std::size_t i, const Costs& costs) const {
    const Reading reading{scale, favorable};
    return benefit(reading.probability(reading.turn(score[i])), costs);
  }
  CellCode stratum(std::size_t i) const { return within.names.size() > 0 ? within.codes[i] : 0; }
};

struct Shape {
  int rows = 20;
  int columns = 2;
  int strata = 1;
  bool coarse = false;  // few distinct scores and column values: many ties
  bool weights = false;
  bool exhaustive = false;
};

People make_people(Random& random, const Shape& shape) {
  People people;
  people.scale = static_cast<Scale>(random.below(3));
  people.favorable = random.chance(0.3) ? Favorable::low : Favorable::high;
  std::vector<std::string> stratum;
  people.column.resize(static_cast<std::size_t>(shape.columns));
  for (int i = 0; i < shape.rows; ++i) {
    const auto value = [&] { return shape.coarse ? random.below(5) / 4.0 : random.unit(); };
    std::vector<double> g;
    for (int j = 0; j < shape.columns; ++j) g.push_back(value());
    if (shape.exhaustive) {
      const double sum = std::accumulate(g.begin(), g.end(), 0.0);
      for (double& x : g) x = sum > 0 ? x / sum : 1.0 / shape.columns;
    }
    const double p = std::clamp(0.3 * g[0] + 0.7 * value(), 0.0, 1.0);
    for (std::size_t j = 0; j < g.size(); ++j) people.column[j].push_back(std::min(1.0, g[j]));
    people.score.push_back(people.scale == Scale::probability ? p
                           : people.scale == Scale::signed_   ? 2 * p - 1
                                                              : 4 * p - 2);
    people.weight.push_back(shape.weights ? 0.1 + random.below(4) : 1);
    stratum.push_back(std::to_string(random.below(shape.strata)));
  }
  if (shape.strata > 1) people.within = Cells::from({{"region", stratum}});
  return people;
}

Shape random_shape(Random& random) {
  return {.rows = 2 + random.below(random.chance(0.1) ? 300 : 40),
          .columns = 1 + random.below(4),
          .strata = 1 + random.below(3),
          .coarse = random.chance(0.5),
          .weights = random.chance(0.5),
          .exhaustive = false};
}

Costs random_costs(Random& random) {
  return random.chance(0.5) ? Costs{} : Costs{3 * random.unit(), 0.01 + 3 * random.unit()};
}

// The linear program with a variable for each row.
double best_by_linear_program(const People& people, const Costs& costs) {
  testing::LinearProgram program;
  for (std::size_t i = 0; i < people.score.size(); ++i) {
    program.add_variable(people.weight[i] * people.benefit_of(i, costs), 0, 1);
  }
  const std::size_t strata = std::max<std::size_t>(1, people.within.names.size());
  for (CellCode k = 0; k < strata; ++k) {
    for (const std::vector<double>& column : people.column) {
      double sum = 0;
      double weight = 0;
      for (std::size_t i = 0; i < column.size(); ++i) {
        if (people.stratum(i) != k) continue;
        sum += people.weight[i] * column[i];
        weight += people.weight[i];
      }
      std::vector<std::pair<int, double>> terms;
      for (std::size_t i = 0; i < column.size(); ++i) {
        if (people.stratum(i) != k) continue;
        terms.emplace_back(static_cast<int>(i), people.weight[i] * (column[i] - sum / weight));
      }
      program.add_row(0, 0, terms);
    }
  }
  const testing::LinearAnswer answer = testing::maximise(program);
  EXPECT_TRUE(answer.optimal);
  return answer.objective;
}

struct Applied {
  double objective = 0;
  double violation = 0;  // largest difference of rates between those who belong and the others
  std::size_t fractional = 0;
};

Applied apply(const People& people, const SoftRule& rule, const Costs& costs) {
  const std::vector<double> q = rule.probability(people.rows());
  Applied out;
  for (std::size_t i = 0; i < q.size(); ++i) {
    EXPECT_TRUE(q[i] >= 0 && q[i] <= 1);
    out.objective += people.weight[i] *
                     (people.benefit_of(i, costs) * q[i] - rule.parts().gamma / 2 * q[i] * q[i]);
    if (q[i] > 0 && q[i] < 1) ++out.fractional;
  }
  const std::size_t strata = std::max<std::size_t>(1, people.within.names.size());
  for (CellCode k = 0; k < strata; ++k) {
    for (const std::vector<double>& column : people.column) {
      std::array<double, 2> selected{};
      std::array<double, 2> all{};
      for (std::size_t i = 0; i < q.size(); ++i) {
        if (people.stratum(i) != k) continue;
        for (const std::size_t s : {0U, 1U}) {
          const double n = people.weight[i] * (s == 1 ? column[i] : 1 - column[i]);
          selected[s] += n * q[i];
          all[s] += n;
        }
      }
      if (!(all[0] > 1e-12 && all[1] > 1e-12)) continue;
      out.violation =
          std::max(out.violation, std::abs(selected[0] / all[0] - selected[1] / all[1]));
    }
  }
  return out;
}

SoftOptions options_for(const People& people, const Costs& costs, double gamma) {
  SoftOptions out;
  out.weight = people.weight;
  out.scale = people.scale;
  out.favorable = people.favorable;
  out.costs = costs;
  out.gamma = gamma;
  return out;
}

// None if there is nothing to compare.
std::optional<SoftSolution> fit(const People& people, const SoftOptions& options) {
  try {
    return solve_soft(people.rows(), options);
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("nothing to compare"), std::string::npos)
        << error.what();
    return std::nullopt;
  }
}

// Fits random people until `wanted` of them could be compared. Each fit is proven optimal and keeps
// its promises on the rows; at gamma = 0 it is the optimum of the linear program, too.
void expect_kept(std::uint64_t seed, int wanted, const std::vector<double>& gammas) {
  Random random(seed);
  int solved = 0;
  for (int trial = 0; solved < wanted; ++trial) {
    const People people = make_people(random, random_shape(random));
    const Costs costs = random_costs(random);
    const double gamma =
        gammas[static_cast<std::size_t>(random.below(static_cast<int>(gammas.size())))];
    const auto solution = fit(people, options_for(people, costs, gamma));
    if (!solution) continue;
    ++solved;
    SCOPED_TRACE("trial " + std::to_string(trial) + ", gamma " + std::to_string(gamma));
    const double margin = close * std::max(solution->magnitude, 1e-300);
    ASSERT_EQ(to_string(solution->status), "optimal")
        << "gap " << solution->gap << ", violation " << solution->violation;
    const Applied applied = apply(people, solution->rule, costs);
    EXPECT_LE(applied.violation, close);
    EXPECT_NEAR(solution->primal, applied.objective, margin);
    if (gamma == 0) {
      EXPECT_NEAR(solution->primal, best_by_linear_program(people, costs), margin);
    }
  }
}

TEST(Soft, IsTheOptimumOfTheLinearProgramOverRows) {
  expect_kept(1, trials(600), {0});
}

TEST(Soft, RampsHaveNoGapAndMeetTheCriterion) {
  expect_kept(2, trials(400), {0.001, 0.01, 0.1, 1.0, 5.0});
}

// Weak duality, from the rule's multipliers and nothing else: no fair rule earns more.
TEST(Soft, BoundFollowsFromTheMultipliersAlone) {
  Random random(3);
  for (const double gamma : {0.0, 0.05}) {
    const People people = make_people(random, {.rows = 200, .columns = 2, .weights = true});
    const SoftSolution solution = solve_soft(people.rows(), options_for(people, {}, gamma));
    const SoftStratum& stratum = solution.rule.parts().of[0];
    double bound = 0;
    for (std::size_t i = 0; i < people.score.size(); ++i) {
      double z = people.benefit_of(i, {});
      for (std::size_t j = 0; j < 2; ++j) {
        z -= stratum.multipliers[j] * (people.column[j][i] - stratum.means[j]);
      }
      double best = 0;  // over a grid: coarse, but from the definition
      for (int step = 0; step <= 1000; ++step) {
        const double q = step / 1000.0;
        best = std::max(best, z * q - gamma / 2 * q * q);
      }
      bound += people.weight[i] * best;
    }
    EXPECT_NEAR(solution.dual, bound, 1e-6 * solution.magnitude);
  }
}

TEST(Soft, WithDistinctRowsHasAtMostAsManyFractionsAsConstraints) {
  Random random(4);
  for (int trial = 0; trial < trials(100); ++trial) {
    const int columns = 1 + random.below(4);
    const People people = make_people(random, {.rows = 100, .columns = columns});
    const SoftSolution solution = solve_soft(people.rows(), options_for(people, {}, 0));
    EXPECT_LE(apply(people, solution.rule, {}).fractional, static_cast<std::size_t>(columns));
  }
}

TEST(Soft, ColumnsOfZeroAndOneAreTheParityOfKnownGroups) {
  Random random(5);
  for (int trial = 0; trial < trials(200); ++trial) {
    const testing::Rows rows = testing::random_rows(random, {.groups = 2 + random.below(3),
                                                             .strata = 1 + random.below(3),
                                                             .few_scores = random.chance(0.5),
                                                             .odd_cells = random.chance(0.3)});
    const Criterion criterion = statistical_parity({.sensitive = {"sex"}, .within = {"race"}});
    std::vector<std::string> groups = rows.sex;
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    std::vector<std::vector<double>> columns;
    for (const std::string& group : groups) {
      columns.emplace_back();
      for (const std::string& sex : rows.sex) columns.back().push_back(sex == group ? 1 : 0);
    }
    const Cells within = Cells::from({{"race", rows.race}});
    SoftRows soft{rows.score, {}, &within};
    for (std::size_t j = 0; j < columns.size(); ++j)
      soft.columns.push_back({groups[j], columns[j]});
    for (const double gamma : {0.0, 0.1}) {
      for (const bool exhaustive : {false, true}) {
        if (exhaustive && groups.size() < 2) continue;
        SoftOptions options{.weight = rows.weight,
                            .scale = rows.scale,
                            .favorable = rows.favorable,
                            .gamma = gamma,
                            .exhaustive = exhaustive};
        Solution hard;
        try {
          hard = solve(rows.tally(), criterion, {.gamma = gamma});
        } catch (const std::invalid_argument&) {
          EXPECT_THROW(solve_soft(soft, options), std::invalid_argument);
          continue;
        }
        SCOPED_TRACE("trial " + std::to_string(trial) + ", gamma " + std::to_string(gamma));
        const SoftSolution solution = solve_soft(soft, options);
        EXPECT_EQ(to_string(solution.status), "optimal")
            << "gap " << solution.gap << ", violation " << solution.violation;
        EXPECT_NEAR(solution.primal, hard.primal, close * hard.magnitude);
        EXPECT_NEAR(solution.magnitude, hard.magnitude, close * hard.magnitude);
        EXPECT_NEAR(solution.base, hard.base, close * hard.magnitude);
      }
    }
  }
}

TEST(Soft, ExhaustiveColumnsNeedAllButTheLast) {
  Random random(6);
  for (int trial = 0; trial < trials(50); ++trial) {
    People people = make_people(random, {.rows = 60, .columns = 3, .exhaustive = true});
    SoftOptions options = options_for(people, {}, 0);
    const SoftSolution all = solve_soft(people.rows(), options);  // dependent constraints
    options.exhaustive = true;
    const SoftSolution fewer = solve_soft(people.rows(), options);
    EXPECT_EQ(to_string(all.status), "optimal") << all.gap << " " << all.violation;
    EXPECT_EQ(to_string(fewer.status), "optimal") << fewer.gap << " " << fewer.violation;
    EXPECT_NEAR(all.primal, fewer.primal, close * all.magnitude);
    EXPECT_EQ(fewer.rule.parts().columns, (std::vector<std::string>{"g0", "g1"}));
    ASSERT_EQ(fewer.strata[0].columns.size(), 3U);
    EXPECT_EQ(fewer.strata[0].columns[2].column, "g2");
    for (const SoftRate& rate : fewer.strata[0].columns) {
      EXPECT_TRUE(rate.compared);
      EXPECT_NEAR(rate.rate, rate.others, close);
    }
    people.column.pop_back();
    EXPECT_EQ(fewer.rule.probability(people.rows()).size(), 60U);  // the last is not asked for
  }
}

// Three kinds of people, 1/2, 1/3 and 1/6 of them, with p = 0, 1/2 and 1 (the paper's Example 2).
std::vector<double> example_2(double belongs_of_first) {
  const std::vector<double> p = {0, 0.5, 1};
  const std::vector<double> s = {belongs_of_first, 1, 0};
  const std::vector<double> weight = {3, 2, 1};
  const SoftRows rows{p, {{"s", s}}};
  const SoftSolution solution = solve_soft(rows, {.weight = weight});
  EXPECT_EQ(solution.status, Status::optimal);
  return solution.rule.probability(rows);
}

TEST(Soft, SolvesThePapersSecondExample) {
  const std::vector<double> as_given = example_2(0.5);
  EXPECT_EQ(as_given[0], 0);
  EXPECT_NEAR(as_given[1], 0.7, 1e-12);
  EXPECT_EQ(as_given[2], 1);
  // The printed answer belongs to p(s=1 | x=-1) = 1/3.
  const std::vector<double> as_printed = example_2(1.0 / 3);
  EXPECT_EQ(as_printed[0], 0);
  EXPECT_NEAR(as_printed[1], 0.5, 1e-12);
  EXPECT_EQ(as_printed[2], 1);
}

TEST(Soft, NarrowRampsTendToTheStepsAndTheirTies) {
  const std::vector<double> p = {0, 0.5, 1, 0.5, 0.25};
  const std::vector<double> s = {0.5, 1, 0, 0.75, 0.25};
  const SoftRows rows{p, {{"s", s}}};
  const std::vector<double> steps = solve_soft(rows).rule.probability(rows);
  const std::vector<double> narrow = solve_soft(rows, {.gamma = 1e-7}).rule.probability(rows);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(steps[i], narrow[i], 1e-5);
}

TEST(Soft, OrderOfRowsAndThreadsDoNotShow) {
  Random random(7);
  const People people =
      make_people(random, {.rows = 500, .columns = 2, .strata = 3, .weights = true});
  for (const double gamma : {0.0, 0.02}) {
    SoftOptions options = options_for(people, {}, gamma);
    options.threads = 1;
    const std::string one = solve_soft(people.rows(), options).to_json();
    options.threads = 4;
    EXPECT_EQ(solve_soft(people.rows(), options).to_json(), one);
    People reversed = people;
    std::reverse(reversed.score.begin(), reversed.score.end());
    std::reverse(reversed.weight.begin(), reversed.weight.end());
    for (auto& column : reversed.column) std::reverse(column.begin(), column.end());
    std::reverse(reversed.within.codes.begin(), reversed.within.codes.end());
    EXPECT_EQ(solve_soft(reversed.rows(), options_for(reversed, {}, gamma)).to_json(), one);
  }
}

TEST(Soft, ManyRowsAndFiveColumnsAreSolvedToTheSameStandard) {
  Random random(8);
  for (const bool coarse : {false, true}) {
    const People people =
        make_people(random, {.rows = 60'000, .columns = 5, .coarse = coarse, .weights = true});
    for (const double gamma : {0.0, 0.01}) {
      const SoftSolution solution = solve_soft(people.rows(), options_for(people, {}, gamma));
      EXPECT_EQ(to_string(solution.status), "optimal")
          << "gap " << solution.gap << ", violation " << solution.violation;
      EXPECT_LE(apply(people, solution.rule, {}).violation, close);
    }
  }
}

}  // namespace
}  // namespace evenhand::soft_test
