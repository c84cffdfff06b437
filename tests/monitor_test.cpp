// Evidence over batches: numbers computed separately, false alarms by simulation.
#include <evenhand/monitor.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::testing::monitor_test {
namespace {

using Batch = std::pair<RateCount, RateCount>;

const std::vector<Batch> batches = {
    {{30, 100}, {45, 300}}, {{36, 110}, {40, 280}}, {{28, 95}, {52, 310}}, {{41, 120}, {47, 295}}};

TEST(Evidence, NumbersOfFourBatches) {
  PairEvidence evidence(0.05);
  PairEvidence reversed(0.05);
  const std::vector<double> expected = {0, 2.934734, 3.563462, 7.023925};
  for (std::size_t i = 0; i < batches.size(); ++i) {
    evidence.add(batches[i].first, batches[i].second);
    reversed.add(batches[i].second, batches[i].first);
    EXPECT_NEAR(evidence.log_evidence(), expected[i], 5.1e-7);
  }
  const double both =
      std::log((std::exp(evidence.log_evidence()) + std::exp(reversed.log_evidence())) / 2);
  EXPECT_NEAR(both, 6.330782, 5.1e-7);
}

TEST(Evidence, AGroupMissingFromABatchSaysNothing) {
  PairEvidence evidence(0.05);
  evidence.add({30, 100}, {45, 300});
  evidence.add({30, 100}, {0, 0});
  evidence.add({0, 0}, {300, 300});
  EXPECT_EQ(evidence.log_evidence(), 0);
}

TEST(Evidence, ItsExpectationIsAtMostOneAtTheBoundary) {
  // Exactly, over all outcomes of a second batch: p_a - p_b = tolerance.
  const auto probability = [](int k, int n, double p) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(p) + (n - k) * std::log1p(-p));
  };
  for (const double level : {0.02, 0.3, 0.7}) {
    for (const double tolerance : {0.0, 0.05, 0.2}) {
      constexpr int a = 12, b = 30;
      double mean = 0;
      for (int ka = 0; ka <= a; ++ka) {
        for (int kb = 0; kb <= b; ++kb) {
          PairEvidence evidence(tolerance);
          evidence.add({5, 20}, {9, 40});
          evidence.add({1.0 * ka, a}, {1.0 * kb, b});
          mean += std::exp(evidence.log_evidence()) * probability(ka, a, level + tolerance) *
                  probability(kb, b, level);
        }
      }
      EXPECT_LE(mean, 1 + 1e-9) << level << " " << tolerance;
    }
  }
}

TEST(Evidence, TheBoundOfTheDifferenceIsWhereRejectionEnds) {
  const double bound = monitored_difference_at_most(batches, 0.05);
  const auto largest_at = [&](double d) {
    PairEvidence evidence(-d);
    double largest = 0;
    for (const auto& [a, b] : batches) {
      evidence.add(b, a);
      largest = std::max(largest, evidence.log_evidence());
    }
    return largest;
  };
  EXPECT_GE(largest_at(bound + 1e-6), std::log(20));
  EXPECT_LT(largest_at(bound - 1e-6), std::log(20));
  EXPECT_GT(bound, 0.18);  // the difference seen is about .18
  EXPECT_GT(monitored_difference_at_most(batches, 0.01), bound);
  EXPECT_EQ(monitored_difference_at_most({}, 0.05), 1);
}

TEST(Evidence, RejectsImpossibleCountsAndTolerances) {
  using Bad = std::invalid_argument;
  for (const double tolerance : {1.0, -1.0, std::nan("")}) {
    expect_throw<Bad>([&] { PairEvidence{tolerance}; }, "between -1 and 1");
  }
  PairEvidence evidence(0.05);
  for (const RateCount& count : {RateCount{-1, 5}, {6, 5}, {0, -1}, {std::nan(""), 5}}) {
    expect_throw<Bad>([&] { evidence.add(count, {1, 2}); }, "from 0 to all");
    expect_throw<Bad>([&] { evidence.add({1, 2}, count); }, "from 0 to all");
  }
  EXPECT_EQ(evidence.log_evidence(), 0);
}

}  // namespace
}  // namespace evenhand::testing::monitor_test
