// Certified fits with a limit for every pair of groups: for equalized odds, and where a small cell
// meets large ones, which need not be as near to each other as to the small one.
#pragma once

#include <evenhand/certify.h>

#include <optional>
#include <span>
#include <vector>

#include "confidence/compared.h"
#include "solve/many.h"

namespace evenhand {

struct CertifiedByPairs {
  Solution solution;
  std::vector<ComparedGroups> compared;  // with the rates of that solution
};

// Whether sizes differ enough, and pairs are few enough, to try.
bool worth_pairs(std::span<const ComparedGroups> compared);

struct PairSearch {
  const Tally& tally;
  const Problem& problem;
  ManyPrograms& programs;                     // of that problem
  const Solution& plain;                      // its solution without a certificate
  std::span<const ComparedGroups> compared;   // those to be certified, with its rates
  std::span<const ComparedGroups> everybody;  // the others meet the criterion on these rows
  const PairBounds& bounds;
  Goal goal;
};

// Solves with the tangents of all bounds at the last solution, which it can only improve, until it
// stands still; none if no round passed the check that every bound is within the goal, on which its
// validity rests. `start`: a solution of one rate, where the first tangents are taken; else at
// equal rates.
std::optional<CertifiedByPairs> certify_by_pairs(const PairSearch& search, const Solution* start);

}  // namespace evenhand
