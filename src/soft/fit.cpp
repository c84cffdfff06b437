#include "soft/fit.h"

#include <algorithm>
#include <cmath>

#include "soft/vertex.h"
#include "soft/whiten.h"

namespace evenhand::soft {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

double reduced(const Priced& priced, std::size_t i, const SoftStratum& stratum) {
  double z = priced.atoms.h[i];
  for (std::size_t k = 0; k < priced.prices.size(); ++k) {
    z -= stratum.multipliers[k] * priced.of(i, k);
  }
  return z;
}

// How ties are decided: of all ways to meet these equations, the one with the least sum of n q^2.
// It is the ramp problem with no benefit and width 1, on the tied rows alone; and it is what narrow
// ramps tend to, (h - w (mu - gamma nu)) / gamma = w nu where h = w mu. `problem` has the rows of
// some of the prices, and what their sums are to be.
VectorXd tie_prices(const RampProblem& problem, const Priced& priced, const SoftStratum& stratum) {
  RampProblem ties;
  ties.columns = problem.columns;
  ties.bound = problem.bound;
  double weight = 0;
  for (std::size_t i = 0; i < priced.atoms.size(); ++i) {
    const double z = reduced(priced, i, stratum);
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

// Wide against rounding in z, narrow against what it may cost: so much per unit weight.
double tie_width_of(const Priced& priced, const SoftStratum& stratum) {
  double size = 0;
  for (const double h : priced.atoms.h) size = std::max(size, std::abs(h));
  for (const double mu : stratum.multipliers) size += std::abs(mu);
  return 0x1p-42 * size;
}

// Sums within limits. Rows of weight n / weight and columns of one size; those of other prices are
// left out.
struct Bounded {
  RampProblem problem;
  std::vector<std::size_t> price;  // of each column
  std::vector<double> norm;        // it was divided by
};

Bounded bounded_problem(const Priced& priced) {
  Bounded out;
  const Atoms& atoms = priced.atoms;
  RampProblem& problem = out.problem;
  problem.h = atoms.h;
  for (const double n : atoms.n) problem.n.push_back(n / atoms.weight);
  for (std::size_t k = 0; k < priced.prices.size(); ++k) {
    if (!priced.compared[k]) continue;
    double square = 0;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      square += problem.n[i] * priced.of(i, k) * priced.of(i, k);
    }
    const double norm = std::sqrt(square);
    if (!(norm > 0)) continue;
    out.price.push_back(k);
    out.norm.push_back(norm);
    const Limits& limits = priced.limits[k];
    problem.low.push_back(limits.low / limits.scale / norm);
    problem.high.push_back(limits.high / limits.scale / norm);
  }
  problem.columns = out.price.size();
  problem.bound = VectorXd::Zero(static_cast<Index>(problem.columns));
  problem.w.reserve(atoms.size() * problem.columns);
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t j = 0; j < problem.columns; ++j) {
      problem.w.push_back(priced.of(i, out.price[j]) / out.norm[j]);
    }
  }
  return out;
}

// Those columns, with these values for the sums.
RampProblem some_columns(const RampProblem& problem, const std::vector<std::size_t>& columns,
                         const std::vector<double>& values) {
  RampProblem out;
  out.columns = columns.size();
  out.h = problem.h;
  out.n = problem.n;
  out.bound = Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
  out.w.reserve(problem.size() * columns.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    for (const std::size_t j : columns) out.w.push_back(problem.w[i * problem.columns + j]);
  }
  return out;
}

// Sums of w q, of all columns, if ties are decided by these slopes.
std::vector<double> sums_of(const RampProblem& problem, const Priced& priced,
                            const SoftStratum& stratum) {
  std::vector<double> out(problem.columns);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const double z = reduced(priced, i, stratum);
    double q = z > stratum.tie_width ? 1 : 0;
    if (std::abs(z) <= stratum.tie_width) {
      for (std::size_t k = 0; k < priced.prices.size(); ++k) {
        q += stratum.tie_slopes[k] * priced.of(i, k);
      }
      q = std::clamp(q, 0.0, 1.0);
    }
    if (q == 0) continue;
    for (std::size_t j = 0; j < problem.columns; ++j) {
      out[j] += problem.n[i] * q * problem.w[i * problem.columns + j];
    }
  }
  return out;
}

// Any decision of ties is optimal that keeps the sums at the limits which have a price, and within
// the others: those that would be exceeded are kept at their limits as well.
void decide_ties(const Bounded& bounded, const Priced& priced, const VectorXd& mu,
                 SoftStratum& out) {
  const RampProblem& problem = bounded.problem;
  std::vector<std::size_t> active;
  std::vector<double> values;
  for (std::size_t j = 0; j < problem.columns; ++j) {
    const double price = mu[static_cast<Index>(j)];
    if (price == 0) continue;
    active.push_back(j);
    values.push_back(price > 0 ? problem.high[j] : problem.low[j]);
  }
  for (std::size_t round = 0; round <= problem.columns; ++round) {
    std::fill(out.tie_slopes.begin(), out.tie_slopes.end(), 0);
    if (!active.empty()) {
      const VectorXd slopes = tie_prices(some_columns(problem, active, values), priced, out);
      for (std::size_t a = 0; a < active.size(); ++a) {
        const std::size_t j = active[a];
        out.tie_slopes[bounded.price[j]] = slopes[static_cast<Index>(a)] / bounded.norm[j];
      }
    }
    const std::vector<double> sums = sums_of(problem, priced, out);
    std::size_t worst = problem.columns;
    double by = 1e-13;
    for (std::size_t j = 0; j < problem.columns; ++j) {
      if (std::find(active.begin(), active.end(), j) != active.end()) continue;
      const double over = std::max(sums[j] - problem.high[j], problem.low[j] - sums[j]);
      if (over > by) {
        by = over;
        worst = j;
      }
    }
    if (worst == problem.columns) return;
    active.push_back(worst);
    values.push_back(sums[worst] > problem.high[worst] ? problem.high[worst] : problem.low[worst]);
  }
}

}  // namespace

SoftStratum fit_stratum(const Priced& priced, double gamma) {
  SoftStratum out;
  out.means = priced.means;
  out.multipliers.assign(priced.prices.size(), 0);
  if (gamma == 0) out.tie_slopes.assign(priced.prices.size(), 0);
  if (priced.bounded) {
    const Bounded bounded = bounded_problem(priced);
    if (bounded.problem.columns == 0) return out;
    const VectorXd mu = best_vertex(bounded.problem);
    for (std::size_t j = 0; j < bounded.price.size(); ++j) {
      out.multipliers[bounded.price[j]] = mu[static_cast<Index>(j)] / bounded.norm[j];
    }
    out.tie_width = tie_width_of(priced, out);
    decide_ties(bounded, priced, mu, out);
    return out;
  }
  const Whitened whitened = whiten(priced);
  if (whitened.problem.columns == 0) return out;
  if (gamma > 0) {
    out.multipliers = whitened.multipliers(narrow_ramp(whitened.problem, gamma, 1e-14));
    return out;
  }
  out.multipliers = whitened.multipliers(best_vertex(whitened.problem));
  out.tie_width = tie_width_of(priced, out);
  out.tie_slopes = whitened.multipliers(tie_prices(whitened.problem, priced, out));
  return out;
}

}  // namespace evenhand::soft
