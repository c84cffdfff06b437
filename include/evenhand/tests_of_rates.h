// Are two rates apart by more than chance, and how far? Intervals and tests for decisions that were
// taken: plain functions over counts, with no rule and no scores. docs/confidence.md says which
// question each of them answers.
//
// All of them throw std::invalid_argument unless 0 <= positive <= rows and rows > 0. The tests need
// whole counts, decisions that were taken, and throw for sums of probabilities; the intervals, the
// standard deviations and the shortfall take any.
#pragma once

#include <evenhand/confidence.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenhand {

// Whether both are whole numbers, as the tests want them.
bool whole(const RateCount& count) noexcept;

// Two-sided intervals of p - p_reference (Miettinen and Nurminen) and of p / p_reference (Koopman):
// the values that a score test of level 1 - confidence does not reject. The ratio's upper end is
// infinite when nobody of the reference is positive.
RateLimits difference_interval(const RateCount& group, const RateCount& reference,
                               double confidence = 0.95);
RateLimits ratio_interval(const RateCount& group, const RateCount& reference,
                          double confidence = 0.95);

// Fisher's exact test, two-sided: the probability of a table that is no more likely than the one
// seen, given its margins. mid_p counts those that are as likely only half.
struct ExactTest {
  double p = 1;
  double mid_p = 1;
};
ExactTest fisher_exact(const RateCount& group, const RateCount& reference);

// The difference of the rates in standard deviations, with the rate of both groups together;
// negative where the group's is the lower one, 0 where nobody or everybody is positive.
double standard_deviations(const RateCount& group, const RateCount& reference);

// How many more of the group would be positive at `ratio` times the reference's rate; 0 if no more
// are needed. 1 asks for the same rate, 0.8 for four fifths of it.
double shortfall(const RateCount& group, const RateCount& reference, double ratio = 1);

// The same two groups in one stratum.
struct RatesOfTwo {
  RateCount group, reference;
};

// The test of Cochran, Mantel and Haenszel: does the group differ from the reference in strata
// taken together, whatever the strata's own rates? Chi-square with one degree of freedom, without
// correction for continuity; 0 where no stratum leaves anything to chance.
struct ChiSquareTest {
  double statistic = 0;
  double p = 1;
};
ChiSquareTest mantel_haenszel(std::span<const RatesOfTwo> strata);

// Is the largest difference between any two groups of a stratum, over all strata, more than
// chance? Deals the positive decisions of each stratum out at random to its rows, `draws` times;
// p = (1 + those as large) / (1 + draws). The same seed gives the same answer.
struct Permutations {
  std::size_t draws = 9999;  // at least 1
  std::uint64_t seed = 1;
};
struct PermutationTest {
  double largest_difference = 0;  // observed
  double p = 1;
};
PermutationTest largest_difference_test(std::span<const std::vector<RateCount>> strata,
                                        const Permutations& permutations = {});

// Holm's p-values: reject all those at most alpha, and the chance that any of them is wrong is at
// most alpha. In the order given; throws std::invalid_argument unless all lie between 0 and 1.
std::vector<double> holm(std::span<const double> p);

// So many rows of weight 1 say as much as these: (sum of weights)^2 / (sum of their squares).
double effective_size(double weight, double squared_weights);

}  // namespace evenhand
