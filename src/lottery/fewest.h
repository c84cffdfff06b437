// Fewest coins: a cell's point reached by a rule that decides as few people by coin as possible.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lottery/points.h"

namespace evenhand {

// A mixture of the thresholds a ... b reaches exactly the hull of these points, and throws coins
// for the people between a and b. For each a from `first` on, the smallest b <= `last` such that
// the hull holds `at`; past `last` if there is none.
std::vector<std::size_t> ends_around(const Points& points, const At& at, std::size_t first,
                                     std::size_t last);

// The mixture inside the window of least mass; of those with three thresholds the one with the
// least sum of n q (1 - q). Up to `snap` of a rate from a threshold it is that threshold, and
// weights below `snap` are dropped: what linear programs leave of a whole number is rounding. None
// if rounding puts `at` outside of what the cell can reach.
std::optional<Mixture> fewest_coins(const Points& points, At at, double snap = 1e-9);

// The same from the points nearby: `near` returns at least all those within `mass` of weight `n`.
// The window is expected to have about this mass; the result does not depend on it.
using PointsNear = std::function<const Points&(double n, double mass)>;
std::optional<Mixture> fewest_coins(const PointsNear& near, At at, double snap,
                                    double expected_mass);

}  // namespace evenhand
