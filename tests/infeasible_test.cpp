// Requirements that clash: told apart from those that do not, measured, and proven, as the linear
// program over atoms says.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/many.h"
#include "support/many_check.h"
#include "support/trials.h"

namespace evenhand::testing::many::infeasible_test {
namespace {

enum class Flavour { alone, with_criterion, monotone, sums, measures };

std::string describe(const ::testing::TestParamInfo<Flavour>& info) {
  constexpr std::array names = {"Alone", "WithCriterion", "OnlyBecauseRulesAreMonotone", "Sums",
                                "Measures"};  // as in Flavour
  return names.at(static_cast<std::size_t>(info.param));
}

double hundredths(double x) {
  return std::round(100 * x) / 100;
}

// rate[...] of somebody, at least or at most something.
Demand one_rate(Random& random, const People& people, Sense sense, double bound, bool labels) {
  Demand out = random_demand(random, people, Form::one_rate, labels);
  out.sense = sense;
  out.bound = hundredths(bound);
  return out;
}

void demand_apart(Random& random, Problem& problem, bool labels) {
  const double low = 0.5 * random.unit();
  const double high = low + 0.02 + 0.4 * random.unit();
  problem.demands.push_back(one_rate(random, problem.people, Sense::at_most, low, labels));
  problem.demands.push_back(one_rate(random, problem.people, Sense::at_least, high, labels));
}

// fpr >= high and tpr <= low of the same people.
void demand_falling(Random& random, Problem& problem) {
  const double low = 0.1 + 0.5 * random.unit();
  const double high = low - 0.05 + 0.4 * random.unit();
  Demand tpr;
  Demand fpr;
  int attempt = 0;
  do {
    tpr = one_rate(random, problem.people, Sense::at_most, low, true);
    if (++attempt > 20) tpr.pieces.front().where.clear();  // then of everyone
    tpr.pieces.front().measure = Measure::tpr;
    fpr = tpr;
    fpr.pieces.front().measure = Measure::fpr;
    fpr.sense = Sense::at_least;
    fpr.bound = hundredths(high);
  } while (!has_rows(problem.people, tpr.pieces.front()) ||
           !has_rows(problem.people, fpr.pieces.front()));
  problem.demands.push_back(std::move(tpr));
  problem.demands.push_back(std::move(fpr));
}

bool has_both_outcomes(const People& people) {
  return has_rows(people, {1, Measure::tpr, {}, false}) &&
         has_rows(people, {1, Measure::fpr, {}, false});
}

Problem random_clash(Random& random, Flavour flavour, int trial) {
  Family family{"", "", Across::intersection, 2, false, random.chance(0.5), {Form::capacity}};
  if (flavour == Flavour::with_criterion) {
    family.criterion =
        std::array{"statistical-parity", "equal-opportunity", "equalized-odds",
                   "four-fifths",        "equal-rates",       "false-positive-parity"}
            [static_cast<std::size_t>(trial % 6)];
    if (family.criterion == "four-fifths") family.tolerance = false;
    if (family.criterion != "equal-rates" && random.chance(0.5)) {
      family.across = random.chance(0.5) ? Across::marginal : Across::both;
    }
    family.within = random.chance(0.3);
  }
  Problem out = random_problem(random, family, trial);
  if (flavour == Flavour::monotone && !has_both_outcomes(out.people)) {
    return random_clash(random, flavour, trial);
  }
  const bool labels = out.people.labelled;
  out.demands.clear();
  switch (flavour) {
    case Flavour::alone:
      for (int i = 4 + random.below(5); i > 0; --i) {
        const bool upper = random.chance(0.5);
        const double bound = upper ? 0.5 * random.unit() : 0.4 * random.unit();
        out.demands.push_back(
            one_rate(random, out.people, upper ? Sense::at_most : Sense::at_least, bound, labels));
      }
      break;
    case Flavour::with_criterion:
      demand_apart(random, out, labels);
      break;
    case Flavour::monotone:
      demand_falling(random, out);
      break;
    case Flavour::sums:
      for (int i = 2 + random.below(4); i > 0; --i) {
        out.demands.push_back(random_demand(random, out.people, Form::sum, labels));
      }
      break;
    case Flavour::measures:
      out.people.labelled = labels && random.chance(0.5);
      for (int i = 2 + random.below(2); i > 0; --i) {
        out.demands.push_back(random_demand(random, out.people,
                                            random.chance(0.7) ? Form::measure : Form::mixed,
                                            out.people.labelled));
      }
      break;
  }
  for (int i = random.below(3); i > 0; --i) {  // some that have nothing to do with it
    out.demands.push_back(random_demand(random, out.people, Form::ratio, labels));
  }
  std::shuffle(out.demands.begin(), out.demands.end(), random.engine());
  out.criterion.require = texts(out.demands);
  if (random.chance(0.25)) out.options.gamma = 0.1;
  return out;
}

// The same with only those demands whose text is (or is not) in the list.
Problem restricted(const Problem& problem, const std::vector<std::string>& list) {
  Problem out = problem;
  std::erase_if(out.demands, [&](const Demand& demand) {
    return std::find(list.begin(), list.end(), demand.text()) == list.end();
  });
  out.criterion.require = texts(out.demands);
  return out;
}

Infeasibility scaled(Infeasibility infeasibility, double factor) {
  for (Constraint& row : infeasibility.certificate) row.multiplier *= factor;
  return infeasibility;
}

// Every requirement relaxed by so much.
Infeasibility relaxed(Infeasibility infeasibility, double by) {
  for (Constraint& row : infeasibility.certificate) {
    if (row.required) row.bound += row.multiplier > 0 ? by : -by;
  }
  return infeasibility;
}

void check_infeasibility(const Problem& problem, const Model& model, const Infeasibility& found,
                         double violation) {
  EXPECT_NEAR(found.total_violation, violation, 1e-8);
  const double slack = least_slack(model);
  EXPECT_NEAR(found.common_slack, slack, 1e-8);
  for (const Constraint& row : found.certificate) {
    EXPECT_EQ(unfounded(model, row), "");
    EXPECT_TRUE(right_sign(row)) << row.text << ": " << row.multiplier;
  }
  EXPECT_GT(proof_of_infeasibility(model, found.certificate), 0);
  const Tally tally = problem.people.tally();
  EXPECT_TRUE(proves_infeasible(tally, found, problem.options));
  EXPECT_FALSE(proves_infeasible(tally, scaled(found, -1), problem.options));
  EXPECT_FALSE(proves_infeasible(tally, scaled(found, 0), problem.options));
  // Of a ratio the row gives way, which is not its bound.
  const auto is_of_ratio = [](const Constraint& row) {
    return is_ratio(row.terms.front().of.measure);
  };
  if (std::none_of(found.certificate.begin(), found.certificate.end(), is_of_ratio)) {
    EXPECT_FALSE(
        proves_infeasible(tally, relaxed(found, 1.000001 * slack + 1e-7), problem.options));
  }
  EXPECT_FALSE(found.clash.empty());
  for (const std::string& text : found.clash) {
    const auto& given = problem.criterion.require;
    EXPECT_NE(std::find(given.begin(), given.end(), text), given.end()) << text;
  }
  EXPECT_GT(least_violation(model_of(restricted(problem, found.clash))), 1e-9);
}

class Infeasible : public ::testing::TestWithParam<Flavour> {};

TEST_P(Infeasible, IsToldApartMeasuredAndProven) {
  Random random(7000 + static_cast<std::uint64_t>(GetParam()));
  int all = 0;
  int infeasible = 0;
  int only_with_criterion = 0;
  int only_monotone = 0;
  for (int trial = 0; all < trials(200); ++trial) {
    ASSERT_LT(trial, 1000);
    const Problem problem = random_clash(random, GetParam(), trial);
    SCOPED_TRACE(outline(problem, trial));
    const Model model = model_of(problem);
    if (!comparable(model, problem.criterion)) continue;
    const double violation = least_violation(model);
    ASSERT_FALSE(std::isnan(violation)) << "the linear program failed";
    if (violation > 1e-9 && violation < 1e-7) continue;
    ++all;
    const Solution solution = solve(problem.people.tally(), problem.criterion, problem.options);
    if (violation <= 1e-9) {
      check_solution(problem, model, solution);
      continue;
    }
    ++infeasible;
    ASSERT_EQ(solution.status, Status::infeasible);
    ASSERT_TRUE(solution.infeasibility.has_value());
    check_infeasibility(problem, model, *solution.infeasibility, violation);
    if (least_violation(model, Monotone::no) <= 1e-9) ++only_monotone;
    Model without = model;
    without.compared.clear();
    if (least_violation(without) <= 1e-9) ++only_with_criterion;
  }
  EXPECT_GE(infeasible, 1);
  if (all < 200) return;  // too few problems to count on what they are
  EXPECT_GE(infeasible, 60);
  EXPECT_LE(infeasible, 140);
  EXPECT_GE(only_with_criterion, GetParam() == Flavour::with_criterion ? 30 : 0);
  EXPECT_GE(only_monotone, GetParam() == Flavour::monotone ? 30 : 0);
}

INSTANTIATE_TEST_SUITE_P(AllFlavours, Infeasible,
                         ::testing::Values(Flavour::alone, Flavour::with_criterion,
                                           Flavour::monotone, Flavour::sums, Flavour::measures),
                         describe);

// A clash that is known by hand: nobody may be selected, half must be.
TEST(InfeasibleByHand, SaysWhatClashesAndByHowMuch) {
  const std::vector<double> score = {0.2, 0.6, 0.4, 0.9};
  const std::vector<std::string> sex = {"F", "F", "M", "M"};
  const Tally tally = Tally::of(score, Cells::from({{"sex", sex}}));
  const Criterion criterion =
      requirements({"rate[sex=F] >= 0.5", "rate <= 0.1", "rate[sex=M] <= 0.9"});
  const Solution solution = solve(tally, criterion);
  ASSERT_EQ(solution.status, Status::infeasible);
  ASSERT_TRUE(solution.infeasibility.has_value());
  EXPECT_EQ(to_string(solution.status), "infeasible");
  // rate = (F + M) / 2, so F may be 0.2: 0.15 too much of `rate` at least.
  EXPECT_NEAR(solution.infeasibility->total_violation, 0.15, 1e-12);
  // F = 0.5 - s and (0.5 - s) / 2 = 0.1 + s.
  EXPECT_NEAR(solution.infeasibility->common_slack, 0.1, 1e-12);
  std::vector<std::string> clash = solution.infeasibility->clash;
  std::sort(clash.begin(), clash.end());
  EXPECT_EQ(clash, (std::vector<std::string>{"rate <= 0.1", "rate[sex=F] >= 0.5"}));
}

}  // namespace
}  // namespace evenhand::testing::many::infeasible_test
