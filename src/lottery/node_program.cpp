#include "lottery/node_program.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

#include "support/infinity.h"

namespace evenhand {
namespace {

// Objectives are brought to about this size: Clp's tolerances, 1e-10, are absolute.
constexpr double node_objective = 1000;
constexpr double node_met = 1e-10;

void add_chain(const Points& points, std::size_t first, std::size_t last, double sign,
               std::vector<std::size_t>& out) {
  std::vector<std::size_t> chain;
  const auto turns = [&](std::size_t a, std::size_t b, std::size_t c) {
    return sign * ((points.n[b] - points.n[a]) * (points.y[c] - points.y[a]) -
                   (points.y[b] - points.y[a]) * (points.n[c] - points.n[a]));
  };
  for (std::size_t k = first; k <= last; ++k) {
    while (chain.size() > 1 && turns(chain[chain.size() - 2], chain.back(), k) >= 0) {
      chain.pop_back();
    }
    chain.push_back(k);
  }
  out.insert(out.end(), chain.begin(), chain.end());
}

}  // namespace

std::shared_ptr<const VertexRange> make_range(const Points& points, std::size_t first,
                                              std::size_t last) {
  auto range = std::make_shared<VertexRange>();
  range->first = first;
  range->last = last;
  add_chain(points, first, last, 1, range->vertices);
  add_chain(points, first, last, -1, range->vertices);
  return range;
}

class NodeProgram::Model {
 public:
  Model(const Limits& limits, const std::vector<Points>& points, double magnitude)
      : limits_(limits),
        points_(points),
        scale_(magnitude > 0 ? node_objective / magnitude : 1),
        cells_(points.size()),
        of_cell_(points.size()),
        known_(points.size()) {
    simplex_.setLogLevel(0);
    simplex_.setPrimalTolerance(1e-10);
    simplex_.setDualTolerance(1e-10);
    simplex_.setPerturbation(100);  // off
    simplex_.scaling(0);
    add_rows();
  }

  Outcome solve(const Ranges& ranges, Relaxed& out) {
    for (std::size_t c = 0; c < cells_; ++c) {
      add_column(c, ranges[c]->first);
      add_column(c, ranges[c]->last);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      const VertexRange& range = *ranges[column.cell];
      const bool inside = column.k >= range.first && column.k <= range.last;
      simplex_.setColumnUpper(index_of(i), inside ? infinity : 0);
    }
    pursue(Goal::value, {});
    if (!run(true)) {
      pursue(Goal::feasible, {});
      do {
        if (!run(false)) return Outcome::failed;
        if (missing() <= node_met) break;
      } while (add_columns(ranges));
      if (missing() > node_met) return Outcome::infeasible;
      pursue(Goal::value, slacks());
      if (!run(false)) return Outcome::failed;
    }
    while (add_columns(ranges)) {
      if (!run(false)) return Outcome::failed;
    }
    read(out);
    return Outcome::optimal;
  }

 private:
  enum class Goal { value, feasible };
  struct Column {
    std::size_t cell, k;
  };

  // Rows: one for each cell, whose weights add up to 1; then the constraints. Columns: the lowest
  // rate (ratio: the highest) of each comparison, two slacks for each constraint, then weights.
  void add_rows() {
    std::vector<double> low(cells_, 1);
    std::vector<double> high(cells_, 1);
    struct Factor {
      int row;
      double value;
    };
    std::vector<std::vector<Factor>> window(limits_.together.size());
    const auto add = [&](std::size_t quantity, double from, double to) {
      low.push_back(from);
      high.push_back(to);
      quantity_.push_back(quantity);
      return static_cast<int>(low.size() - 1);
    };
    for (const Between& between : limits_.between) {
      add(between.quantity, between.low, between.high);
    }
    for (std::size_t w = 0; w < window.size(); ++w) {
      const Together& together = limits_.together[w];
      for (const std::size_t q : together.quantities) {
        if (together.relation == Relation::ratio) {
          window[w].push_back({add(q, -infinity, 0), -1});
          window[w].push_back({add(q, 0, infinity), -together.ratio});
        } else {
          window[w].push_back({add(q, 0, together.tolerance), -1});
        }
      }
    }
    CoinPackedMatrix matrix(true, 0, 0);
    matrix.setDimensions(static_cast<int>(low.size()), 0);
    std::vector<double> upper;
    for (const std::vector<Factor>& entries : window) {
      std::vector<int> rows;
      std::vector<double> values;
      for (const Factor& entry : entries) {
        rows.push_back(entry.row);
        values.push_back(entry.value);
      }
      matrix.appendCol(static_cast<int>(rows.size()), rows.data(), values.data());
      upper.push_back(1);
    }
    windows_ = static_cast<int>(upper.size());
    for (std::size_t r = cells_; r < low.size(); ++r) {
      const int row = static_cast<int>(r);
      for (const double sign : {1.0, -1.0}) {
        matrix.appendCol(1, &row, &sign);
        upper.push_back(0);
      }
    }
    fixed_ = static_cast<int>(upper.size());
    const std::vector<double> lower(upper.size(), 0);
    const std::vector<double> cost(upper.size(), 0);
    simplex_.loadProblem(matrix, lower.data(), upper.data(), cost.data(), low.data(), high.data());
    for (std::size_t r = 0; r < quantity_.size(); ++r) {
      for (const Quantity::Part& part : limits_.quantities[quantity_[r]].parts) {
        of_cell_[part.cell].push_back({cells_ + r, part.n, part.y});
      }
    }
  }

