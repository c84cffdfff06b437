#include "solve/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <Eigen/Dense>

#include "solve/barrier.h"
#include "solve/dual.h"
#include "support/illinois.h"

namespace evenhand {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// What keeps y from being optimal: the gradient, but for bounds that hold it back.
double residual(const Dual& dual, const VectorXd& y, const VectorXd& gradient) {
  double worst = 0;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const double g = gradient[i];
    worst = std::max(worst, dual.bounded(i) ? std::abs(std::min(g, y[i])) : std::abs(g));
  }
  return worst;
}

// The least of 1/2 x'Hx - r'x over x that are >= 0 where bounded: Lawson and Hanson's active set.
// H is positive definite; `start` is feasible and says which variables to begin with.
VectorXd bounded_quadratic(const MatrixXd& h, const VectorXd& r, const VectorXd& start,
                           const std::vector<bool>& bounded) {
  const auto size = static_cast<Eigen::Index>(bounded.size());
  const auto is_bounded = [&](Eigen::Index i) { return bounded[static_cast<std::size_t>(i)]; };
  VectorXd x = start;
  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!is_bounded(i) || x[i] > 0) free.push_back(i);
  }
  const auto most_changes = 3 * static_cast<int>(size) + 30;
  for (int change = 0; change < most_changes; ++change) {
    const VectorXd wanted = h(free, free).ldlt().solve(r(free));
    // Towards it, as far as no bound is crossed.
    double share = 1;
    std::size_t first = free.size();
    for (std::size_t a = 0; a < free.size(); ++a) {
      const double to = wanted[static_cast<Eigen::Index>(a)];
      if (!is_bounded(free[a]) || to >= 0) continue;
      const double until = x[free[a]] / (x[free[a]] - to);
      if (until < share || first == free.size()) {
        share = std::min(share, until);
        first = a;
      }
    }
    for (std::size_t a = 0; a < free.size(); ++a) {
      x[free[a]] += share * (wanted[static_cast<Eigen::Index>(a)] - x[free[a]]);
    }
    if (first < free.size()) {
      x[free[first]] = 0;
      free.erase(free.begin() + static_cast<std::ptrdiff_t>(first));
      continue;
    }
    // Release the variable that gains most by leaving its bound.
    const VectorXd gain = r - h * x;
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < size; ++i) {
      const bool held = is_bounded(i) && std::find(free.begin(), free.end(), i) == free.end();
      if (held && gain[i] > 1e-15 && (best < 0 || gain[i] > gain[best])) best = i;
    }
    if (best < 0) break;
    free.push_back(best);
  }
  return x;
}

// Newton's method: the dual is convex and piecewise quadratic. Each step solves the quadratic piece
// at hand, bounds included, and then searches along the way there; the search goes by slopes alone,
// since values stop telling points apart long before the gradient is as small as we need it.
class Descent {
 public:
  // Steps are damped by at most so much, relative to the Hessian.
  Descent(const Dual& dual, VectorXd y, double gamma, double most_damping)
      : dual_(dual),
        gamma_(gamma),
        most_damping_(most_damping),
        damping_(std::min(1e-4, most_damping)),
        y_(std::move(y)),
        now_(at(y_)) {
    for (Eigen::Index i = 0; i < y_.size(); ++i) bounded_.push_back(dual.bounded(i));
  }

  VectorXd run(double precision, int most_steps) && {
    VectorXd best = y_;
    double least = residual(dual_, y_, now_.gradient);
    int idle = 0;  // steps since the last best, near the end
    for (int step = 0; step < most_steps && least > precision && idle < 40; ++step) {
      if (!improve()) break;
      const double reached = residual(dual_, y_, now_.gradient);
      if (reached < least) {
        least = reached;
        best = y_;
        idle = 0;
      } else if (least < 1e-6) {
        ++idle;
      }
    }
    return best;
  }

 private:
  // Of several optima the smallest multipliers: a trace of their square is added to the dual. Where
  // rows depend on each other nothing else would keep multipliers from drifting away.
  static constexpr double trace = 1e-14;
  Dual::Point at(const VectorXd& y) const {
    Dual::Point point = dual_.at(y, gamma_);
    point.gradient += trace * y;
    return point;
  }

