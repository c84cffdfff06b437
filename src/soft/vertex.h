// gamma = 0: the linear program over all rows, of which only those near the threshold matter.
#pragma once

#include "soft/ramp_dual.h"

namespace evenhand::soft {

// Optimal multipliers of the problem with gamma = 0 and bound 0, or within its limits, at a vertex
// of the dual: as many rows as there are independent columns with a price have a reduced benefit of
// 0, up to rounding. A limit that does not bind has the multiplier 0 exactly.
Eigen::VectorXd best_vertex(const RampProblem& problem);

}  // namespace evenhand::soft
