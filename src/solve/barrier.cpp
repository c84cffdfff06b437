#include "solve/barrier.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>

#include "solve/dual.h"
#include "support/illinois.h"

namespace evenhand {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A comparison whose rates lie between from_bottom * r and from_top * r + tolerance. It has two
// rows for each member, the top and the bottom; r costs nothing, so that from_top times the prices
// of all tops is from_bottom times those of all bottoms.
struct Ranged {
  std::size_t comparison;
  Range range;
  Index first_row;
  Index members;
};

class Barrier {
 public:
  Barrier(const System& system, const std::vector<const CellCurve*>& curves)
      : system_(system), dual_(system.population, curves) {
    for (Constraint& constraint : standing_constraints(system)) dual_.add(std::move(constraint));
    for (const Constraint& constraint : system.requirements) dual_.add(constraint);
    standing_ = dual_.size();
    for (std::size_t k = 0; k < system.comparisons.size(); ++k) {
      if (const auto range = range_of(system.comparisons[k])) add_range(k, *range);
    }
    start();
  }

  std::vector<Constraint> run(double gamma) && {
    // A wide ramp and a high barrier are easy, and their answers a good start for the next.
    double wide = std::max(1.0, gamma);
    constexpr int most_steps = 200;
    constexpr int most_at_once = 20;  // rounding may keep them from getting closer
    int since = 0;
    for (int step = 0; step < most_steps; ++step) {
      point_ = dual_.at(y_, wide);
      if (off() <= std::min(0.1, height_) || ++since > most_at_once) {
        since = 0;
        if (wide > gamma) {
          wide = std::max(gamma, 0.3 * wide);
        } else if (height_ > 1e-10) {
          height_ *= 0.2;
        } else {
          break;
        }
        point_ = dual_.at(y_, wide);
      }
      if (!improve(wide)) break;
    }
    return result();
  }

 private:
  void add_range(std::size_t k, const Range& range) {
    const Compared& compared = system_.comparisons[k];
    ranges_.push_back({k, range, dual_.size(), static_cast<Index>(compared.members.size())});
    for (const PooledRate& member : compared.members) {
      Constraint end;
      end.terms = {{1, measure_of(member)}};
      end.bound = range.tolerance;
      dual_.add(end);
      end.sense = Sense::at_least;
      end.bound = 0;
      dual_.add(end);
    }
  }

  void start() {
    y_ = VectorXd::Zero(dual_.size());
    slack_ = VectorXd::Zero(dual_.size());
    balance_ = MatrixXd::Zero(dual_.size(), static_cast<Index>(ranges_.size()));
    level_ = VectorXd::Constant(static_cast<Index>(ranges_.size()), 0.5);
    const double each = 0.1 / static_cast<double>(dual_.size());
    for (Index i = 0; i < standing_; ++i) {
      if (dual_.bounded(i)) y_[i] = each;
    }
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      const Ranged& ranged = ranges_[k];
      for (Index m = 0; m < ranged.members; ++m) {
        const Index top = ranged.first_row + 2 * m;
        balance_(top, static_cast<Index>(k)) = ranged.range.from_top;
        balance_(top + 1, static_cast<Index>(k)) = -ranged.range.from_bottom;
        y_[top] = each * ranged.range.from_bottom;
        y_[top + 1] = each * ranged.range.from_top;
      }
    }
    unit_ = each;
    for (Index i = 0; i < y_.size(); ++i) {
      if (dual_.bounded(i)) slack_[i] = central(i);
    }
  }

  double central(Index i) const { return unit_ * height_ / y_[i]; }

  // How far the conditions of an optimum at this height are from being met.
  double off() const {
    double worst = (point_.gradient - slack_ + balance_ * level_).lpNorm<Eigen::Infinity>();
    for (Index i = 0; i < y_.size(); ++i) {
      if (dual_.bounded(i)) worst = std::max(worst, std::abs(y_[i] * slack_[i] / unit_ - height_));
    }
    return worst;
  }