  int index_of(std::size_t column) const { return fixed_ + static_cast<int>(column); }

  bool add_column(std::size_t cell, std::size_t k) {
    if (!known_[cell].insert(k).second) return false;
    const Points& points = points_[cell];
    std::vector<int> rows = {static_cast<int>(cell)};
    std::vector<double> values = {1};
    for (const Part& part : of_cell_[cell]) {
      const double value = part.n * points.n[k] + part.y * points.y[k];
      if (rows.back() == static_cast<int>(part.row)) {
        values.back() += value;
      } else {
        rows.push_back(static_cast<int>(part.row));
        values.push_back(value);
      }
    }
    simplex_.addColumn(static_cast<int>(rows.size()), rows.data(), values.data(), 0, infinity,
                       goal_ == Goal::value ? -scale_ * points.value[k] : 0);
    columns_.push_back({cell, k});
    return true;
  }

  // What is left of slacks after a feasible point was found is rounding, and allowed.
  void pursue(Goal goal, const std::vector<double>& allowed) {
    goal_ = goal;
    for (int i = windows_; i < fixed_; ++i) {
      const auto slack = static_cast<std::size_t>(i - windows_);
      simplex_.setObjectiveCoefficient(i, goal == Goal::feasible ? 1 : 0);
      simplex_.setColumnUpper(i, goal == Goal::feasible ? infinity
                                 : allowed.empty()      ? 0
                                                        : allowed[slack]);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      simplex_.setObjectiveCoefficient(
          index_of(i), goal == Goal::value ? -scale_ * points_[column.cell].value[column.k] : 0);
    }
  }

  bool run(bool bounds_changed) {
    const auto solved = [&] {
      return simplex_.isProvenOptimal() && simplex_.secondaryStatus() == 0;
    };
    if (bounds_changed) {
      simplex_.dual();
    } else {
      simplex_.primal();
    }
    if (solved()) return true;
    if (bounds_changed && simplex_.isProvenPrimalInfeasible()) return false;
    simplex_.allSlackBasis(true);
    simplex_.primal();
    return solved();
  }

  std::vector<double> slacks() const {
    const double* const solution = simplex_.getColSolution();
    std::vector<double> out;
    for (int i = windows_; i < fixed_; ++i) out.push_back(std::max(0.0, solution[i]));
    return out;
  }

  double missing() const {
    double sum = 0;
    for (const double slack : slacks()) sum += slack;
    return sum;
  }

  // The vertex of each range that is worth most at the rows' prices, where that is more than the
  // cell's own price.
  bool add_columns(const Ranges& ranges) {
    const std::vector<double> price(simplex_.getRowPrice(),
                                    simplex_.getRowPrice() + simplex_.numberRows());
    bool added = false;
    for (std::size_t c = 0; c < cells_; ++c) {
      double n = 0;
      double y = 0;
      for (const Part& part : of_cell_[c]) {
        n += price[part.row] * part.n;
        y += price[part.row] * part.y;
      }
      const Points& points = points_[c];
      const double weight = goal_ == Goal::value ? scale_ : 0;
      double most = -infinity;
      std::size_t best = 0;
      for (const std::size_t k : ranges[c]->vertices) {
        const double value = weight * points.value[k] + n * points.n[k] + y * points.y[k];
        if (value > most) {
          most = value;
          best = k;
        }
      }
      const double own = -price[c];
      if (most <= own + 1e-10 * (1 + std::abs(own))) continue;
      if (add_column(c, best)) added = true;
    }
    return added;
  }

  void read(Relaxed& out) const {
    const double* const solution = simplex_.getColSolution();
    out.value = 0;
    out.at.assign(cells_, {});
    std::vector<std::pair<double, double>> ends(cells_, {infinity, -infinity});
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const double weight = solution[index_of(i)];
      if (weight < 1e-13) continue;
      const double part = weight > 1 - 1e-13 ? 1 : weight;
      const Column& column = columns_[i];
      const Points& points = points_[column.cell];
      out.value += part * points.value[column.k];
      out.at[column.cell].n += part * points.n[column.k];
      out.at[column.cell].y += part * points.y[column.k];
      auto& [low, high] = ends[column.cell];
      low = std::min(low, points.n[column.k]);
      high = std::max(high, points.n[column.k]);
    }
    out.width.clear();
    for (const auto& [low, high] : ends) out.width.push_back(high - low);
  }

  struct Part {
    std::size_t row;
    double n, y;
  };
  const Limits& limits_;
  const std::vector<Points>& points_;
  double scale_;
  std::size_t cells_;
  std::vector<std::vector<Part>> of_cell_;
  std::vector<std::set<std::size_t>> known_;
  std::vector<std::size_t> quantity_;  // of each row after the cells'
  int windows_ = 0;                    // where slacks begin
  int fixed_ = 0;                      // where weights begin
  std::vector<Column> columns_;
  Goal goal_ = Goal::value;
  ClpSimplex simplex_;
};

NodeProgram::NodeProgram(const Limits& limits, const std::vector<Points>& points, double magnitude)
    : model_(std::make_unique<Model>(limits, points, magnitude)) {}
NodeProgram::~NodeProgram() = default;

NodeProgram::Outcome NodeProgram::solve(const Ranges& ranges, Relaxed& out) {
  return model_->solve(ranges, out);
}

}  // namespace evenhand
