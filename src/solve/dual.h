// The dual of several constraints with gamma > 0, as a function of their multipliers: convex and
// piecewise quadratic.
#pragma once

#include <utility>
#include <vector>

#include <Eigen/Dense>

#include "solve/chain.h"
#include "solve/constraints.h"

namespace evenhand {

// Everything per unit of weight. Rows that say "at least" are kept negated, so that bounded
// multipliers are >= 0.
class Dual {
 public:
  // Refers to both.
  Dual(const Population& population, const std::vector<const CellCurve*>& curves);

  void add(Constraint constraint);

  Eigen::Index size() const { return static_cast<Eigen::Index>(rows_.size()); }
  bool bounded(Eigen::Index i) const { return row(i).constraint.sense != Sense::equal; }
  double weight() const { return weight_; }
  const Constraint& constraint(Eigen::Index i) const { return row(i).constraint; }
  bool knows(const Constraint& constraint) const;

  struct Point {
    Eigen::VectorXd gradient;  // bound - value of each row, in units of a rate
    std::vector<CellCurve::Smooth> cells;

    std::vector<Reach> reach() const;
  };
  Point at(const Eigen::VectorXd& y, double gamma) const;
  Eigen::MatrixXd hessian(const Point& point) const;

  // Calls add(i, j, part) for the parts of the second derivative by y_i and y_j.
  template <class Add>
  void second_derivatives(const Point& point, Add add) const {
    for (std::size_t c = 0; c < point.cells.size(); ++c) {
      const CellCurve::Smooth& s = point.cells[c];
      for (const auto& [i, a] : seen_[c]) {
        const double by_n = weight_ * (a.n * s.by_n_n + a.n1 * s.by_n_n1);
        const double by_n1 = weight_ * (a.n * s.by_n_n1 + a.n1 * s.by_n1_n1);
        for (const auto& [j, b] : seen_[c]) add(i, j, by_n * b.n + by_n1 * b.n1);
      }
    }
  }

  // From multipliers as constraints have them to those of this function, and back.
  double scaled(Eigen::Index i, double multiplier) const {
    return multiplier / (row(i).scale * weight_);
  }
  double multiplier(Eigen::Index i, double y) const { return row(i).scale * weight_ * y; }
  std::vector<Constraint> constraints(const Eigen::VectorXd& y) const;

 private:
  struct Kept {
    Constraint constraint;
    std::vector<Coefficient> coefficients;  // both scaled
    double bound;
    double scale;  // from the constraint to this
  };
  const Kept& row(Eigen::Index i) const { return rows_[static_cast<std::size_t>(i)]; }

  const Population& population_;
  const std::vector<const CellCurve*>& curves_;
  double weight_ = 0;
  std::vector<Kept> rows_;
  // Which rows see a cell, and how.
  std::vector<std::vector<std::pair<Eigen::Index, CellPrice>>> seen_;
};

}  // namespace evenhand
