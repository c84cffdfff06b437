// Monitoring: is the difference between groups still within its tolerance, batch after batch?
// Valid however often one looks (docs/method.md, "Monitoring").
#pragma once

#include <evenhand/confidence.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace evenhand {

// Evidence against "in every batch p_a - p_b <= tolerance": a product of likelihood ratios whose
// expectation is at most 1 while that is true, whatever the rates do from batch to batch. So it
// ever reaches 1 / alpha with probability alpha at most.
class PairEvidence {
 public:
  explicit PairEvidence(double tolerance);  // in (-1, 1); else throws std::invalid_argument

  // The alternatives come from earlier batches alone: the first one only teaches.
  void add(const RateCount& a, const RateCount& b);
  double log_evidence() const noexcept;

 private:
  static constexpr std::array gaps = {0.01, 0.02, 0.04, 0.08, 0.16};

  double tolerance_;
  std::array<double, gaps.size()> logs_{};
  RateCount past_;
};

// The smallest d such that "p_a - p_b >= d in every batch" was rejected at some look, at level
// alpha: a bound of the difference, if it is the same in all batches.
double monitored_difference_at_most(std::span<const std::pair<RateCount, RateCount>> batches,
                                    double alpha);

}  // namespace evenhand
