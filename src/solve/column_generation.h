// gamma = 0 with several constraints: a small linear program over vertices of the cells' polygons,
// to which new vertices (columns) and violated comparisons (rows) are added until none is missing.
#pragma once

#include <evenhand/solve.h>

#include <optional>
#include <vector>

#include "solve/chain.h"
#include "solve/constraints.h"

namespace evenhand {

// Whether the requirements can be met at all, and if not why.
std::optional<Infeasibility> find_infeasibility(const System& system, const Tally& tally,
                                                const std::vector<CellCurve>& curves);

struct Generated {
  std::vector<Reach> reach;                    // of each cell
  std::vector<Constraint> constraints;         // with their multipliers
  std::optional<Infeasibility> infeasibility;  // then nothing else
};

// `magnitude` is the size of the objective, for scaling.
Generated generate(const System& system, const Tally& tally, const std::vector<CellCurve>& curves,
                   double magnitude);

}  // namespace evenhand
