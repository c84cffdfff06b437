#include <evenhand/plan.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "confidence/compared.h"

namespace evenhand {

std::vector<PlannedStratum> planned_strata(const Tally& tally, const Solution& fit) {
  std::vector<PlannedStratum> out;
  for (const ComparedGroups& groups : compared_cells(tally, fit)) {
    PlannedStratum stratum;
    double selected = 0;
    double rows = 0;
    for (const ComparedGroup& group : groups.groups) {
      stratum.rows.push_back(group.group.rows);
      selected += group.rate * group.group.rows;
      rows += group.group.rows;
    }
    stratum.rate = std::clamp(selected / rows, 0.0, 1.0);
    out.push_back(std::move(stratum));
  }
  return out;
}

std::vector<PlannedStratum> planned_strata(const Tally& tally, Criterion criterion,
                                           const SolveOptions& options) {
  if (!tally.unit_weights()) {
    throw std::invalid_argument("a plan counts people: it cannot be made from weighted rows");
  }
  criterion.tolerance = 0;
  criterion.ratio = 1;
  return planned_strata(tally, solve(tally, criterion, options));
}

std::vector<PlannedStratum> planned_strata(double rate, std::size_t groups, std::size_t strata) {
  if (groups < 2 || groups > 300 || strata < 1 || strata > 100'000 ||
      groups * (groups - 1) * strata > 100'000) {
    throw std::invalid_argument(
        "a plan takes at least 2 groups and 1 stratum, and at most 100,000 pairs of groups");
  }
  return std::vector<PlannedStratum>(strata, {rate, std::vector<double>(groups, 1)});
}

}  // namespace evenhand
