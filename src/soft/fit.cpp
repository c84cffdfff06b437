#include "soft/fit.h"

#include <algorithm>
#include <cmath>

#include "soft/vertex.h"
#include "soft/whiten.h"

namespace evenhand::soft {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// How ties are decided: of all ways to meet the constraints, the one with the least sum of n q^2.
// It is the ramp problem with no benefit and width 1, on the tied rows alone; and it is what narrow
// ramps tend to, (h - w (mu - gamma nu)) / gamma = w nu where h = w mu.
VectorXd tie_prices(const RampProblem& problem, const Atoms& atoms, const SoftStratum& stratum) {
  RampProblem ties;
  ties.columns = problem.columns;
  ties.bound = problem.bound;
  double weight = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const double z = stratum.reduced(atoms.h[i], atoms.of(i));
    const double* const w = problem.w.data() + i * problem.columns;
    if (z > stratum.tie_width) {
      for (std::size_t k = 0; k < problem.columns; ++k) {
        ties.bound[static_cast<Index>(k)] -= problem.n[i] * w[k];
      }
    } else if (z >= -stratum.tie_width) {
      ties.h.push_back(0);
      ties.n.push_back(problem.n[i]);
      ties.w.insert(ties.w.end(), w, w + problem.columns);
      weight += problem.n[i];
    }
  }
  VectorXd none = VectorXd::Zero(static_cast<Index>(problem.columns));
  if (ties.size() == 0) return none;
  for (double& n : ties.n) n /= weight;
  ties.bound /= weight;
  return -minimise_dual(ties, 1, none, 1e-14);
}

}  // namespace

SoftStratum fit_stratum(const Atoms& atoms, double gamma) {
  SoftStratum out;
  out.means = atoms.means;
  out.multipliers.assign(atoms.columns, 0);
  if (gamma == 0) out.tie_slopes.assign(atoms.columns, 0);
  const Whitened whitened = whiten(atoms);
  if (whitened.problem.columns == 0) return out;
  if (gamma > 0) {
    out.multipliers = whitened.multipliers(narrow_ramp(whitened.problem, gamma, 1e-14));
    return out;
  }
  out.multipliers = whitened.multipliers(best_vertex(whitened.problem));
  // Wide against rounding in z, narrow against what it may cost: so much per unit weight.
  double size = 0;
  for (const double h : atoms.h) size = std::max(size, std::abs(h));
  for (const double mu : out.multipliers) size += std::abs(mu);
  out.tie_width = 0x1p-42 * size;
  out.tie_slopes = whitened.multipliers(tie_prices(whitened.problem, atoms, out));
  return out;
}

}  // namespace evenhand::soft
