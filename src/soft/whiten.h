// The constraints of a stratum in coordinates that are good to compute with.
#pragma once

#include <vector>

#include "soft/priced.h"
#include "soft/ramp_dual.h"

namespace evenhand::soft {

// w = basis' (what has a price) is such that sum n w w' is the identity. Where columns nearly
// depend on each other, as when all groups are listed, neither the linear program nor Newton's
// method would otherwise see straight.
struct Whitened {
  Eigen::MatrixXd basis;  // prices x independent ones
  RampProblem problem;

  std::vector<double> multipliers(const Eigen::VectorXd& mu) const {
    const Eigen::VectorXd out = basis * mu;
    return {out.begin(), out.end()};
  }
};

Whitened whiten(const Priced& priced);

}  // namespace evenhand::soft
