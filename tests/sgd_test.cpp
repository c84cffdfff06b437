// The stochastic solver: how near it comes, what its bound promises, and that nothing but the seed
// decides its result.
#include <evenhand/evenhand.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/sgd_people.h"
#include "support/throws.h"

namespace evenhand::sgd_test {
namespace {

using testing::expect_throw;
using testing::Random;
using testing::sgd::make_people;
using testing::sgd::parity;
using testing::sgd::People;

Criterion equal(double rho) {
  return equal_rates({.sensitive = {"group"}, .within = {"stratum"}, .rho = Rho::given(rho)});
}

double mean_violation(const Tally& tally, const SgdOptions& options) {
  double sum = 0;
  SgdOptions each = options;
  for (each.seed = 1; each.seed <= 5; ++each.seed) {
    sum += solve_sgd(tally, parity(), each).solution.violation;
  }
  return sum / 5;
}

// Section "The stochastic solver" of docs/method.md quotes these figures.
TEST(Sgd, ComesNearParityIn25EpochsAndNearestWithTheRateOfTheBound) {
  const SgdOptions options{.gamma = 0.01, .record_every = 0};
  const double one = mean_violation(make_people(10'000, 1, 2, 1).tally(), options);
  EXPECT_GT(one, 1e-4);
  EXPECT_LT(one, 0.02);
  const Tally five = make_people(10'000, 5, 2, 1).tally();
  const double several = mean_violation(five, options);
  EXPECT_GT(several, one);
  EXPECT_LT(several, 0.1);
  // Figure 1b's rate is a tenth of that, and stays farther away.
  SgdOptions slow = options;
  slow.learning_rate = 0.1 * std::sqrt(5 / 250'000.0);
  const double printed = mean_violation(five, slow);
  EXPECT_GT(printed, several);
  EXPECT_LT(printed, 0.3);
}

TEST(Sgd, IsApproximateAndAllItsFiguresAreRecomputed) {
  const Tally tally = make_people(2000, 3, 2, 2).tally();
  const SgdResult sgd = solve_sgd(tally, parity(), {.gamma = 0.05, .epochs = 5});
  EXPECT_EQ(sgd.solution.status, Status::approximate);
  EXPECT_EQ(to_string(sgd.solution.status), "approximate");
  double primal = 0;
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    double selected = 0;
    for (const Entry& entry : tally.entries(c)) {
      const double q = sgd.solution.rule.probability(c, entry.score);
      const double price = sgd.solution.cells[c].multiplier / tally.total(c).n;
      EXPECT_NEAR(q, std::clamp((2 * entry.score - 1 - price) / 0.05, 0.0, 1.0), 1e-12);
      primal += entry.n * ((2 * entry.score - 1) * q - 0.05 / 2 * q * q);
      selected += entry.n * q;
    }
    EXPECT_NEAR(sgd.solution.cells[c].rate, selected / tally.total(c).n, 1e-12);
  }
  EXPECT_NEAR(sgd.solution.primal, primal, 1e-9 * sgd.solution.magnitude);
  EXPECT_NEAR(sgd.solution.gap, (sgd.solution.dual - sgd.solution.primal) / sgd.solution.magnitude,
              1e-15);
}

// Proposition 4 with its last step corrected: the mean dual objective exceeds the optimum by at
// most (1 + gamma)(1 + b) sqrt(K / T), with the box of the corrected projection 2.5 times that.
TEST(Sgd, MeanObjectiveOver20SeedsIsWithinTheCorrectedBound) {
  const People people = make_people(3000, 3, 2, 3);
  const Tally tally = people.tally();
  const double gamma = 0.05;
  const auto excess = [&](const Criterion& criterion) {
    const Solution exact = solve(tally, criterion, {.gamma = gamma});
    EXPECT_EQ(exact.status, Status::optimal);
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const SgdResult sgd = solve_sgd(
          tally, criterion, {.gamma = gamma, .epochs = 4, .seed = seed, .record_every = 0});
      sum += distance(sgd, exact, tally).dual;
    }
    return sum / 20 / tally.total().n;
  };
  const double steps = 4 * 3000;
  const double parity_excess = excess(parity());
  EXPECT_GE(parity_excess, 0);
  EXPECT_LE(parity_excess, 2.5 * (1 + gamma) * std::sqrt(3 / steps));
  const double rho = 0.3;
  const double equal_excess = excess(equal(rho));
  EXPECT_GE(equal_excess, 0);
  EXPECT_LE(equal_excess, (1 + gamma) * (1 + rho) * std::sqrt(6 / steps));
}

// Half the people are in S with f = -1, half outside with f = +1. Equal rates of 1/2 or any other
// earn nothing; the dual's optimum is mu = -2, outside the box that the paper prints.
TEST(Sgd, PrintedProjectionExcludesTheOptimumThatTheCorrectedOneReaches) {
  const std::vector<std::string> group = {"S", "other"};
  const std::vector<double> score = {-1, 1};
  const std::vector<int> people = {500, 500};
  const Tally tally =
      Tally::counted(score, people, Cells::from({{"group", group}}), {.scale = Scale::signed_});
  const Criterion criterion = statistical_parity({.sensitive = {"group"}});
  const double gamma = 0.01;
  const Solution exact = solve(tally, criterion, {.gamma = gamma});
  SgdOptions options{.gamma = gamma, .epochs = 400, .record_every = 0};
  const SgdResult corrected = solve_sgd(tally, criterion, options);
  options.projection = Projection::paper;
  const SgdResult paper = solve_sgd(tally, criterion, options);
  ASSERT_EQ(corrected.multipliers.size(), 1U);
  EXPECT_EQ(tally.cells().name(corrected.multipliers[0].cell), "group=S");
  EXPECT_NEAR(corrected.multipliers[0].lowest, -2, 1e-12);
  EXPECT_NEAR(corrected.multipliers[0].last, -2, 0.1);
  EXPECT_NEAR(corrected.multipliers[0].mean, -2, 0.1);
  EXPECT_NEAR(paper.multipliers[0].last, -1.01, 1e-12);
  EXPECT_EQ(distance(paper, exact, tally).violation, 1);  // rates 0 and 1, for ever
  EXPECT_GT(distance(paper, exact, tally).dual, 0.2 * 1000);
  EXPECT_LT(distance(corrected, exact, tally).dual, 0.02 * 1000);
}

TEST(Sgd, CorrectedBoxHoldsAnOptimumForAnyNumberOfGroupsAndCosts) {
  Random random(4);
  for (int trial = 0; trial < 200; ++trial) {
    const int groups = 2 + random.below(3);
    const People people =
        make_people(60, 1 + random.below(2), groups, 1000 + static_cast<std::uint64_t>(trial));
    const Tally tally = people.tally();
    const Costs costs{0.2 + random.unit(), 0.2 + random.unit()};
    const double gamma = 0.01 + random.unit() / 2;
    const Solution exact = solve(tally, parity(), {.gamma = gamma, .costs = costs});
    const SgdResult sgd = solve_sgd(tally, parity(), {.gamma = gamma, .costs = costs, .steps = 10});
    for (const SgdMultiplier& multiplier : sgd.multipliers) {
      // The multiplier is the difference of its group's price to that of the stratum's last group.
      const auto price = [&](CellCode c) { return exact.cells[c].multiplier / tally.total(c).n; };
      for (const StratumOutcome& stratum : exact.strata) {
        const auto& cells = stratum.compared;
        if (std::find(cells.begin(), cells.end(), multiplier.cell) == cells.end()) continue;
        const double mu = price(multiplier.cell) - price(cells.back());
        const bool interior =
            exact.cells[cells.back()].rate > 0 && exact.cells[cells.back()].rate < 1;
        if (!interior) continue;  // then prices may be anything beyond an end
        EXPECT_GE(mu, multiplier.lowest - 1e-9);
        EXPECT_LE(mu, multiplier.highest + 1e-9);
      }
    }
  }
}

TEST(Sgd, ServesSeveralGroupsWeightsCostsAndEveryScale) {
  Random random(5);
  for (const Scale scale : {Scale::probability, Scale::signed_, Scale::logit}) {
    for (const Favorable favorable : {Favorable::high, Favorable::low}) {
      People people = make_people(2000, 2, 3, 6);
      std::vector<double> weight;
      for (double& p : people.score) {
        weight.push_back(0.5 + random.unit());
        if (scale == Scale::signed_) p = 2 * p - 1;
        if (scale == Scale::logit) p = std::log(p + 1e-6) - std::log(1 - p + 1e-6);
      }
      const Tally tally = people.tally({.weight = weight, .scale = scale, .favorable = favorable});
      const SgdOptions options{.gamma = 0.1, .costs = {0.5, 1.5}, .epochs = 200};
      const SgdResult sgd = solve_sgd(tally, parity(), options);
      EXPECT_EQ(sgd.multipliers.size(), 4U);
      const Solution exact = solve(tally, parity(), {.gamma = 0.1, .costs = {0.5, 1.5}});
      const SgdDistance far = distance(sgd, exact, tally);
      EXPECT_GE(far.dual, -1e-9 * exact.magnitude);
      EXPECT_LT(far.dual, 0.01 * tally.total().n);
      EXPECT_LT(far.violation, 0.1);
      EXPECT_LT(far.multiplier, 0.2);
    }
  }
}

// What SGD gains over the fair optimum it gains by being unfair: a criterion with SGD's violation
// as its tolerance has an optimum at least as good.
TEST(Sgd, IsNoBetterThanTheExactOptimumAtItsOwnViolation) {
  const Tally tally = make_people(1000, 2, 2, 7).tally();
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Solution sgd =
        solve_sgd(tally, parity(), {.gamma = 0.05, .epochs = 2, .seed = seed}).solution;
    Criterion loose = parity();
    loose.tolerance = sgd.violation;
    const Solution exact = solve(tally, loose, {.gamma = 0.05});
    EXPECT_GE(exact.primal, sgd.primal - 1e-9 * exact.magnitude);
    EXPECT_GE(sgd.dual, solve(tally, parity(), {.gamma = 0.05}).primal - 1e-9 * exact.magnitude);
  }
}

TEST(Sgd, SameSeedGivesTheSameBitsOnAnyNumberOfThreads) {
  const Tally tally = make_people(5000, 4, 3, 8).tally();
  for (const Criterion& criterion : {parity(), equal(0.4)}) {
    SgdOptions options{.epochs = 3, .seed = 99, .threads = 1};
    const SgdResult one = solve_sgd(tally, criterion, options);
    options.threads = 4;
    const SgdResult four = solve_sgd(tally, criterion, options);
    EXPECT_EQ(one.to_json(), four.to_json());
    EXPECT_EQ(one.trace.to_csv(), four.trace.to_csv());
    options.seed = 100;
    EXPECT_NE(solve_sgd(tally, criterion, options).to_json(), one.to_json());
  }
}

TEST(Sgd, OrderOfRowsDoesNotShow) {
  People people = make_people(1000, 2, 2, 9);
  const std::string before = solve_sgd(people.tally(), parity(), {.epochs = 2}).to_json();
  std::reverse(people.code.begin(), people.code.end());
  std::reverse(people.score.begin(), people.score.end());
  EXPECT_EQ(solve_sgd(people.tally(), parity(), {.epochs = 2}).to_json(), before);
}

TEST(Sgd, TraceStartsAtZeroEndsAtTheResultAndDescends) {
  const Tally tally = make_people(3000, 2, 2, 10).tally();
  const SgdResult sgd = solve_sgd(tally, parity(), {.epochs = 10, .record_every = 3000});
  const auto& points = sgd.trace.points;
  ASSERT_EQ(points.size(), 11U);
  EXPECT_EQ(sgd.trace.rows, 3000);
  EXPECT_EQ(points.front().step, 0U);
  EXPECT_EQ(points.front().mean, std::vector<double>(2));
  EXPECT_EQ(points.back().step, 30'000U);
  EXPECT_EQ(points.back().dual, sgd.solution.dual);
  EXPECT_EQ(points.back().violation, sgd.solution.violation);
  EXPECT_EQ(points.back().mean[0], sgd.multipliers[0].mean);
  EXPECT_LT(points.back().dual, points.front().dual);
  EXPECT_LT(points.back().violation, points.front().violation);
  for (const auto& point : points) EXPECT_GE(point.dual, sgd.solution.dual - 1);
}

TEST(Sgd, TraceIsWrittenAsCsvAndJson) {
  const std::vector<std::string> group = {"a,b", "a \"c\""};
  const std::vector<double> score = {0.25, 0.75};
  const Tally tally = Tally::of(score, Cells::from({{"group", group}}));
  const SgdTrace trace = solve_sgd(tally, statistical_parity({.sensitive = {"group"}}),
                                   {.steps = 4, .record_every = 2})
                             .trace;
  const std::string csv = trace.to_csv();
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "step,epoch,dual,violation,\"mean of group=\"\"a \\\"\"c\\\"\"\"\"\","
            "\"last of group=\"\"a \\\"\"c\\\"\"\"\"\"");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  EXPECT_NE(csv.find("\n0,0,"), std::string::npos);
  EXPECT_NE(csv.find("\n4,2,"), std::string::npos);
  EXPECT_EQ(trace.to_json().substr(0, 12), R"({"rows":2.0,)");
  EXPECT_NE(trace.to_json().find(R"("step":4,"epoch":2.0,"dual":)"), std::string::npos);
}

TEST(Sgd, FileIsARuleWithARecordOfTheRun) {
  const Tally tally = make_people(500, 2, 2, 11).tally();
  const SgdResult sgd = solve_sgd(tally, parity(), {.epochs = 1, .seed = 5});
  const std::string json = sgd.to_json();
  EXPECT_EQ(Rule::from_json(json), sgd.solution.rule);
  const std::string fit = fit_record(json);
  EXPECT_NE(fit.find(R"("status":"approximate")"), std::string::npos);
  EXPECT_NE(fit.find(R"("projection":"corrected","seed":5,"multipliers":[{"cell":)"),
            std::string::npos);
}

// With one distinct score in each cell a draw is no choice, and equal rates treat cells apart: the
// stream and the draws take the very same steps.
TEST(SgdInput, RefusesWhatItDoesNotServe) {
  const std::vector<std::uint8_t> labels(100, 1);
  const People people = make_people(100, 2, 2, 15);
  const Tally tally = people.tally({.label = labels});
  const auto refuse = [&](const Criterion& criterion, const SgdOptions& options,
                          const std::string& part) {
    expect_throw<std::invalid_argument>([&] { solve_sgd(tally, criterion, options); }, part);
  };
  refuse(parity(), {.gamma = 0}, "needs gamma > 0, not 0");
  refuse(parity(), {.gamma = -1}, "needs gamma > 0, not -1");
  refuse(parity(), {.gamma = std::nan("")}, "needs gamma > 0");
  refuse(parity(), {.gamma = std::numeric_limits<double>::infinity()}, "needs gamma > 0");
  refuse(parity(), {.learning_rate = 0}, "learning rate is above 0, not 0");
  refuse(parity(), {.epochs = 0}, "epochs is above 0, not 0");
  refuse(parity(), {.epochs = 1e18}, "too many steps");
  refuse(parity(), {.steps = 0}, "steps is above 0");
  refuse(parity(), {.steps = 10'000'000, .record_every = 1}, "record at most 1,000,000");
  refuse(parity(), {.costs = {0, 0}}, "not both 0");
  refuse(parity(), {.base_threshold = 2}, "base threshold 2 is not valid");
  Criterion loose = parity();
  loose.tolerance = 0.1;
  refuse(loose, {}, "without tolerance");
  Criterion capped = parity();
  capped.require = {"rate <= 0.5"};
  refuse(capped, {}, "without requirements");
  refuse(four_fifths({.sensitive = {"group"}, .within = {"stratum"}}), {}, "labels or ratios");
  refuse(equal_opportunity({.sensitive = {"group"}, .within = {"stratum"}}), {},
         "labels or ratios");
  refuse(equalized_odds({.sensitive = {"group"}, .within = {"stratum"}}), {}, "labels or ratios");
  refuse(requirements({"rate <= 0.5"}), {}, "labels or ratios");
  refuse(statistical_parity({.sensitive = {"group", "stratum"}, .across = Across::marginal}), {},
         "margins of several attributes");
  refuse(statistical_parity({.sensitive = {"sex"}, .within = {"stratum"}}), {}, "no attribute sex");
  expect_throw<std::invalid_argument>([] { projection_from("box"); },
                                      "there is no projection 'box'");
  EXPECT_EQ(projection_from("paper"), Projection::paper);
  EXPECT_EQ(projection_from(to_string(Projection::corrected)), Projection::corrected);
}

TEST(SgdInput, DistanceIsOfTheSameProblemOnly) {
  const Tally tally = make_people(100, 1, 2, 17).tally();
  const SgdResult sgd = solve_sgd(tally, parity(), {.epochs = 1});
  expect_throw<std::invalid_argument>(
      [&] { distance(sgd, solve(tally, parity(), {.gamma = 0.5}), tally); }, "different problems");
  expect_throw<std::invalid_argument>([&] { distance(sgd, sgd.solution, tally); }, "not optimal");
}

}  // namespace
}  // namespace evenhand::sgd_test
