// Blind rules (SolveOptions::blind): what it costs not to look at groups.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/solve.h>

#include <string>

namespace evenhand {

// The rule that may see groups, for the same criterion, beside a blind one.
struct BlindPrice {
  Solution sighted;
  double blind_primal = 0;         // objectives
  std::optional<double> accuracy;  // of both rules, as audit counts it; none if unknown
  std::optional<double> sighted_accuracy;
  std::optional<double> cost;  // mean cost of a decision
  std::optional<double> sighted_cost;
};
BlindPrice blind_price(const Tally& tally, const Roles& roles, const Solution& blind);

// "blind: groups were used to find this rule, not to apply it; with them accuracy would be 83.55
// %"; the cost instead of accuracy where costs differ.
std::string in_words(const BlindPrice& price, const Costs& costs);

}  // namespace evenhand
