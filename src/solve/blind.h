// Rules that see the score, and perhaps the stratum, but no group: groups are used to find the rule
// and not to apply it.
#pragma once

#include <evenhand/lottery.h>

#include <optional>

#include "solve/problem.h"

namespace evenhand {

// One nondecreasing q for all groups of a stratum. Such a rule is a mixture of thresholds of the
// stratum's scores, whoever has them: a linear program with a column for each threshold, of which
// column generation needs a few. gamma = 0. Throws std::invalid_argument for options that do not go
// with it.
Solution solve_blind(const Problem& problem);

// The best blind rule without coins beside a blind solution, as price_of_no_coins has it. None
// where constraints tie strata together, so that it takes a search.
std::optional<PriceOfNoCoins> blind_price_of_no_coins(const Problem& problem,
                                                      const Solution& solution);

}  // namespace evenhand
