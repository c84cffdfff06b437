// The dual of soft parity where decisions are ramps: smooth, convex, in as few dimensions as there
// are columns.
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Dense>

namespace evenhand::soft {

// Maximise sum n (h q - gamma/2 q^2) over q in [0, 1], subject to sum n w q = bound. Weights add up
// to about 1, and so do the squares n w^2 of a column.
struct RampProblem {
  std::size_t columns = 0;
  std::vector<double> h;
  std::vector<double> n;
  std::vector<double> w;  // of row i: w[i * columns] ...
  Eigen::VectorXd bound;
  // Sums within these instead of at `bound`, for gamma = 0; infinity: no limit. Empty: at `bound`.
  std::vector<double> low = {};
  std::vector<double> high = {};

  std::size_t size() const noexcept { return h.size(); }
  double reduced(std::size_t i, const Eigen::VectorXd& mu) const noexcept {
    double z = h[i];
    const double* const row = w.data() + i * columns;
    for (std::size_t j = 0; j < columns; ++j) z -= row[j] * mu[static_cast<Eigen::Index>(j)];
    return z;
  }
  // Every so many rows, evenly, with their weights made up for.
  RampProblem sample(std::size_t every) const;
};

// The multipliers at which no constraint is violated by more than `precision`, as nearly as they
// can be found from `start`. gamma > 0.
Eigen::VectorXd minimise_dual(const RampProblem& problem, double gamma, Eigen::VectorXd start,
                              double precision);

// The same from nowhere: a wide ramp first, then narrower ones, few rows before all.
Eigen::VectorXd narrow_ramp(const RampProblem& problem, double gamma, double precision);

}  // namespace evenhand::soft
