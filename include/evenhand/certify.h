// certify: the most accurate rule that meets a criterion on new people too, with a stated
// confidence; whatever the distribution of scores (docs/method.md, "Certified fits").
#pragma once

#include <evenhand/confidence_bound.h>
#include <evenhand/solve.h>

#include <span>
#include <string>
#include <vector>

namespace evenhand {

struct CertifyOptions {
  double confidence = 0.95;  // in (0, 1)
  // Certify the strata that have enough rows; the others meet the criterion on these rows only.
  bool partial = false;
};

struct CertifiedFit {
  // Nothing could be certified (or, without `partial`, not everything): there are too few rows, and
  // `solution` is the plain fit.
  bool too_few = false;
  Solution solution;
  ConfidenceBound bound;  // of the certified strata: within the tolerance, or the ratio
  Solution plain;         // the same criterion without a certificate
  std::vector<std::vector<std::string>> uncertified;  // values of the strata with too few rows
  double smallest = 0;     // that the rows could certify at the plain fit's rates: a tolerance, or
                           // the largest ratio
  double rows_needed = 1;  // so many times these rows would do, at those rates
};

// For criteria of rates that are compared cell by cell, with a tolerance above 0 or a ratio below
// 1. Throws std::invalid_argument that says what cannot be certified, and why: weights, groups by
// single attributes, requirements, gamma above 0, rules without coins, a target rate, tolerance
// 0.
CertifiedFit certify(const Tally& tally, const Criterion& criterion,
                     const SolveOptions& options = {}, const CertifyOptions& certificate = {});

// What is to be certified: a difference of at most `value`, or a ratio of at least it.
struct Goal {
  bool is_ratio = false;
  double value = 0;
};
// The highest rate that is certified beside groups of the rate `lowest`, by all of these pairs;
// below `lowest` if not even equal rates are.
double highest_certified(const PairBounds& bounds, std::span<const std::size_t> pairs,
                         const Goal& goal, double lowest);

}  // namespace evenhand