  bool improve() {
    // No score on the ramp makes the Hessian singular. What is added for that is taken relative to
    // the point at hand, as Levenberg does, so that it shortens steps but moves no optimum.
    MatrixXd h = dual_.hessian(now_);
    h.diagonal().array() += trace;
    const double added = damping_ * (1 + h.diagonal().maxCoeff());
    h.diagonal().array() += added;
    const VectorXd target = bounded_quadratic(h, h * y_ - now_.gradient, y_, bounded_);
    const VectorXd d = target - y_;
    if (!(now_.gradient.dot(d) < 0)) return false;
    double most = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < d.size(); ++i) {
      if (dual_.bounded(i) && d[i] < 0) most = std::min(most, y_[i] / -d[i]);
    }
    most = std::max(most, 1.0);  // the target itself is allowed
    const double length = search(d, most);
    if (!(length > 0)) return false;
    if (length < 0.1) damping_ = std::min(most_damping_, damping_ * 10);
    if (length > 0.5) damping_ = std::max(1e-12, damping_ / 10);
    for (Eigen::Index i = 0; i < d.size(); ++i) {
      y_[i] = length == 1 ? target[i] : y_[i] + length * d[i];
      if (dual_.bounded(i)) y_[i] = std::max(0.0, y_[i]);
    }
    now_ = at(y_);
    return true;
  }

  // Where the slope along d vanishes, or `most` if it falls until there.
  double search(const VectorXd& d, double most) const {
    const double start = now_.gradient.dot(d);
    const auto slope = [&](double t) { return at(y_ + t * d).gradient.dot(d); };
    double low = 0;
    double at_low = start;
    double high = 1;
    double at_high = slope(high);
    while (at_high < 0 && high < most && high < 1000) {
      if (at_high > 0.01 * start) return high;
      low = high;
      at_low = at_high;
      high = std::min(4 * high, most);
      at_high = slope(high);
    }
    if (at_high <= 0) return high;
    return illinois(slope, low, at_low, high, at_high, 0.01 * -start);
  }

  const Dual& dual_;
  double gamma_;
  double most_damping_;
  double damping_;
  VectorXd y_;
  Dual::Point now_;
  std::vector<bool> bounded_;
};

struct Attempt {
  Dual dual;
  VectorXd y;
  double residual;
};

// To the ramp asked for, with all the comparisons that it takes.
Attempt finish(const System& system, Dual dual, VectorXd y, double gamma, double most_damping) {
  constexpr int most_rounds = 1000;
  for (int round = 0; round < most_rounds; ++round) {
    y = Descent(dual, y, gamma, most_damping).run(1e-13, 1000);
    const Dual::Point reached = dual.at(y, gamma);
    // Pairs that hold but for what keeps the others from holding exactly would not help.
    const double slack = std::clamp(10 * residual(dual, y, reached.gradient), 1e-12, 1e-10);
    bool added = false;
    for (Constraint& constraint : violated_pairs(system, reached.reach(), slack)) {
      if (dual.knows(constraint)) continue;
      dual.add(std::move(constraint));
      added = true;
    }
    if (!added) break;
    VectorXd longer = VectorXd::Zero(dual.size());
    longer.head(y.size()) = y;
    y = std::move(longer);
  }
  const double left = residual(dual, y, dual.at(y, gamma).gradient);
  return {std::move(dual), std::move(y), left};
}

// From wide ramps to the one asked for.
Attempt attempt(const System& system, const std::vector<const CellCurve*>& curves, double gamma,
                double most_damping) {
  Dual dual(system.population, curves);
  for (Constraint& constraint : standing_constraints(system)) dual.add(std::move(constraint));
  for (const Constraint& constraint : system.requirements) dual.add(constraint);
  VectorXd y = VectorXd::Zero(dual.size());
  // A wide ramp is easy, and its answer a good start for a narrower one.
  for (double wide = std::max(1.0, gamma); wide > gamma; wide *= 0.3) {
    y = Descent(dual, y, wide, most_damping).run(1e-6, 50);
  }
  return finish(system, std::move(dual), std::move(y), gamma, most_damping);
}

// From an approximate answer, which knows the pairs that matter.
Attempt attempt_from(const std::vector<Constraint>& start, const System& system,
                     const std::vector<const CellCurve*>& curves, double gamma,
                     double most_damping) {
  Dual dual(system.population, curves);
  VectorXd y(static_cast<Eigen::Index>(start.size()));
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const Constraint& constraint = start[static_cast<std::size_t>(i)];
    dual.add(constraint);
    y[i] = dual.scaled(i, constraint.multiplier);
    if (dual.bounded(i)) y[i] = std::max(0.0, y[i]);
  }
  return finish(system, std::move(dual), std::move(y), gamma, most_damping);
}

// Rates that are compared by a tolerance or a ratio: they have as many pairs as their square.
std::size_t ranged_rates(const System& system) {
  std::size_t sum = 0;
  for (const Compared& compared : system.comparisons) {
    if (range_of(compared)) sum += compared.members.size();
  }
  return sum;
}

}  // namespace

std::vector<Constraint> minimise_dual(const System& system,
                                      const std::vector<const CellCurve*>& curves, double gamma) {
  constexpr double enough = 1e-11;
  std::optional<Attempt> best;
  const auto enough_after = [&](Attempt next) {
    if (!best || next.residual < best->residual) best.emplace(std::move(next));
    return best->residual <= enough;
  };
  constexpr std::size_t few = 8;
  const bool many = ranged_rates(system) > few;
  // Little damping follows narrow valleys best, but may wander off where rows nearly depend on each
  // other; much damping is slow in the first case and safe in the second.
  constexpr double little = 1e-6;
  if (many) {
    const std::vector<Constraint> start = approximate_dual(system, curves, gamma);
    if (enough_after(attempt_from(start, system, curves, gamma, little)) ||
        enough_after(attempt_from(start, system, curves, gamma, 1))) {
      return best->dual.constraints(best->y);
    }
  }
  if (!enough_after(attempt(system, curves, gamma, little))) {
    enough_after(attempt(system, curves, gamma, 1));
  }
  return best->dual.constraints(best->y);
}

}  // namespace evenhand
