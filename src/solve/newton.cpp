#include "solve/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include "support/illinois.h"

namespace evenhand {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The dual as a function of the multipliers, everything per unit of weight. Rows that say "at
// least" are kept negated, so that bounded multipliers are >= 0.
class Dual {
 public:
  Dual(const Population& population, const std::vector<CellCurve>& curves)
      : population_(population), curves_(curves) {
    for (const CellTotal& cell : population.cells) weight_ += cell.n;
  }

  void add(Constraint constraint) {
    Row row = row_of(constraint, population_);
    const double scale = (constraint.sense == Sense::at_least ? -1 : 1) / row.unit;
    for (Coefficient& a : row.coefficients) {
      a.n *= scale;
      a.n1 *= scale;
    }
    rows_.push_back({std::move(constraint), std::move(row.coefficients), scale * row.bound, scale});
  }

  Eigen::Index size() const { return static_cast<Eigen::Index>(rows_.size()); }
  bool bounded(Eigen::Index i) const { return row(i).constraint.sense != Sense::equal; }
  double weight() const { return weight_; }

  struct Value {
    double value = 0;
    VectorXd gradient;  // bound - value of each row, in units of a rate
    MatrixXd hessian;
    std::vector<Reach> reach;
  };
  Value at(const VectorXd& y, double gamma, bool derivatives = true) const {
    std::vector<CellPrice> price(curves_.size());
    Value out;
    for (Eigen::Index i = 0; i < size(); ++i) {
      out.value += y[i] * row(i).bound;
      for (const Coefficient& a : row(i).coefficients) {
        price[a.cell].n += weight_ * y[i] * a.n;
        price[a.cell].n1 += weight_ * y[i] * a.n1;
      }
    }
    std::vector<CellCurve::Smooth> cells(curves_.size());
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      cells[c] = curves_[c].smooth(price[c], gamma);
      out.value += cells[c].value / weight_;
      out.reach.push_back(cells[c].reach);
    }
    if (!derivatives) return out;
    out.gradient.resize(size());
    out.hessian = MatrixXd::Zero(size(), size());
    // Which rows see a cell, so that the Hessian takes only these pairs.
    std::vector<std::vector<std::pair<Eigen::Index, CellPrice>>> seen(curves_.size());
    for (Eigen::Index i = 0; i < size(); ++i) {
      out.gradient[i] = row(i).bound - value_of(row(i).coefficients, out.reach);
      for (const Coefficient& a : row(i).coefficients) {
        auto& list = seen[a.cell];
        if (list.empty() || list.back().first != i) list.push_back({i, {}});
        list.back().second.n += a.n;
        list.back().second.n1 += a.n1;
      }
    }
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      const CellCurve::Smooth& s = cells[c];
      for (const auto& [i, a] : seen[c]) {
        for (const auto& [j, b] : seen[c]) {
          out.hessian(i, j) += weight_ * (a.n * (s.by_n_n * b.n + s.by_n_n1 * b.n1) +
                                          a.n1 * (s.by_n_n1 * b.n + s.by_n1_n1 * b.n1));
        }
      }
    }
    return out;
  }

  std::vector<Constraint> constraints(const VectorXd& y) const {
    std::vector<Constraint> out;
    for (Eigen::Index i = 0; i < size(); ++i) {
      out.push_back(row(i).constraint);
      out.back().multiplier = row(i).scale * weight_ * y[i];
    }
    return out;
  }
  bool knows(const Constraint& constraint) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Kept& r) {
      return r.constraint.text == constraint.text && r.constraint.sense == constraint.sense;
    });
  }

 private:
  struct Kept {
    Constraint constraint;
    std::vector<Coefficient> coefficients;  // both scaled
    double bound;
    double scale;  // from the constraint to this
  };
  const Kept& row(Eigen::Index i) const { return rows_[static_cast<std::size_t>(i)]; }

  const Population& population_;
  const std::vector<CellCurve>& curves_;
  double weight_ = 0;
  std::vector<Kept> rows_;
};

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
  Dual::Value at(const VectorXd& y) const {
    Dual::Value value = dual_.at(y, gamma_);
    value.gradient += trace * y;
    value.hessian.diagonal().array() += trace;
    return value;
  }

  bool improve() {
    // No score on the ramp makes the Hessian singular. What is added for that is taken relative to
    // the point at hand, as Levenberg does, so that it shortens steps but moves no optimum.
    MatrixXd h = now_.hessian;
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
  Dual::Value now_;
  std::vector<bool> bounded_;
};

// From wide ramps to the one asked for, with all the comparisons that it takes.
struct Attempt {
  Dual dual;
  VectorXd y;
  double residual;
};
Attempt attempt(const System& system, const std::vector<CellCurve>& curves, double gamma,
                double most_damping) {
  Dual dual(system.population, curves);
  for (Constraint& constraint : standing_constraints(system)) dual.add(std::move(constraint));
  for (const Constraint& constraint : system.requirements) dual.add(constraint);
  VectorXd y = VectorXd::Zero(dual.size());
  // A wide ramp is easy, and its answer a good start for a narrower one.
  for (double wide = std::max(1.0, gamma); wide > gamma; wide *= 0.3) {
    y = Descent(dual, y, wide, most_damping).run(1e-6, 50);
  }
  constexpr int most_rounds = 1000;
  for (int round = 0; round < most_rounds; ++round) {
    y = Descent(dual, y, gamma, most_damping).run(1e-13, 1000);
    bool added = false;
    for (Constraint& constraint : violated_pairs(system, dual.at(y, gamma, false).reach, 1e-12)) {
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

}  // namespace

std::vector<Constraint> minimise_dual(const System& system, const std::vector<CellCurve>& curves,
                                      double gamma) {
  // Little damping follows narrow valleys best, but may wander off where rows nearly depend on each
  // other; much damping is slow in the first case and safe in the second.
  const Attempt quick = attempt(system, curves, gamma, 1e-6);
  constexpr double enough = 1e-11;
  if (quick.residual <= enough) return quick.dual.constraints(quick.y);
  const Attempt safe = attempt(system, curves, gamma, 1);
  const Attempt& better = safe.residual < quick.residual ? safe : quick;
  return better.dual.constraints(better.y);
}

}  // namespace evenhand
