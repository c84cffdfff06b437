// Exact equalized odds: the best point that all groups of a stratum can reach.
#pragma once

#include <evenhand/solve.h>

#include <vector>

#include "solve/label_hull.h"

namespace evenhand {

struct CommonPoint {
  double fpr = 0;
  double tpr = 0;
  // For each group, the prices of a unit of its true- and of its false-positive rate; both sum to
  // 0.
  std::vector<double> tpr_price;
  std::vector<double> fpr_price;
};

// Every group has both outcomes, and both costs are above zero.
CommonPoint meet_on_hulls(const std::vector<const LabelHull*>& groups, const Costs& costs,
                          unsigned threads);

}  // namespace evenhand
