// How far rates may be, in the population that rows were drawn from, from those observed: bounds
// that hold with a stated confidence. Plain functions over counts and rates; docs/method.md has
// the proofs. All of them are about rows that are independent and alike inside a cell, count once
// each, and were not used to train the model.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace evenhand {

// Which argument carries a bound of a rule over to new people when the rule was fitted on the very
// rows that its rates were observed on.
enum class BoundKind {
  same_rate,  // the criterion ties the cells' rates, so that they move together
  any,        // any rules that are nondecreasing in the score, whatever their rates
  dkw,        // the same by the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart: wider, but
              // proved for every size
};
std::string_view to_string(BoundKind kind) noexcept;
BoundKind bound_kind_from(std::string_view name);  // throws std::invalid_argument

// The distance J of an observed and a true rate: the tempered Kullback-Leibler divergence
// s^2 KL((r + k)/s || (p + k)/s) with k = 1/50 and s = 1 + 2k. In a cell of m rows, on one side and
// over all thresholds at once, P(sup m J > x) <= A exp(-x).
double rate_distance(double observed, double actual) noexcept;
inline constexpr double rate_distance_factor = 3.6407282184728254;  // A

// Sizes of two cells that are compared, in the order of the difference: over - under.
struct PairSizes {
  double over = 0;
  double under = 0;
};

// The shares of delta, 1 - confidence, that all ordered pairs get: half of it in equal parts, half
// so that their bounds come out about equal, which gives small cells more. Depends on sizes alone.
std::vector<double> pair_levels(std::span<const PairSizes> pairs, double delta);

// What the distances of a pair may add up to: m_i J_i / over + m_j J_j / under <= 1 except with
// probability alpha.
struct Allowance {
  double over = 0;
  double under = 0;
};
Allowance same_rate_allowance(double alpha);
Allowance any_rule_allowance(double alpha, const PairSizes& sizes);
// By how much the error of one rate may exceed that of the other, by BoundKind::dkw.
double dkw_margin(double alpha, const PairSizes& sizes);

// The largest factor * p_i - p_j, and the smallest p_j / p_i, that the allowance leaves when r_i
// (over) and r_j (under) are the rates observed.
double difference_at_most(double over, double under, const PairSizes& sizes,
                          const Allowance& allowance, double factor = 1);
double ratio_at_least(double under, double over, const PairSizes& sizes,
                      const Allowance& allowance);

// All of this for a list of pairs that hold together with probability 1 - delta.
class PairBounds {
 public:
  // Throws std::invalid_argument unless 0 < delta < 1 and all sizes are above 0.
  PairBounds(std::vector<PairSizes> pairs, double delta, BoundKind kind);

  std::size_t size() const noexcept { return pairs_.size(); }
  const PairSizes& sizes(std::size_t pair) const { return pairs_[pair]; }
  const Allowance& allowance(std::size_t pair) const { return allowances_[pair]; }  // not of dkw
  // From -1 to 1, and from 0: below 0, or above 1, the difference is shown to be the other way.
  double difference(std::size_t pair, double over, double under) const;
  double ratio(std::size_t pair, double under, double over) const;

 private:
  std::vector<PairSizes> pairs_;
  BoundKind kind_;
  std::vector<Allowance> allowances_;  // of same_rate and any
  std::vector<double> margins_;        // of dkw
};

// Rows that a rule was not fitted on, or whose rate was fixed beforehand: the sum of the rule's
// probabilities among so many rows.
struct RateCount {
  double positive = 0;  // may be a fraction: decisions by coin
  double rows = 0;
};

struct RateLimits {
  double low = 0;
  double high = 1;
};

// One-sided limits of Clopper and Pearson, each of level alpha. These throw std::invalid_argument
// unless 0 <= positive <= rows, rows > 0 and 0 < alpha < 1.
RateLimits exact_limits(const RateCount& count, double alpha);

// p_i - p_j and p_j / p_i with level alpha, from the exact limits of both: the root of the sum of
// their squares (as Newcombe's interval has it). Their error is at most 1.16 alpha.
double fresh_difference_at_most(const RateCount& over, const RateCount& under, double alpha);
double fresh_ratio_at_least(const RateCount& under, const RateCount& over, double alpha);
// The same by the limits themselves, each of level alpha / 2: never an error above alpha.
double strict_difference_at_most(const RateCount& over, const RateCount& under, double alpha);
double strict_ratio_at_least(const RateCount& under, const RateCount& over, double alpha);

}  // namespace evenhand
