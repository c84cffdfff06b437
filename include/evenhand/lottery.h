// What it costs to decide nobody by coin.
#pragma once

#include <evenhand/solve.h>

#include <optional>
#include <vector>

namespace evenhand {

struct PriceOfNoCoins {
  double objective = 0;  // of the best rule without coins, in the units of Solution::primal
  Rule rule;             // that rule
  double constant = 0;   // objective of the better one of "yes to all" and "no to all"
  // The smallest tolerance (four-fifths: the largest ratio) at which a rule without coins is better
  // than that constant one, and at which it is as good as the solution. None if there is none, or
  // if the tally has too many distinct scores, or compares too many groups, to try several
  // tolerances.
  std::optional<double> useful;
  std::optional<double> as_good;
};

// Compares a solution with the best rule without coins for the same criterion. None where that
// takes a search (margins, requirements), where gamma is above 0, or where no rule without coins
// meets the criterion.
std::optional<PriceOfNoCoins> price_of_no_coins(const Tally& tally, const Solution& solution);

// Whom coins decide: for each cell with a probability strictly between 0 and 1, the scores it
// concerns, in the caller's scale.
struct CoinRange {
  CellCode cell = 0;
  double people = 0;  // weight
  double lowest = 0;  // the fitted scores among them, as numbers: lowest <= highest
  double highest = 0;
};
std::vector<CoinRange> coin_ranges(const Tally& tally, const Rule& rule);

}  // namespace evenhand
