#include "solve/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

namespace evenhand {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The dual as a function of the multipliers, everything per unit of weight. Rows that say "at
// least" are kept negated, so that bounded multipliers are >= 0.
class Dual {
 public:
  Dual(const Tally& tally, const std::vector<CellCurve>& curves)
      : tally_(tally), curves_(curves), weight_(tally.total().n) {}

  void add(Constraint constraint) {
    const double sign = constraint.sense == Sense::at_least ? -1 : 1;
    std::vector<Coefficient> list = coefficients(constraint, tally_);
    for (Coefficient& a : list) {
      a.n *= sign;
      a.n1 *= sign;
    }
    rows_.push_back({std::move(constraint), std::move(list), sign});
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
      out.value += y[i] * row(i).sign * row(i).constraint.bound;
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
      out.gradient[i] =
          row(i).sign * row(i).constraint.bound - value_of(row(i).coefficients, out.reach);
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
      out.back().multiplier = row(i).sign * weight_ * y[i];
    }
    return out;
  }
  bool knows(const Constraint& constraint) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Row& r) {
      return r.constraint.text == constraint.text && r.constraint.sense == constraint.sense;
    });
  }

 private:
  struct Row {
    Constraint constraint;
    std::vector<Coefficient> coefficients;
    double sign;
  };
  const Row& row(Eigen::Index i) const { return rows_[static_cast<std::size_t>(i)]; }

  const Tally& tally_;
  const std::vector<CellCurve>& curves_;
  double weight_;
  std::vector<Row> rows_;
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

// Newton's method with an exact search along each direction. The dual is convex and piecewise
// quadratic; its Hessian is often singular (no score on the ramp), so that a little of the identity
// is added, as Levenberg does, and the search along the direction finds the right length. It goes
// by slopes alone: values stop telling points apart long before the gradient is as small as we need
// it.
class Descent {
 public:
  Descent(const Dual& dual, VectorXd y, double gamma)
      : dual_(dual), gamma_(gamma), y_(std::move(y)), now_(dual.at(y_, gamma)) {}

  VectorXd run(double precision, int most_steps) && {
    VectorXd best = y_;
    double least = residual(dual_, y_, now_.gradient);
    int idle = 0;  // steps since the last best, near the end
    for (int step = 0; step < most_steps && least > precision && idle < 60; ++step) {
      if (!improve()) break;
      const double reached = residual(dual_, y_, now_.gradient);
      if (reached < least) {
        least = reached;
        best = y_;
        idle = 0;
      } else if (least < 1e-6) {
        // Solving with a nearly singular Hessian is what is left to go wrong.
        ++idle;
        if (idle % 4 == 0) damping_ = std::min(1.0, damping_ * 100);
      }
    }
    return best;
  }

