// Rules without coins: one threshold for each cell, so that rates lie in a common window.
#pragma once

#include <evenhand/criterion.h>

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "lottery/points.h"

namespace evenhand {

// Rates this close count as equal: far less than one person, far more than rounding.
inline constexpr double same_rate = 1e-12;

// The points of a cell as a criterion sees them; rates rise with the threshold.
struct Rated {
  std::span<const double> value;
  Doubles rate;
  Doubles other = {};  // a second rate
  // A cell without such a rate has none, and is free of that comparison.
};

// The same, worked out while it is looked at. Rates must rise with the threshold, rounded as they
// are.
struct RatedSums {
  const PointSums* sums = nullptr;
  Rate of = Rate::selection;
  double whole = 1;  // what the rate is a share of

  double rate_at(const At& at) const noexcept { return counted(of, at) / whole; }
};

struct Pick {
  double value = -std::numeric_limits<double>::infinity();
  std::vector<std::size_t> at = {};  // a point for each cell; empty: no rule meets the criterion
  // No pick has a larger value; above `value` only if a search was cut short.
  double bound = -std::numeric_limits<double>::infinity();
};

// How far apart rates may be.
struct RateWindow {
  Relation relation = Relation::difference;
  double tolerance = 0;
  double ratio = 1;
  double rho = 0;
};

// One rate (`rate`, every cell has it): the best pick, of several the one with the smallest
// lowest rate, and for each cell the smallest rate. O(N log G + N G) for N points of G cells.
Pick best_in_window(std::span<const Rated> cells, const RateWindow& window, unsigned threads);
Pick best_in_window(std::span<const RatedSums> cells, const RateWindow& window, unsigned threads);
double reach_of(const RateWindow& window);  // from the lowest rate to the highest, if that is 1/2

// Two rates, each within `tolerance`. Two cells: O(N). More: a search over boxes.
Pick best_of_two_rates(std::span<const Rated> cells, double tolerance);
Pick best_in_boxes(std::span<const Rated> cells, double tolerance);

// All numbers of these ascending lists, each once, ascending. At least one list.
std::vector<double> merged(std::vector<std::vector<double>> lists);

// The first largest of a range of values.
class RangeMaximum {
 public:
  explicit RangeMaximum(std::span<const double> values);
  std::size_t operator()(std::size_t begin, std::size_t end) const;  // begin < end

 private:
  static constexpr std::size_t width = 64;
  std::size_t scan(std::size_t begin, std::size_t end) const;
  std::size_t better(std::size_t a, std::size_t b) const { return values_[b] > values_[a] ? b : a; }

  std::span<const double> values_;
  std::vector<std::vector<std::size_t>> table_;  // [level][block]: of 2^level blocks from there on
};

}  // namespace evenhand
