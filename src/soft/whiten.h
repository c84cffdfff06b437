// The constraints of a stratum in coordinates that are good to compute with.
#pragma once

#include <vector>

#include "soft/atoms.h"
#include "soft/ramp_dual.h"

namespace evenhand::soft {

// Whether a column says anything about the rows of a stratum.
bool differs(const Atoms& atoms, std::size_t column);

// w = basis' (g - mean) is such that sum n w w' is the identity. Where columns nearly depend on
// each other, as when all groups are listed, neither the linear program nor Newton's method would
// otherwise see straight.
struct Whitened {
  Eigen::MatrixXd basis;  // columns x independent ones
  RampProblem problem;

  std::vector<double> multipliers(const Eigen::VectorXd& mu) const {
    const Eigen::VectorXd out = basis * mu;
    return {out.begin(), out.end()};
  }
};

Whitened whiten(const Atoms& atoms);

}  // namespace evenhand::soft
