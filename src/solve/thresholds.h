// The best rule without coins, or with few: which threshold, or window of thresholds, each cell
// takes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lottery/windows.h"
#include "solve/components.h"
#include "solve/evaluate.h"

namespace evenhand {

// How far apart rates are, in terms of how loose a criterion must be for them: as a tolerance, or
// as 1 - ratio.
double apart(const std::vector<double>& rates, const Compared& compared);

struct Chosen {
  double value = 0;
  double bound = 0;               // no such rule has a larger value
  std::vector<Mixture> mixtures;  // of each cell, with rows or not; empty: no rule was found
  double apart = 0;  // how loose the criterion could be: the tolerance, or 1 - ratio, that it takes
};

class Thresholds {
 public:
  // Refers to the problem; gamma = 0.
  explicit Thresholds(const Problem& problem);

  // All comparisons are of single cells by one rate or by both label rates, nothing else is
  // required: the best rule without coins is then found by sorting.
  bool exact() const;
  std::size_t points() const;
  std::size_t most_together() const;  // cells that are compared with each other

  // `magnitude` is the size of the objective. With `share` coins may decide that share of each
  // cell, one score always.
  Chosen choose(double magnitude, const std::optional<double>& share) const;
  // exact(): with this tolerance, or one minus it for a ratio, instead of the criterion's.
  Chosen choose_within(double apart) const;

  // The better one of "yes to all" and "no to all".
  double best_constant() const;
  // Of the cell's scores, for response_of.
  std::span<const double> score(CellCode cell) const { return sums_[cell].score(); }

 private:
  // Whole cells, in memory from now on.
  const Points& points_of(CellCode cell) const;
  void make_points(const std::vector<CellCode>& cells) const;
  std::optional<Pick> choose_by_sums(const Component& component, const RateWindow& window) const;
  std::optional<Pick> choose_exactly(const Component& component,
                                     const std::optional<double>& apart) const;
  void decide_free_cells(Chosen& out) const;
  void add(const Component& component, const Pick& pick, Chosen& out) const;

  const Problem& problem_;
  System system_;
  std::vector<Component> components_;
  std::vector<PointSums> sums_;
  std::vector<CellCode> free_;  // cells that nothing ties to others
  bool all_made_ = false;       // points of all cells: few are looked at again and again
};

}  // namespace evenhand
