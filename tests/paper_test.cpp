// Statements of the paper and what is wrong with them, on examples small enough to check by hand;
// docs/paper.md says where the others are checked.
#include <evenhand/evenhand.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::paper_test {
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

// Definition 1's constraint in its linear form: sum of (1_S - rho) q = 0. One for each stratum will
// do: S has the same share of those who are turned down.
TEST(PaperDefinition1, BalancesTheNegativeDecisionsToo) {
  const Tally tally = applicants();
  const Roles roles{.sensitive = {"sex"}, .within = {"country"}};
  const Criterion parity = statistical_parity({.sensitive = {"sex"}, .within = {"country"}});
  const Audit before = audit(tally, roles);
  const Audit after = audit(tally, roles, solve(tally, parity).rule);
  EXPECT_GT(before.strata[1].bias, 0.1);
  for (const Comparison& country : after.strata) EXPECT_NEAR(country.bias, 0, 1e-12);
  // In the first country everybody is selected.
  double rejected = 0;
  double rejected_women = 0;
  for (const AuditedGroup& group : after.strata[1].groups) {
    const double no = group.figures.weight * (1 - *group.figures.selection_rate);
    rejected += no;
    if (group.values.front() == "F") rejected_women += no;
  }
  EXPECT_GT(rejected, 0);
  EXPECT_NEAR(rejected_women, rejected / 2, 1e-12);
}

// The paper's xi: the least of gamma/2 q^2 + [z - gamma q]^+ over all q.
double xi(double z, double gamma) {
  if (z <= 0) return 0;
  return z >= gamma ? z - gamma / 2 : z * z / (2 * gamma);
}

TEST(PaperProposition1, XiIsTheLeastOverQAndHasASlopeFrom0To1) {
  const double gamma = 0.3;
  double last_slope = 0;
  for (int i = -100; i < 100; ++i) {
    const double z = i / 100.0;
    double least = 1e9;
    for (int j = -500; j <= 1500; ++j) {
      const double q = j / 1000.0;
      least = std::min(least, gamma / 2 * q * q + std::max(0.0, z - gamma * q));
    }
    EXPECT_GE(least, xi(z, gamma) - 1e-12);
    EXPECT_LE(least, xi(z, gamma) + gamma / 1000);  // as far as the q that were tried are apart
    const double slope = (xi(z + 1e-2, gamma) - xi(z, gamma)) / 1e-2;
    EXPECT_GE(slope, last_slope - 1e-12);                 // convex,
    EXPECT_LE(slope - last_slope, 1e-2 / gamma + 1e-12);  // with a continuous slope
    EXPECT_LE(slope, 1 + 1e-12);
    last_slope = slope;
  }
}