 private:
  // The direction, 0 for multipliers at a bound that they would have to cross.
  VectorXd direction() const {
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      if (!dual_.bounded(i) || y_[i] > 0 || now_.gradient[i] < 0) free.push_back(i);
    }
    for (;;) {
      MatrixXd hessian = now_.hessian(free, free);
      hessian.diagonal().array() += damping_ * (1 + hessian.diagonal().maxCoeff());
      const VectorXd step = hessian.ldlt().solve(-now_.gradient(free));
      VectorXd out = VectorXd::Zero(y_.size());
      std::vector<Eigen::Index> kept;
      for (std::size_t a = 0; a < free.size(); ++a) {
        const double d = step[static_cast<Eigen::Index>(a)];
        if (dual_.bounded(free[a]) && y_[free[a]] == 0 && d < 0) continue;
        kept.push_back(free[a]);
        out[free[a]] = d;
      }
      if (kept.size() == free.size() || kept.empty()) return out;
      free = std::move(kept);
    }
  }

  bool improve() {
    VectorXd d = direction();
    if (!(now_.gradient.dot(d) < 0)) {  // rounding: go straight down
      for (Eigen::Index i = 0; i < d.size(); ++i) {
        const bool held = dual_.bounded(i) && y_[i] == 0 && now_.gradient[i] > 0;
        d[i] = held ? 0 : -now_.gradient[i];
      }
      if (!(now_.gradient.dot(d) < 0)) return false;
    }
    double most = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < d.size(); ++i) {
      if (dual_.bounded(i) && d[i] < 0) most = std::min(most, y_[i] / -d[i]);
    }
    const double length = search(d, most);
    if (!(length > 0)) return false;
    // A direction that was much too long relied on a Hessian that does not hold; one of the right
    // length may rely on it more. Little damping would let multipliers drift far along directions
    // in which nothing changes.
    if (length < 0.1 && length < most) damping_ = std::min(1.0, damping_ * 10);
    if (length > 0.5) damping_ = std::max(1e-12, damping_ / 10);
    for (Eigen::Index i = 0; i < d.size(); ++i) {
      const bool arrives = dual_.bounded(i) && d[i] < 0 && y_[i] / -d[i] <= length;
      y_[i] = arrives ? 0 : y_[i] + length * d[i];
    }
    now_ = dual_.at(y_, gamma_);
    return true;
  }

  // Where the slope along d vanishes, or `most` if it falls until there.
  double search(const VectorXd& d, double most) const {
    const double start = now_.gradient.dot(d);
    const auto slope = [&](double t) { return dual_.at(y_ + t * d, gamma_).gradient.dot(d); };
    double low = 0;
    double at_low = start;
    double high = std::min(1.0, most);
    double at_high = slope(high);
    while (at_high < 0 && high < most && high < 1000) {
      if (at_high > 0.01 * start) return high;
      low = high;
      at_low = at_high;
      high = std::min(4 * high, most);
      at_high = slope(high);
    }
    if (at_high <= 0) return high;
    // Regula falsi with the Illinois correction: the slope rises and is piecewise linear.
    for (int round = 0; round < 100; ++round) {
      const double t = low + (high - low) * (at_low / (at_low - at_high));
      if (!(t > low && t < high)) break;
      const double at = slope(t);
      if (std::abs(at) <= 0.01 * -start) return t;
      if (at < 0) {
        low = t;
        at_low = at;
        at_high /= 2;
      } else {
        high = t;
        at_high = at;
        at_low /= 2;
      }
    }
    return low > 0 ? low : high;
  }

  double damping_ = 1e-4;  // relative
  const Dual& dual_;
  double gamma_;
  VectorXd y_;
  Dual::Value now_;
};

VectorXd minimise(const Dual& dual, VectorXd y, double gamma, double precision, int most_steps) {
  return Descent(dual, std::move(y), gamma).run(precision, most_steps);
}

}  // namespace

std::vector<Constraint> minimise_dual(const System& system, const Tally& tally,
                                      const std::vector<CellCurve>& curves, double gamma) {
  Dual dual(tally, curves);
  for (Constraint& constraint : standing_constraints(system)) dual.add(std::move(constraint));
  for (const Constraint& constraint : system.requirements) dual.add(constraint);
  VectorXd y = VectorXd::Zero(dual.size());
  // A wide ramp is easy, and its answer a good start for a narrower one.
  for (double wide = std::max(1.0, gamma); wide > gamma; wide *= 0.3) {
    y = minimise(dual, y, wide, 1e-6, 50);
  }
  constexpr int most_rounds = 1000;
  for (int round = 0; round < most_rounds; ++round) {
    y = minimise(dual, y, gamma, 1e-13, 1000);
    bool added = false;
    for (Constraint& constraint :
         violated_pairs(system, tally, dual.at(y, gamma, false).reach, 1e-12)) {
      if (dual.knows(constraint)) continue;
      dual.add(std::move(constraint));
      added = true;
    }
    if (!added) break;
    VectorXd longer = VectorXd::Zero(dual.size());
    longer.head(y.size()) = y;
    y = std::move(longer);
  }
  return dual.constraints(y);
}

}  // namespace evenhand
