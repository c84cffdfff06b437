#include "soft/ramp_dual.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/illinois.h"

namespace evenhand::soft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Derivatives {
  VectorXd gradient;  // bound - sum n w q
  MatrixXd hessian;
};

Derivatives derivatives(const RampProblem& problem, const VectorXd& mu, double gamma) {
  const std::size_t m = problem.columns;
  std::vector<double> sum(m);
  std::vector<double> square(m * m);  // lower half
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const double z = problem.reduced(i, mu);
    if (z <= 0) continue;
    const double* const w = problem.w.data() + i * m;
    const double nq = problem.n[i] * std::min(z / gamma, 1.0);
    for (std::size_t j = 0; j < m; ++j) sum[j] += nq * w[j];
    if (z >= gamma) continue;
    for (std::size_t j = 0; j < m; ++j) {
      const double nw = problem.n[i] * w[j] / gamma;
      for (std::size_t k = 0; k <= j; ++k) square[j * m + k] += nw * w[k];
    }
  }
  Derivatives out{problem.bound, MatrixXd(static_cast<Index>(m), static_cast<Index>(m))};
  for (std::size_t j = 0; j < m; ++j) {
    out.gradient[static_cast<Index>(j)] -= sum[j];
    for (std::size_t k = 0; k <= j; ++k) {
      out.hessian(static_cast<Index>(j), static_cast<Index>(k)) = square[j * m + k];
      out.hessian(static_cast<Index>(k), static_cast<Index>(j)) = square[j * m + k];
    }
  }
  return out;
}

// Where the slope along d has all but vanished; as in solve/newton.cpp it goes by slopes, since
// values stop telling points apart too early.
double search(const RampProblem& problem, double gamma, const VectorXd& mu, const VectorXd& d,
              double start) {
  const auto slope = [&](double t) {
    return derivatives(problem, mu + t * d, gamma).gradient.dot(d);
  };
  double low = 0;
  double at_low = start;
  double high = 1;
  double at_high = slope(high);
  while (at_high < 0 && high < 0x1p40) {
    if (at_high > 0.1 * start) return high;
    low = high;
    at_low = at_high;
    high *= 2;
    at_high = slope(high);
  }
  if (std::abs(at_high) <= 0.1 * -start) return high;
  return illinois(slope, low, at_low, high, at_high, 0.1 * -start);
}

}  // namespace

RampProblem RampProblem::sample(std::size_t every) const {
  RampProblem out;
  out.columns = columns;
  out.bound = bound;
  out.low = low;
  out.high = high;
  for (std::size_t i = every / 2; i < size(); i += every) {
    out.h.push_back(h[i]);
    out.n.push_back(n[i] * static_cast<double>(every));
    out.w.insert(out.w.end(), w.begin() + static_cast<std::ptrdiff_t>(i * columns),
                 w.begin() + static_cast<std::ptrdiff_t>((i + 1) * columns));
  }
  return out;
}

VectorXd minimise_dual(const RampProblem& problem, double gamma, VectorXd start, double precision) {
  // As if all rows were on the ramp: added in part where too few are, it keeps steps within reason,
  // and moves no optimum (Levenberg).
  MatrixXd whole = MatrixXd::Zero(start.size(), start.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const Eigen::Map<const VectorXd> w(problem.w.data() + i * problem.columns, start.size());
    whole.selfadjointView<Eigen::Lower>().rankUpdate(w, problem.n[i] / gamma);
  }
  whole = whole.selfadjointView<Eigen::Lower>();
  VectorXd mu = std::move(start);
  VectorXd best = mu;
  double least = std::numeric_limits<double>::infinity();
  double damping = 1e-4;
  int idle = 0;
  constexpr int most_steps = 500;
  constexpr int most_idle = 30;
  for (int step = 0; step < most_steps; ++step) {
    const Derivatives now = derivatives(problem, mu, gamma);
    const double violated = now.gradient.cwiseAbs().maxCoeff();
    idle = violated < least ? 0 : idle + 1;
    if (violated < least) {
      least = violated;
      best = mu;
    }
    if (violated <= precision || idle == most_idle) break;
    // Where tied rows leave a direction open there is no reason to go there: the shortest step.
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> system(now.hessian.rows(), now.hessian.cols());
    system.setThreshold(1e-12);
    system.compute(now.hessian + damping * whole);
    const VectorXd d = system.solve(-now.gradient);
    const double slope = now.gradient.dot(d);
    if (!(slope < 0)) break;
    const double length = search(problem, gamma, mu, d, slope);
    if (!(length > 0)) break;
    if (length < 0.1) damping = std::min(1.0, damping * 10);
    if (length > 0.5) damping = std::max(1e-10, damping / 10);
    mu += length * d;
  }
  return best;
}

VectorXd narrow_ramp(const RampProblem& problem, double gamma, double precision) {
  constexpr std::size_t few = 10'000;
  const double widest = std::max(gamma, 1.0);
  VectorXd mu = VectorXd::Zero(static_cast<Index>(problem.columns));
  double width = widest;
  if (problem.size() > 4 * few) {
    const RampProblem sample = problem.sample(problem.size() / few);
    // Narrower than this the sample would speak of itself only.
    const double enough = std::max(gamma, 0.01);
    for (; width > enough; width *= 0.3) mu = minimise_dual(sample, width, mu, 1e-4);
  }
  for (; width > gamma; width *= 0.3) mu = minimise_dual(problem, width, mu, 1e-4);
  return minimise_dual(problem, gamma, mu, precision);
}

}  // namespace evenhand::soft
