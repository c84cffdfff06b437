#include "solve/dual.h"

#include <algorithm>

namespace evenhand {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Dual::Dual(const Population& population, const std::vector<const CellCurve*>& curves)
    : population_(population), curves_(curves), seen_(curves.size()) {
  for (const CellTotal& cell : population.cells) weight_ += cell.n;
}

void Dual::add(Constraint constraint) {
  Row row = row_of(constraint, population_);
  const double scale = (constraint.sense == Sense::at_least ? -1 : 1) / row.unit;
  for (Coefficient& a : row.coefficients) {
    a.n *= scale;
    a.n1 *= scale;
    auto& list = seen_[a.cell];
    if (list.empty() || list.back().first != size()) list.push_back({size(), {}});
    list.back().second.n += a.n;
    list.back().second.n1 += a.n1;
  }
  rows_.push_back({std::move(constraint), std::move(row.coefficients), scale * row.bound, scale});
}

bool Dual::knows(const Constraint& constraint) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const Kept& r) {
    return r.constraint.text == constraint.text && r.constraint.sense == constraint.sense;
  });
}

std::vector<Reach> Dual::Point::reach() const {
  std::vector<Reach> out;
  for (const CellCurve::Smooth& cell : cells) out.push_back(cell.reach);
  return out;
}

Dual::Point Dual::at(const VectorXd& y, double gamma) const {
  Point out;
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    CellPrice price;
    for (const auto& [i, a] : seen_[c]) {
      price.n += weight_ * y[i] * a.n;
      price.n1 += weight_ * y[i] * a.n1;
    }
    out.cells.push_back(curves_[c]->smooth(price, gamma));
  }
  const std::vector<Reach> reach = out.reach();
  out.gradient.resize(size());
  for (Eigen::Index i = 0; i < size(); ++i) {
    out.gradient[i] = row(i).bound - value_of(row(i).coefficients, reach);
  }
  return out;
}

MatrixXd Dual::hessian(const Point& point) const {
  MatrixXd out = MatrixXd::Zero(size(), size());
  second_derivatives(point,
                     [&](Eigen::Index i, Eigen::Index j, double part) { out(i, j) += part; });
  return out;
}

std::vector<Constraint> Dual::constraints(const VectorXd& y) const {
  std::vector<Constraint> out;
  for (Eigen::Index i = 0; i < size(); ++i) {
    out.push_back(row(i).constraint);
    out.back().multiplier = multiplier(i, y[i]);
  }
  return out;
}

}  // namespace evenhand
