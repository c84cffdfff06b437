#include <evenhand/plan.h>

#include <algorithm>

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

}  // namespace evenhand