  // A step of Newton's method, with a search along its way: the barrier's value is convex.
  bool improve(double gamma) {
    const Index size = dual_.size();
    std::vector<Eigen::Triplet<double>> parts;
    dual_.second_derivatives(
        point_, [&](Index i, Index j, double part) { parts.emplace_back(i, j, part); });
    VectorXd ahead = -point_.gradient;
    const VectorXd left = point_.gradient - slack_ + balance_ * level_;
    for (Index i = 0; i < size; ++i) {
      // Where a cell has no score on its ramp nothing else holds a step back.
      const double damping = std::abs(left[i]) / std::max(y_[i], unit_);
      parts.emplace_back(i, i, damping + 1e-12 + (dual_.bounded(i) ? slack_[i] / y_[i] : 0));
      if (dual_.bounded(i)) ahead[i] += central(i);
    }
    Eigen::SparseMatrix<double> matrix(size, size);
    matrix.setFromTriplets(parts.begin(), parts.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(matrix);
    if (solver.info() != Eigen::Success) return false;
    const MatrixXd by_level = solver.solve(balance_);
    const VectorXd free = solver.solve(ahead);
    level_ = (balance_.transpose() * by_level).ldlt().solve(balance_.transpose() * free);
    const VectorXd d = free - by_level * level_;
    if (!d.allFinite() || !(ahead.dot(d) > 0)) return false;
    const double length = search(d, gamma);
    double slack_length = 1;
    VectorXd slack_step = VectorXd::Zero(size);
    for (Index i = 0; i < size; ++i) {
      if (!dual_.bounded(i)) continue;
      slack_step[i] = central(i) - slack_[i] - slack_[i] / y_[i] * d[i];
      if (slack_step[i] < 0)
        slack_length = std::min(slack_length, 0.99 * slack_[i] / -slack_step[i]);
    }
    y_ += length * d;
    slack_ += slack_length * slack_step;
    for (Index i = 0; i < size; ++i) {
      if (!dual_.bounded(i)) continue;
      slack_[i] = std::clamp(slack_[i], 0.1 * central(i), 10 * central(i));
    }
    return true;
  }

  double search(const VectorXd& d, double gamma) const {
    double most = 1;
    for (Index i = 0; i < d.size(); ++i) {
      if (dual_.bounded(i) && d[i] < 0) most = std::min(most, 0.99 * y_[i] / -d[i]);
    }
    const auto slope = [&](double t) {
      const VectorXd there = y_ + t * d;
      VectorXd gradient = dual_.at(there, gamma).gradient;
      for (Index i = 0; i < d.size(); ++i) {
        if (dual_.bounded(i)) gradient[i] -= unit_ * height_ / there[i];
      }
      return gradient.dot(d);
    };
    const double at_most = slope(most);
    const double start = slope(0);
    if (at_most <= 0.5 * std::abs(start)) return most;
    return illinois(slope, 0, start, most, at_most, 0.2 * std::abs(start));
  }

  // What is left of prices that vanish with the barrier is dropped.
  std::vector<Constraint> result() const {
    const auto price = [&](Index i) {
      return y_[i] > slack_[i] ? std::abs(dual_.multiplier(i, y_[i])) : 0;
    };
    std::vector<Constraint> out;
    for (Index i = 0; i < standing_; ++i) {
      out.push_back(dual_.constraint(i));
      out.back().multiplier = dual_.bounded(i) && price(i) == 0 ? 0 : dual_.multiplier(i, y_[i]);
    }
    for (const Ranged& ranged : ranges_) {
      std::vector<double> net;
      for (Index m = 0; m < ranged.members; ++m) {
        const Index top = ranged.first_row + 2 * m;
        net.push_back(price(top) - price(top + 1));
      }
      for (Constraint& pair : priced_pairs(system_.comparisons[ranged.comparison], net)) {
        pair.comparison = ranged.comparison;
        out.push_back(std::move(pair));
      }
    }
    return out;
  }

  const System& system_;
  Dual dual_;
  Index standing_ = 0;
  std::vector<Ranged> ranges_;
  MatrixXd balance_;  // a column for each range
  VectorXd y_;
  VectorXd slack_;       // of bounded rows: near height / y
  VectorXd level_;       // r of each range
  double height_ = 0.1;  // of the barrier, in units of a rate times `unit_`
  double unit_ = 1;      // of a multiplier
  Dual::Point point_;
};

}  // namespace

std::vector<Constraint> approximate_dual(const System& system,
                                         const std::vector<const CellCurve*>& curves,
                                         double gamma) {
  return Barrier(system, curves).run(gamma);
}

}  // namespace evenhand
