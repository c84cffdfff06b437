// Solutions with coins for few people, or for none.
#pragma once

#include <evenhand/solve.h>

#include <functional>
#include <optional>

#include "lottery/points.h"
#include "solve/chain.h"
#include "solve/problem.h"

namespace evenhand {

// Reaches a point of the cell's plane with coins for as few people as possible; the benefit comes
// from labels. None if rounding puts the point outside.
std::optional<Response> fewest_response(const Problem& problem, CellCode cell, const At& at,
                                        double snap);
// The point with this fraction of a block of the cell's hull, counted from the best one.
std::optional<Response> fewest_response(const Problem& problem, CellCode cell, const Chain& hull,
                                        std::size_t block, double fraction, double snap);

// Gives the solution its rule and its proof. With Lottery::fewest, responses with the fewest coins
// where there are any, weights up to `snap` dropped as rounding; should that cost the proof, not
// even these; and at last the usual responses alone.
void realise_with_few_coins(
    const Problem& problem, Solution& solution,
    const std::function<std::optional<Response>(CellCode, double snap)>& fewest,
    const std::function<Response(CellCode)>& usual, const std::function<void()>& prove);

// With Lottery::none or a largest lottery: the best such rule, under the multipliers of the
// optimum with coins. Otherwise the solution as it is.
Solution with_few_coins(const Problem& problem, Solution solution);

}  // namespace evenhand
