#include "confidence/window.h"

#include <algorithm>
#include <cmath>

#include "support/infinity.h"

namespace evenhand {
namespace {

// By how much a pair misses the goal at these rates; it rises with `high`.
double excess(const PairBounds& bounds, std::size_t pair, const Goal& goal, double low,
              double high) {
  if (!goal.is_ratio) return bounds.difference(pair, high, low) - goal.value;
  // p_j / p_i >= g where g p_i - p_j <= 0: one search in place of several.
  constexpr double rounding = 1e-12;
  return difference_at_most(high, low, bounds.sizes(pair), bounds.allowance(pair), goal.value) /
             std::max(high, 1e-9) +
         rounding;
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

HighestCertified highest_of_pairs(const PairBounds& bounds, std::span<const std::size_t> pairs,
                                  const Goal& goal, double lowest) {
  // Pairs only ever lower what those before them left; most of them do not.
  HighestCertified out;
  for (const std::size_t pair : pairs) {
    const double at_highest = excess(bounds, pair, goal, lowest, out.rate);
    if (at_highest <= 0) continue;
    out.pair = pair;
    const double at_lowest = excess(bounds, pair, goal, lowest, lowest);
    if (at_lowest > 0) return {-1, pair};
    out.rate = highest_of(bounds, pair, goal, lowest, at_lowest, out.rate, at_highest);
  }
  return out;
}

double highest_certified(const PairBounds& bounds, std::span<const std::size_t> pairs,
                         const Goal& goal, double lowest) {
  return highest_of_pairs(bounds, pairs, goal, lowest).rate;
}

CertifiedWindows::CertifiedWindows(const PairBounds& bounds, std::vector<std::size_t> pairs,
                                   const Goal& goal)
    : bounds_(&bounds), pairs_(std::move(pairs)), goal_(goal), from_(points + 1) {}

const HighestCertified& CertifiedWindows::from(std::size_t i) {
  if (!from_[i]) from_[i] = highest_of_pairs(*bounds_, pairs_, goal_, at(i));
  return *from_[i];
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
  double most = -infinity;
  std::vector<std::optional<double>> worth_of(points + 1);
  const auto window = [&](std::size_t i) { return CertifiedWindow{at(i), phi(i)}; };
  const auto certified = [&](std::size_t i) { return phi(i) >= at(i); };
  const auto worth_at = [&](std::size_t i) {
    if (!worth_of[i]) worth_of[i] = worth(window(i));
    return *worth_of[i];
  };
  const auto look = [&](std::size_t i) {
    if (!certified(i) || worth_at(i) <= most) return;
    most = worth_at(i);
    found = window(i);
  };
  // No window between two points is worth more.
  const auto most_between = [&](std::size_t i, std::size_t j) {
    if (j - i < 2) return -infinity;
    const bool same = from(i).pair == from(j).pair;
    if (same && certified(i) == certified(j)) {
      // A pair's bound is concave in the rates. So what it refuses at both points it refuses
      // between them, and where it sets phi at both, phi is below the chord; worth is concave along
      // a line, hence nowhere above what two of three points on it lead to.
      if (!certified(i)) return -infinity;
      const double middle = worth({(at(i) + at(j)) / 2, (phi(i) + phi(j)) / 2});
      return 2 * middle - std::min(worth_at(i), worth_at(j));
    }
    // phi does not fall; and where the upper point is not certified, phi stays below it, since a
    // smaller rate beside that one would be bounded no better than itself.
    return worth({at(i), std::max(phi(j), at(j))});
  };
  struct Part {
    std::size_t from, to;
    double most;
  };
  std::vector<Part> open = {{0, points, infinity}};
  look(0);
  look(points);
  while (!open.empty()) {
    const Part part = open.back();
    open.pop_back();
    if (part.most <= most) continue;
    const std::size_t middle = (part.from + part.to) / 2;
    look(middle);
    Part halves[] = {{part.from, middle, most_between(part.from, middle)},
                     {middle, part.to, most_between(middle, part.to)}};
    // The more promising half goes first.
    if (halves[0].most >= halves[1].most) std::swap(halves[0], halves[1]);
    open.insert(open.end(), std::begin(halves), std::end(halves));
  }
  return found;
}

}  // namespace evenhand
