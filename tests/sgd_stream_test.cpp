// Stochastic steps over rows as they come: the same as over a tally's draws.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/sgd_people.h"
#include "support/throws.h"

namespace evenhand::sgd_stream_test {
namespace {

using testing::expect_throw;
using testing::sgd::make_people;
using testing::sgd::parity;
using testing::sgd::People;

TEST(SgdStream, TakesTheSameStepsAsTheTallysDraws) {
  const CellNames names({"group"}, {{"a"}, {"b"}, {"c"}});
  const std::vector<CellCode> cell = {0, 1, 2};
  const std::vector<double> score = {0.3, 0.55, 0.9};
  const std::vector<int> count = {10, 20, 30};
  const Tally tally = Tally::counted(score, count, Cells{names, cell});
  const Criterion criterion = equal_rates({.sensitive = {"group"}, .rho = Rho::given(0.37)});
  const SgdResult drawn = solve_sgd(tally, criterion, {.epochs = 10, .record_every = 0});
  SgdStream stream(names, criterion, {.cell_weights = {10, 20, 30}, .sgd = {.steps = 600}});
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (int i = 0; i < count[c]; ++i) stream.add(cell[c], score[c]);
    }
  }
  const SgdResult streamed = stream.finish(tally);
  EXPECT_EQ(streamed.steps, drawn.steps);
  EXPECT_EQ(streamed.learning_rate, drawn.learning_rate);
  EXPECT_EQ(streamed.solution.rule, drawn.solution.rule);
  EXPECT_EQ(streamed.solution.to_json(), drawn.solution.to_json());
  EXPECT_EQ(stream.rule(), drawn.solution.rule);
}

TEST(SgdStream, ComesAsNearAsTheDrawsWithSharesKnownOrNotStepsKnownOrNot) {
  const People people = make_people(10'000, 2, 2, 12);
  const Tally tally = people.tally();
  const Solution exact = solve(tally, parity(), {.gamma = 0.05});
  std::vector<double> weights;
  for (CellCode c = 0; c < 4; ++c) weights.push_back(tally.total(c).n);
  for (const bool known : {true, false}) {
    for (const bool planned : {true, false}) {
      SgdStreamOptions options{.sgd = {.gamma = 0.05}};
      if (known) options.cell_weights = weights;
      if (planned) options.sgd.steps = 100'000;
      SgdStream stream(people.names, parity(), options);
      for (int epoch = 0; epoch < 10; ++epoch) stream.add(people.code, people.score);
      EXPECT_EQ(stream.steps(), 100'000U);
      const SgdResult result = stream.finish(tally);
      EXPECT_EQ(result.solution.status, Status::approximate);
      EXPECT_LT(distance(result, exact, tally).violation, 0.06);
      EXPECT_LT(distance(result, exact, tally).dual, 0.01 * tally.total().n);
      EXPECT_GE(distance(result, exact, tally).dual, -1e-9 * exact.magnitude);
    }
  }
}

TEST(SgdStream, WeightsCountRelativeToTheirMean) {
  const People people = make_people(4000, 1, 2, 13);
  const std::vector<double> heavy(people.score.size(), 1024);
  SgdStream light(people.names, parity(), {.sgd = {.steps = 4000}});
  SgdStream weighted(people.names, parity(), {.sgd = {.steps = 4000}});
  light.add(people.code, people.score);
  weighted.add(people.code, people.score, heavy);
  EXPECT_EQ(light.multipliers()[0].mean, weighted.multipliers()[0].mean);
  weighted.add(0, 0.5, 0);  // a row of weight 0 is none
  EXPECT_EQ(weighted.steps(), 4000U);
}

TEST(SgdStream, RecordsATraceWhenAsked) {
  const People people = make_people(1000, 1, 2, 14);
  SgdStream stream(people.names, parity(), {.sgd = {.record_every = 250}});
  stream.add(people.code, people.score);
  const SgdTrace trace = stream.finish(people.tally()).trace;
  ASSERT_EQ(trace.points.size(), 5U);
  EXPECT_EQ(trace.points.back().step, 1000U);
  EXPECT_LT(trace.points.back().dual, trace.points.front().dual);
}

TEST(SgdInput, StreamRefusesBadRowsOneByOne) {
  const People people = make_people(100, 1, 2, 16);
  SgdStream stream(people.names, parity());
  expect_throw<std::out_of_range>([&] { stream.add(2, 0.5); }, "no cell with code 2");
  expect_throw<std::invalid_argument>([&] { stream.add(0, 1.5); }, "score 1.5 is not valid");
  expect_throw<std::invalid_argument>([&] { stream.add(0, std::nan("")); }, "is not valid");
  expect_throw<std::invalid_argument>([&] { stream.add(0, 0.5, -1); }, "weight -1 is not");
  const std::vector<double> three(3, 0.5);
  expect_throw<std::invalid_argument>([&] { stream.add(people.code, three); },
                                      "3 scores, 100 cells");
  EXPECT_EQ(stream.steps(), 0U);
  expect_throw<std::invalid_argument>(
      [&] {
        SgdStream(people.names, parity(), {.cell_weights = {1, 2, 3}});
      },
      "2 cells but 3 weights");
  expect_throw<std::invalid_argument>(
      [&] {
        SgdStream(people.names,
                  equal_rates({.sensitive = {"group"}, .within = {"stratum"}, .rho = Rho::base()}));
      },
      "give rho as a number");
  expect_throw<std::invalid_argument>([&] { stream.finish(make_people(50, 2, 2, 1).tally()); },
                                      "other cells");
  SgdStream logit(people.names, parity(), {.reading = {Scale::logit, Favorable::high}});
  logit.add(0, 3.5);
  expect_throw<std::invalid_argument>([&] { logit.rule(); }, "finish with a tally");
}

TEST(SgdStream, TraceEndsWithTheLastStep) {
  const People people = make_people(100, 1, 2, 5);
  const Tally tally = people.tally();
  SgdStream stream(tally.cells(), parity(), {.sgd = {.gamma = 0.1, .record_every = 30}});
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    for (const Entry& entry : tally.entries(c)) stream.add(c, entry.score);
  }
  const SgdResult result = stream.finish(tally);
  ASSERT_FALSE(result.trace.points.empty());
  EXPECT_EQ(result.trace.points.back().step, stream.steps());
  EXPECT_EQ(result.trace.points.back().mean[0], result.multipliers[0].mean);
  EXPECT_EQ(result.trace.points.front().step, 0);
}

}  // namespace
}  // namespace evenhand::sgd_stream_test
