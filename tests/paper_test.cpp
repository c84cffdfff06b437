// Statements of the paper about its two definitions, its first theorem and its algorithm, and what
// is wrong with them, on examples small enough to check by hand (docs/paper-sgd-part.md).
#include <evenhand/evenhand.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand {
namespace {

using testing::expect_throw;

// Women and men of two countries, whose scores are worse in the second.
Tally applicants() {
  const std::vector<std::string> sex = {"F", "F", "M", "M", "F", "F", "M", "M"};
  const std::vector<std::string> country = {"1", "1", "1", "1", "2", "2", "2", "2"};
  const std::vector<double> score = {0.6, 0.9, 0.7, 0.8, 0.1, 0.7, 0.2, 0.4};
  const std::vector<int> people = {10, 10, 10, 10, 10, 10, 10, 10};
  return Tally::counted(score, people, Cells::from({{"sex", sex}, {"country", country}}));
}

TEST(PaperExample1, ParityInsideEachCountryAllowsOtherRatesAbroadAndEqualRatesDoNot) {
  const Tally tally = applicants();
  const Solution parity =
      solve(tally, statistical_parity({.sensitive = {"sex"}, .within = {"country"}}));
  const Solution equal = solve(tally, equal_rates({.sensitive = {"sex"}, .within = {"country"}}));
  const auto rate = [](const Solution& fit, const char* sex, const char* country) {
    return fit.cells[fit.rule.cells().code_of({sex, country})].rate;
  };
  for (const char* country : {"1", "2"}) {
    EXPECT_NEAR(rate(parity, "F", country), rate(parity, "M", country), 1e-12);
  }
  EXPECT_GT(rate(parity, "F", "1"), rate(parity, "F", "2") + 0.4);
  for (const char* sex : {"F", "M"}) {
    for (const char* country : {"1", "2"}) {
      EXPECT_NEAR(rate(equal, sex, country), rate(equal, "F", "1"), 1e-12);
    }
  }
  EXPECT_GT(parity.primal, equal.primal);
}

// Example 2 has three kinds of people; there are eight rules without a coin. The fair ones among
// them earn nothing, the optimum with a coin earns 1/6.
TEST(PaperExample2, HasNoFairOptimumWithoutACoin) {
  const std::vector<double> weight = {3, 2, 1};
  const std::vector<double> h = {-1, 0, 1};
  const std::vector<double> p = {0, 0.5, 1};
  const std::vector<double> s = {0.5, 1, 0};
  double best = -1;
  for (unsigned rule = 0; rule < 8; ++rule) {
    double in = 0;
    double out = 0;
    double earned = 0;
    for (unsigned i = 0; i < 3; ++i) {
      if ((rule >> i & 1U) == 0) continue;
      in += weight[i] * s[i];
      out += weight[i] * (1 - s[i]);
      earned += weight[i] * h[i];
    }
    if (in / 3.5 == out / 2.5) best = std::max(best, earned);
  }
  EXPECT_EQ(best, 0);
  EXPECT_NEAR(solve_soft({p, {{"s", s}}}, {.weight = weight}).primal, 1, 1e-12);  // of 6 people
}

// Erratum 3. Definition 2 sets rho = E[f]. With scores 0.2 and 0.4, f = 2p - 1 is -0.6 and -0.2, so
// that rho would be -0.4: no rate. (1 + E f) / 2 = 0.3 is one, and so is the share of positive base
// decisions, here 0.
TEST(PaperErratum3, RhoMustBeARateAndTheMeanScoreIsNone) {
  const std::vector<std::string> group = {"a", "b"};
  const std::vector<double> score = {0.2, 0.4};
  const Tally tally = Tally::of(score, Cells::from({{"group", group}}));
  const double mean = ((2 * score[0] - 1) + (2 * score[1] - 1)) / 2;
  EXPECT_LT(mean, 0);
  const auto fit = [&](Rho rho) {
    return solve_sgd(tally, equal_rates({.sensitive = {"group"}, .rho = rho}),
                     {.gamma = 0.1, .epochs = 200'000, .record_every = 0})
        .solution;
  };
  expect_throw<std::invalid_argument>([&] { fit(Rho::given(mean)); }, "rho");
  for (const CellCode c : {0U, 1U}) {
    EXPECT_NEAR(fit(Rho::given((1 + mean) / 2)).cells[c].rate, 0.3, 0.05);
    EXPECT_NEAR(fit(Rho::base()).cells[c].rate, 0, 0.05);
  }
}

// Erratum 7. Theorem 1 states one threshold for each stratum. Here is one stratum of four people; f
// is -0.6 and -0.2 in S, 0.4 and 0.6 outside. With one threshold for all, parity means nobody (0)
// or everybody (0.2). The optimum is the better half of each group (0.4): the threshold is t + mu
// w.
TEST(PaperErratum7, ThresholdMovesWithTheConstraintsWeight) {
  const std::vector<std::string> group = {"S", "S", "other", "other"};
  const std::vector<double> f = {-0.6, -0.2, 0.4, 0.6};
  double with_one_threshold = 0;
  for (const double from : f) {
    std::vector<double> rate(2);
    double earned = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (f[i] < from) continue;
      rate[i / 2] += 0.5;
      earned += f[i];
    }
    if (rate[0] == rate[1]) with_one_threshold = std::max(with_one_threshold, earned);
  }
  EXPECT_NEAR(with_one_threshold, 0.2, 1e-12);
  const Tally tally = Tally::of(f, Cells::from({{"group", group}}), {.scale = Scale::signed_});
  const Solution fit = solve(tally, statistical_parity({.sensitive = {"group"}}));
  EXPECT_NEAR(fit.primal, 0.4, 1e-12);
  const CellCode in = tally.cells().code_of({"S"});
  const CellCode out = tally.cells().code_of({"other"});
  // w is 1/2 in S and -1/2 outside, so prices of a decision are mu / 2 and -mu / 2.
  const double mu = 2 * fit.cells[in].multiplier / tally.total(in).n;
  EXPECT_NEAR(fit.cells[out].multiplier / tally.total(out).n, -mu / 2, 1e-12);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double w = i < 2 ? 0.5 : -0.5;
    const double q = fit.rule.probability(i < 2 ? in : out, f[i]);
    EXPECT_EQ(q, i % 2 == 1 ? 1 : 0);
    EXPECT_TRUE(q == 1 ? f[i] > mu * w - 1e-12 : f[i] < mu * w + 1e-12);
  }
}

}  // namespace
}  // namespace evenhand