// The least of a convex function, by thirds.
template <class Function>
double least(const Function& f) {
  double low = -5;
  double high = 5;
  for (int i = 0; i < 200; ++i) {
    const double third = (high - low) / 3;
    if (f(low + third) < f(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return f((low + high) / 2);
}

// Six people in one stratum, two of them in S, so that rho = 1/3.
struct Six {
  std::vector<std::string> group = {"S", "S", "other", "other", "other", "other"};
  std::vector<double> f = {-0.3, 0.2, -0.5, 0.1, 0.4, 0.8};
  double gamma = 0.25;

  Tally tally() const {
    return Tally::of(f, Cells::from({{"group", group}}), {.scale = Scale::signed_});
  }
  double w(std::size_t i) const { return (group[i] == "S" ? 1 : 0) - 1.0 / 3; }
};

// Propositions 1 and 2: the constrained problem's optimum is the least of the unconstrained one,
// and its rule is the clipped line.
TEST(PaperProposition1, LeastOfTheUnconstrainedProblemIsTheOptimum) {
  const Six six;
  const Tally tally = six.tally();
  const Solution fit =
      solve(tally, statistical_parity({.sensitive = {"group"}}), {.gamma = six.gamma});
  const double unconstrained = least([&](double mu) {
    double sum = 0;
    for (std::size_t i = 0; i < six.f.size(); ++i) sum += xi(six.f[i] - mu * six.w(i), six.gamma);
    return sum;
  });
  EXPECT_NEAR(fit.primal, unconstrained, 1e-9);
  const CellCode in = tally.cells().code_of({"S"});
  const double mu = fit.cells[in].multiplier / tally.total(in).n / six.w(0);
  for (std::size_t i = 0; i < six.f.size(); ++i) {
    const CellCode c = tally.cells().code_of({six.group[i]});
    const double q = std::clamp((six.f[i] - mu * six.w(i)) / six.gamma, 0.0, 1.0);
    EXPECT_NEAR(fit.rule.probability(c, six.f[i]), q, 1e-9);
  }
}

// Proposition 3, the same for Definition 2, at the rate 2/5.
TEST(PaperProposition3, LeastOfTheUnconstrainedProblemIsTheOptimum) {
  const Six six;
  const Tally tally = six.tally();
  const double rho = 0.4;
  const Solution fit = solve(tally, equal_rates({.sensitive = {"group"}, .rho = Rho::given(rho)}),
                             {.gamma = six.gamma});
  double unconstrained = 0;
  for (const char* group : {"S", "other"}) {
    unconstrained += least([&](double mu) {
      double sum = 0;
      for (std::size_t i = 0; i < six.f.size(); ++i) {
        if (six.group[i] == group) sum += rho * mu + xi(six.f[i] - mu, six.gamma);
      }
      return sum;
    });
  }
  EXPECT_NEAR(fit.primal, unconstrained, 1e-9);
  for (std::size_t i = 0; i < six.f.size(); ++i) {
    const CellCode c = tally.cells().code_of({six.group[i]});
    const double mu = fit.cells[c].multiplier / tally.total(c).n;
    EXPECT_NEAR(fit.rule.probability(c, six.f[i]),
                std::clamp((six.f[i] - mu) / six.gamma, 0.0, 1.0), 1e-9);
  }
}

// Figure 1a: nobody up to some score, everybody from gamma above it, a straight line between.
TEST(PaperFigure1a, RampIsAsWideAsGamma) {
  const Six six;
  const Solution fit =
      solve(six.tally(), statistical_parity({.sensitive = {"group"}}), {.gamma = six.gamma});
  for (const Response& response : fit.rule.parts().responses) {
    ASSERT_EQ(response.points.size(), 2U);
    EXPECT_EQ(response.points[0].q, 0);
    EXPECT_EQ(response.points[1].q, 1);
    EXPECT_NEAR(response.points[1].score - response.points[0].score, six.gamma, 1e-12);
  }
}

// Figure 2, its bottom row: parity overall makes a stratum unfair that was fair before; parity
// inside every stratum does not. Men's scores are better in the first, equal in the second.
TEST(PaperFigure2, ParityOverallCanHurtInsideAStratum) {
  const std::vector<std::string> sex = {"F", "F", "M", "M", "F", "F", "M", "M"};
  const std::vector<std::string> race = {"1", "1", "1", "1", "2", "2", "2", "2"};
  const std::vector<double> score = {0.3, 0.4, 0.6, 0.8, 0.4, 0.6, 0.4, 0.6};
  const std::vector<int> people = {100, 100, 100, 100, 10, 10, 10, 10};
  const Tally tally = Tally::counted(score, people, Cells::from({{"sex", sex}, {"race", race}}));
  const Roles inside{.sensitive = {"sex"}, .within = {"race"}};
  const std::vector<std::string> only_sex = {"sex"};
  const Rule overall =
      solve(tally.project(only_sex), statistical_parity({.sensitive = {"sex"}})).rule;
  const Rule conditional =
      solve(tally, statistical_parity({.sensitive = {"sex"}, .within = {"race"}})).rule;
  const Audit before = audit(tally, inside);
  const Audit after_overall = audit(tally, inside, overall);
  const Audit after_conditional = audit(tally, inside, conditional);
  EXPECT_GT(before.overall.bias, 0.2);
  EXPECT_NEAR(after_overall.overall.bias, 0, 1e-12);
  EXPECT_EQ(before.strata[1].bias, 0);
  EXPECT_GT(after_overall.strata[1].bias, 0.1);
  for (const Comparison& stratum : after_conditional.strata) EXPECT_NEAR(stratum.bias, 0, 1e-12);
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

// Erratum 7. Theorem 1 states one fraction for each stratum. f is -1 and 0 in S, 1 and 0 outside.
// Whatever the threshold and the fraction at it, they are fair only if they select nobody or
// everybody (0). The optimum (1) selects one of the two with f = 0.
TEST(PaperErratum7, OneFractionForAStratumIsNotEnough) {
  const std::vector<std::string> group = {"S", "S", "other", "other"};
  const std::vector<double> f = {-1, 0, 1, 0};
  for (const double threshold : f) {
    for (const double tau : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      std::vector<double> rate(2);
      double earned = 0;
      for (std::size_t i = 0; i < f.size(); ++i) {
        const double q = f[i] > threshold ? 1 : f[i] == threshold ? tau : 0;
        rate[i / 2] += q / 2;
        earned += q * f[i];
      }
      EXPECT_TRUE(rate[0] != rate[1] || earned <= 0);
    }
  }
  const Tally tally = Tally::of(f, Cells::from({{"group", group}}), {.scale = Scale::signed_});
  const Solution fit = solve(tally, statistical_parity({.sensitive = {"group"}}));
  EXPECT_NEAR(fit.primal, 1, 1e-12);
  EXPECT_EQ(fit.rule.probability(tally.cells().code_of({"S"}), 0), 1);
  EXPECT_EQ(fit.rule.probability(tally.cells().code_of({"other"}), 0), 0);
}

}  // namespace
}  // namespace evenhand::paper_test
