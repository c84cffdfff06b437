#include "confidence/window.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenhand {
namespace {

// By how much a pair misses the goal at these rates; it rises with `high`.
double excess(const PairBounds& bounds, std::size_t pair, const Goal& goal, double low,
              double high) {
  return goal.is_ratio ? goal.value - bounds.ratio(pair, low, high)
                       : bounds.difference(pair, high, low) - goal.value;
}

// Where a pair just meets the goal, between `low`, where it does, and `high`, where it does not:
// false position, of which the lower end is kept, since the goal is met there.
double highest_of(const PairBounds& bounds, std::size_t pair, const Goal& goal, double low,
                  double at_low, double high, double at_high) {
  const auto at = [&](double rate) { return excess(bounds, pair, goal, low, rate); };
  double good = low;
  double at_good = at_low;
  double bad = high;
  double at_bad = at_high;
  for (double step = 0.01; good + step < high; step *= 2) {  // the root is near `low`
    const double here = at(good + step);
    (here <= 0 ? good : bad) = good + step;
    (here <= 0 ? at_good : at_bad) = here;
    if (here > 0) break;
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
  // Pairs only ever lower what those before them left; most of them do not.
  double highest = 1;
  for (const std::size_t pair : pairs) {
    const double at_highest = excess(bounds, pair, goal, lowest, highest);
    if (at_highest <= 0) continue;
    const double at_lowest = excess(bounds, pair, goal, lowest, lowest);
    if (at_lowest > 0) return -1;
    highest = highest_of(bounds, pair, goal, lowest, at_lowest, highest, at_highest);
  }
  return highest;
}

CertifiedWindows::CertifiedWindows(const PairBounds& bounds, std::vector<std::size_t> pairs,
                                   const Goal& goal)
    : bounds_(&bounds), pairs_(std::move(pairs)), goal_(goal), phi_(points + 1) {}

double CertifiedWindows::phi(std::size_t i) {
  if (!phi_[i]) phi_[i] = highest_certified(*bounds_, pairs_, goal_, at(i));
  return *phi_[i];
}

bool CertifiedWindows::any() {
  return phi(0) >= 0 || phi(points) >= 1;
}

std::optional<CertifiedWindow> CertifiedWindows::around(double low, double high) {
  const auto i = static_cast<std::size_t>(std::clamp(low, 0.0, 1.0) * points);
  if (phi(i) < std::max(at(i), high)) return std::nullopt;
  return CertifiedWindow{at(i), phi(i)};
}

CertifiedWindow CertifiedWindows::best(const std::function<double(const CertifiedWindow&)>& worth) {
  CertifiedWindow found;
  double most = -std::numeric_limits<double>::infinity();
  const auto look = [&](std::size_t i) {
    if (phi(i) < at(i)) return;
    const CertifiedWindow window{at(i), phi(i)};
    const double value = worth(window);
    if (value <= most) return;
    most = value;
    found = window;
  };
  // phi does not fall; and where the upper point is not certified, phi stays below it, since a
  // smaller rate beside that one would be bounded no better than itself.
  const auto most_between = [&](std::size_t i, std::size_t j) {
    return worth({at(i), std::max(phi(j), at(j))});
  };
  struct Part {
    std::size_t from, to;
  };
  std::vector<Part> open = {{0, points}};
  look(0);
  look(points);
  while (!open.empty()) {
    const Part part = open.back();
    open.pop_back();
    if (part.to - part.from < 2 || most_between(part.from, part.to) <= most) continue;
    const std::size_t middle = (part.from + part.to) / 2;
    look(middle);
    const Part halves[] = {{part.from, middle}, {middle, part.to}};
    // The more promising half goes first.
    const bool lower_first = most_between(part.from, middle) >= most_between(middle, part.to);
    open.push_back(halves[lower_first ? 1 : 0]);
    open.push_back(halves[lower_first ? 0 : 1]);
  }
  return found;
}

}  // namespace evenhand
