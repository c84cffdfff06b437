#include "confidence/window.h"

#include <algorithm>
#include <cmath>

namespace evenhand {
namespace {

// By how much the goal is missed at these rates; it rises with `high`.
double excess(const PairBounds& bounds, std::span<const std::size_t> pairs, const Goal& goal,
              double low, double high) {
  double worst = -1;
  for (const std::size_t n : pairs) {
    worst = std::max(worst, goal.is_ratio ? goal.value - bounds.ratio(n, low, high)
                                          : bounds.difference(n, high, low) - goal.value);
  }
  return worst;
}

// Where the goal is just met, at or above `from`, where it is: false position, of which the lower
// end is kept, since the goal is met there.
double highest_from(const PairBounds& bounds, std::span<const std::size_t> pairs, const Goal& goal,
                    double low, double from, double at_from, double step) {
  const auto at = [&](double high) { return excess(bounds, pairs, goal, low, high); };
  double good = from;
  double at_good = at_from;
  double bad = std::min(1.0, good + step);
  double at_bad = at(bad);
  while (at_bad <= 0) {
    if (bad >= 1) return 1;
    good = bad;
    at_good = at_bad;
    step *= 2;
    bad = std::min(1.0, good + step);
    at_bad = at(bad);
  }
  for (int round = 0; round < 60 && bad - good > 1e-9; ++round) {
    // A little to the left of the root, so that the lower end moves; halfway now and then.
    const double t = at_good / (at_good - at_bad);
    const double middle = round % 3 == 2 ? (good + bad) / 2 : good + (bad - good) * t * (1 - 1e-3);
    const double here = at(middle);
    (here <= 0 ? good : bad) = middle;
    (here <= 0 ? at_good : at_bad) = here;
    if (at_good > -2e-8) break;
  }
  return good;
}

}  // namespace

double highest_certified(const PairBounds& bounds, std::span<const std::size_t> pairs,
                         const Goal& goal, double lowest) {
  const double at_lowest = excess(bounds, pairs, goal, lowest, lowest);
  if (at_lowest > 0) return -1;
  return highest_from(bounds, pairs, goal, lowest, lowest, at_lowest, 0.01);
}

std::vector<RateWindow> certified_windows(const PairBounds& bounds,
                                          std::span<const std::size_t> pairs, const Goal& goal) {
  const std::size_t points =
      std::clamp<std::size_t>(20'000 / std::max<std::size_t>(1, pairs.size()), 256, 4096);
  std::vector<RateWindow> out;
  double last = -1;
  double step = 0.01;
  for (std::size_t i = 0; i <= points; ++i) {
    const double low = static_cast<double>(i) / static_cast<double>(points);
    // phi does not fall, but for rounding: the last one is where to start from.
    double from = std::max(low, last);
    double at_from = excess(bounds, pairs, goal, low, from);
    if (at_from > 0 && from > low) {
      from = low;
      at_from = excess(bounds, pairs, goal, low, from);
    }
    if (at_from > 0) {
      last = -1;
      continue;
    }
    const double found = highest_from(bounds, pairs, goal, low, from, at_from, step);
    step = last < 0 ? 0.01 : 1.01 * (found - last) + 1e-7;  // it rises steadily
    last = found;
    out.push_back({low, last});
  }
  return out;
}

}  // namespace evenhand
