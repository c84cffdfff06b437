#include "soft/vertex.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <ClpSimplex.hpp>

namespace evenhand::soft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Rows whose decision is left to the linear program; all others have the one that their reduced
// benefit had at the start. If the program's multipliers contradict one of these it becomes free
// too. When none is contradicted the multipliers are optimal for all rows.
class Sifting {
 public:
  Sifting(const RampProblem& problem, const VectorXd& start, std::size_t first)
      : problem_(problem), mu_(start), sign_(problem.size()), free_(problem.size()) {
    std::vector<std::size_t> order(problem.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> z(problem.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      z[i] = problem.reduced(i, start);
      sign_[i] = z[i] > 0;
      z[i] = std::abs(z[i]);
    }
    if (first < order.size()) {
      std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first),
                       order.end(), [&](std::size_t a, std::size_t b) { return z[a] < z[b]; });
      order.resize(first);
    }
    release(std::move(order));
  }

  VectorXd run() {
    constexpr int most_rounds = 100;
    for (int round = 0; round < most_rounds; ++round) {
      solve();
      std::vector<std::size_t> wrong = contradicted();
      if (!wrong.empty()) {
        release(std::move(wrong));
      } else if (slack_ > 1e-9 && most_price_ < 1e12) {
        most_price_ *= 1000;  // the optimum lies farther out
      } else {
        break;
      }
    }
    drop_rounding();
    return mu_;
  }

 private:
  void release(std::vector<std::size_t> rows) {
    std::sort(rows.begin(), rows.end());  // the order of nth_element is not specified
    for (const std::size_t i : rows) free_[i] = true;
    list_.insert(list_.end(), rows.begin(), rows.end());
  }

  // In units of an average free row, so that Clp's absolute tolerances are about z and q.
  double unit() const {
    double sum = 0;
    for (const std::size_t i : list_) sum += problem_.n[i];
    return sum / static_cast<double>(list_.size());
  }

  void solve() {
    const auto m = static_cast<int>(problem_.columns);
    const double one = unit();
    std::vector<double> right(problem_.columns);
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      if (free_[i] || !sign_[i]) continue;
      for (std::size_t j = 0; j < problem_.columns; ++j) {
        right[j] -= problem_.n[i] / one * problem_.w[i * problem_.columns + j];
      }
    }
    std::vector<CoinBigIndex> start = {0};
    std::vector<int> index;
    std::vector<double> value;
    std::vector<double> cost;
    std::vector<double> upper;
    const auto close_column = [&](double price, double most) {
      start.push_back(static_cast<CoinBigIndex>(index.size()));
      cost.push_back(price);
      upper.push_back(most);
    };
    for (const std::size_t i : list_) {
      for (int j = 0; j < m; ++j) index.push_back(j);
      const auto w = problem_.w.begin() + static_cast<std::ptrdiff_t>(i * problem_.columns);
      value.insert(value.end(), w, w + m);
      close_column(-problem_.h[i], problem_.n[i] / one);
    }
    // The free rows alone may not be able to balance the others: slack, at a price that multipliers
    // cannot exceed.
    for (int j = 0; j < m; ++j) {
      for (const double side : {1.0, -1.0}) {
        index.push_back(j);
        value.push_back(side);
        close_column(most_price_, std::numeric_limits<double>::infinity());
      }
    }
    const std::vector<double> lower(cost.size(), 0);
    std::vector<double> most = right;
    for (std::size_t j = 0; j < problem_.low.size(); ++j) {
      most[j] += problem_.high[j] / one;
      right[j] += problem_.low[j] / one;
    }
    ClpSimplex model;
    model.setLogLevel(0);
    model.loadProblem(static_cast<int>(cost.size()), m, start.data(), index.data(), value.data(),
                      lower.data(), upper.data(), cost.data(), right.data(), most.data());
    model.setPrimalTolerance(1e-10);
    model.setDualTolerance(1e-10);
    model.setPerturbation(100);  // off
    model.scaling(0);
    // Few rows, and columns with bounds on both sides: the dual method passes many bounds a step.
    model.dual();
    if (!model.isProvenOptimal() || model.secondaryStatus() != 0) {
      model.allSlackBasis(true);
      model.primal();
    }
    read(model, one);
  }

  void read(const ClpSimplex& model, double one) {
    const double* const price = model.getRowPrice();
    std::vector<Index> priced;  // the columns whose limits bind
    for (Index j = 0; j < mu_.size(); ++j) {
      mu_[j] = -price[j];
      const bool binds =
          problem_.low.empty() || model.getRowStatus(static_cast<int>(j)) != ClpSimplex::basic;
      if (binds) {
        priced.push_back(j);
      } else {
        mu_[j] = 0;
      }
    }
    const double* const value = model.getColSolution();
    slack_ = 0;
    for (std::size_t k = list_.size(); k < list_.size() + 2 * problem_.columns; ++k) {
      slack_ += value[k] * one;
    }
    // Basic rows are those at the threshold; their equations give the multipliers to the last bit.
    std::vector<std::size_t> basic;
    for (std::size_t k = 0; k < list_.size(); ++k) {
      if (model.getStatus(static_cast<int>(k)) == ClpSimplex::basic) basic.push_back(list_[k]);
    }
    if (basic.empty() || priced.empty()) return;
    MatrixXd w(static_cast<Index>(basic.size()), static_cast<Index>(priced.size()));
    VectorXd z(w.rows());
    for (Index k = 0; k < w.rows(); ++k) {
      const std::size_t i = basic[static_cast<std::size_t>(k)];
      z[k] = problem_.reduced(i, mu_);
      for (Index j = 0; j < w.cols(); ++j) {
        w(k, j) = problem_.w[i * problem_.columns +
                             static_cast<std::size_t>(priced[static_cast<std::size_t>(j)])];
      }
    }
    const VectorXd correction = w.completeOrthogonalDecomposition().solve(z);
    if (correction.norm() > 1e-6 * (1 + mu_.norm())) return;
    for (Index j = 0; j < w.cols(); ++j) mu_[priced[static_cast<std::size_t>(j)]] += correction[j];
  }

  // A price of the wrong sign, or next to none, is rounding: no limit binds there.
  void drop_rounding() {
    const double least = 1e-11 * (1 + mu_.cwiseAbs().maxCoeff());
    for (std::size_t j = 0; j < problem_.low.size(); ++j) {
      double& price = mu_[static_cast<Index>(j)];
      if (std::abs(price) <= least) price = 0;
      if (price > 0 && std::isinf(problem_.high[j])) price = 0;
      if (price < 0 && std::isinf(problem_.low[j])) price = 0;
    }
  }

  // The fixed rows that the multipliers decide otherwise, the worst ones if there are many.
  std::vector<std::size_t> contradicted() const {
    const double slack = 1e-11 * (1 + mu_.cwiseAbs().maxCoeff());
    std::vector<std::pair<double, std::size_t>> wrong;
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      if (free_[i]) continue;
      const double z = problem_.reduced(i, mu_);
      const double by = sign_[i] ? -z : z;
      if (by > slack) wrong.emplace_back(-by, i);
    }
    const std::size_t most = 2 * list_.size();
    if (wrong.size() > most) {
      std::nth_element(wrong.begin(), wrong.begin() + static_cast<std::ptrdiff_t>(most),
                       wrong.end());
      wrong.resize(most);
    }
    std::vector<std::size_t> out;
    out.reserve(wrong.size());
    for (const auto& [by, i] : wrong) out.push_back(i);
    return out;
  }

  const RampProblem& problem_;
  VectorXd mu_;
  std::vector<bool> sign_;
  std::vector<bool> free_;
  std::vector<std::size_t> list_;  // the free rows
  double most_price_ = 1e3;
  double slack_ = 0;
};

}  // namespace

VectorXd best_vertex(const RampProblem& problem) {
  constexpr std::size_t few = 2000;
  VectorXd start = VectorXd::Zero(static_cast<Index>(problem.columns));
  if (!problem.low.empty() && problem.size() > 2 * few) {
    // Multipliers of every sixteenth row are off by so little that these are nearly all the rows
    // that they decide wrongly.
    const VectorXd sampled = best_vertex(problem.sample(16));
    return Sifting(problem, sampled, few + problem.size() / 50).run();
  }
  if (problem.size() > 2 * few) {
    // Narrow enough that about a quarter of the first free rows are on the ramp.
    start = narrow_ramp(problem, 0.5 * few / static_cast<double>(problem.size()), 1e-6);
  }
  return Sifting(problem, start, problem.size() > 2 * few ? few : problem.size()).run();
}

}  // namespace evenhand::soft
