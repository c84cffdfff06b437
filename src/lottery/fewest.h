// Fewest coins: a cell's point reached by a rule that decides as few people by coin as possible.
#pragma once

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

// The window of least mass: the hull of its two ends and what is between them holds `at`.
struct CoinWindow {
  std::size_t a, b;
};
// Quickest if it is expected to have about this mass.
std::optional<CoinWindow> least_window(const Points& points, const At& at, double expected = 0,
                                       unsigned threads = 1);

// The parts of fewest_coins that look at points elsewhere (lottery/runs.h). The threshold that is
// as good but for rounding; the target, with its abscissa settled; the mixture inside a window.
std::optional<std::size_t> threshold_at(const Points& points, const At& at, double snap);
At settled(const Points& points, At at);
std::optional<Mixture> mixture_in(const Points& points, const At& at, const CoinWindow& window,
                                  unsigned threads = 1);
Mixture snapped(const Mixture& mixture, double snap);  // without weights of `snap` or less

}  // namespace evenhand
