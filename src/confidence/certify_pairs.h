// Certified fits with a limit for every pair of groups: for equalized odds, and where a small cell
// meets large ones, which need not be as near to each other as to the small one.
#pragma once

#include <evenhand/certify.h>

#include <optional>
#include <span>
#include <vector>

#include "confidence/compared.h"

namespace evenhand {

struct CertifiedByPairs {
  Solution solution;
  std::vector<ComparedGroups> compared;  // with the rates of that solution
};

// Whether sizes differ enough, and pairs are few enough, to try.
bool worth_pairs(std::span<const ComparedGroups> compared);

// Solves with r_i - r_j <= goal - margin_ij, the margins taken from the last solution, until they
// stand still; none if no round passed the check that every bound is within the goal, on which its
// validity rests. `start`: where the first margins come from; else from equal rates.
std::optional<CertifiedByPairs> certify_by_pairs(const Tally& tally, const Solution& plain,
                                                 std::span<const ComparedGroups> compared,
                                                 const PairBounds& bounds, const Goal& goal,
                                                 const Solution* start);

}  // namespace evenhand
