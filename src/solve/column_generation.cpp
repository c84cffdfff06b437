#include "solve/column_generation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

namespace evenhand {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Objectives are brought to about this size: Clp's tolerances, 1e-10, are absolute.
constexpr double objective_size = 1000;
constexpr double met = 1e-9;

enum class Goal { benefit, total_violation, common_slack };

class Master {
 public:
  Master(const System& system, const Blocks& blocks, double magnitude)
      : system_(system),
        blocks_(blocks),
        benefit_scale_(magnitude > 0 ? objective_size / magnitude : 1),
        columns_(blocks.count),
        duals_(blocks.count) {
    for (Constraint& constraint : standing_constraints(system)) add_row(std::move(constraint));
    for (const Constraint& constraint : system.requirements) {
      if (constraint.sense != Sense::equal) {
        add_row(constraint);
        continue;
      }
      for (const Sense side : {Sense::at_most, Sense::at_least}) {  // each may need a slack
        add_row(constraint);
        rows_.back().sense = side;
        half_of_equality_.back() = true;
      }
    }
    const std::vector<CellPrice> free(system.population.cells.size());
    for (std::size_t b = 0; b < blocks.count; ++b) {
      columns_[b] = blocks.start(b);
      columns_[b].push_back(blocks.best(b, 1, free).column);
    }
  }

  // Solves for a goal, with all the columns and rows that it takes.
  void reach_goal(Goal goal) {
    goal_ = goal;
    constexpr int most_rounds = 10'000;
    for (int round = 0; round < most_rounds; ++round) {
      solve();
      const bool more_columns = add_columns();
      const bool more_rows = add_rows();
      if (!more_columns && !more_rows) return;
    }
  }

  // What is left of violations that are rounding only is allowed from now on.
  void accept_slacks() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].required || slack_[i] == 0) continue;
      slack_allowed_[i] = slack_[i];
    }
  }

  const std::vector<Reach>& reach() const { return reach_; }
  const std::vector<std::vector<std::pair<std::size_t, double>>>& mixture() const {
    return mixture_;
  }
  double slack() const { return total_slack_; }

  // Multipliers in units of the goal's objective. The two halves of an equality are one again.
  std::vector<Constraint> constraints() const {
    std::vector<Constraint> out;
    const double scale = goal_ == Goal::benefit ? benefit_scale_ : 1;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Constraint row = rows_[i];
      row.multiplier = multipliers_[i] / scale / units_[i];
      // A multiplier of the wrong sign is a rounding error of 0.
      if (row.sense == Sense::at_most) row.multiplier = std::max(0.0, row.multiplier);
      if (row.sense == Sense::at_least) row.multiplier = std::min(0.0, row.multiplier);
      if (half_of_equality_[i] && row.sense == Sense::at_least) {
        out.back().sense = Sense::equal;
        out.back().multiplier += row.multiplier;
      } else {
        out.push_back(std::move(row));
      }
    }
    return out;
  }

 private:
  void add_row(Constraint constraint) {
    Row row = row_of(constraint, system_.population);
    for (Coefficient& a : row.coefficients) {
      a.n /= row.unit;
      a.n1 /= row.unit;
    }
    coefficients_.push_back(std::move(row.coefficients));
    bounds_.push_back(row.bound / row.unit);
    units_.push_back(row.unit);
    rows_.push_back(std::move(constraint));
    slack_allowed_.push_back(0);
    half_of_equality_.push_back(false);
  }

  double benefit_weight() const { return goal_ == Goal::benefit ? benefit_scale_ : 0; }

  void solve() {
    // Variables: a weight for each column; then the slacks of requirements, or the common one.
    std::vector<double> cost;
    std::vector<double> upper;
    CoinPackedMatrix matrix(true, 0, 0);
    const auto blocks = static_cast<int>(blocks_.count);
    const auto rows = static_cast<int>(rows_.size());
    matrix.setDimensions(blocks + rows, 0);
    // What each row says of each cell.
    std::vector<std::vector<std::pair<int, CellPrice>>> of_cell(system_.population.cells.size());
    for (int i = 0; i < rows; ++i) {
      for (const Coefficient& a : coefficients_[static_cast<std::size_t>(i)]) {
        auto& list = of_cell[a.cell];
        if (list.empty() || list.back().first != i) list.push_back({i, {}});
        list.back().second.n += a.n;
        list.back().second.n1 += a.n1;
      }
    }
    std::vector<int> index;
    std::vector<double> value;
    const auto put = [&](double price, double most) {
      matrix.appendCol(static_cast<int>(index.size()), index.data(), value.data());
      cost.push_back(price);
      upper.push_back(most);
    };
    std::vector<double> in_row(rows_.size(), 0);
    for (int b = 0; b < blocks; ++b) {
      for (const Column& column : columns_[static_cast<std::size_t>(b)]) {
        index = {b};
        value = {1};
        for (const auto& [cell, reach] : column.reach) {
          for (const auto& [row, a] : of_cell[cell]) {
            in_row[static_cast<std::size_t>(row)] += a.n * reach.n + a.n1 * reach.n1;
          }
        }
        for (const auto& [cell, reach] : column.reach) {
          for (const auto& [row, a] : of_cell[cell]) {
            double& sum = in_row[static_cast<std::size_t>(row)];
            if (sum == 0) continue;  // or already written
            index.push_back(blocks + row);
            value.push_back(sum);
            sum = 0;
          }
        }
        put(-benefit_weight() * column.benefit, infinity);
      }
    }
    add_slack_columns(put, index, value, blocks);
    std::vector<double> low(blocks_.count, 1);
    std::vector<double> high(blocks_.count, 1);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Constraint& row = rows_[i];
      low.push_back(row.sense == Sense::at_most ? -infinity : bounds_[i] - slack_allowed_[i]);
      high.push_back(row.sense == Sense::at_least ? infinity : bounds_[i] + slack_allowed_[i]);
    }
    const std::vector<double> lower(cost.size(), 0);
    ClpSimplex model;
    model.setLogLevel(0);
    model.loadProblem(matrix, lower.data(), upper.data(), cost.data(), low.data(), high.data());
    model.setPrimalTolerance(1e-10);
    model.setDualTolerance(1e-10);
    model.setPerturbation(100);  // off
    model.scaling(0);            // scaled optima can be far from optimal for the rows as they are
    model.primal();
    if (!model.isProvenOptimal() || model.secondaryStatus() != 0) {
      model.allSlackBasis(true);
      model.dual();
    }
    read(model);
  }

  template <class Put>
  void add_slack_columns(Put put, std::vector<int>& index, std::vector<double>& value, int blocks) {
    slack_columns_.clear();
    const auto direction = [&](std::size_t row) {
      return rows_[row].sense == Sense::at_least ? 1.0 : -1.0;
    };
    if (goal_ == Goal::total_violation) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (!rows_[i].required) continue;
        index = {blocks + static_cast<int>(i)};
        value = {direction(i)};
        put(1, infinity);
        slack_columns_.push_back(i);
      }
    }
    if (goal_ == Goal::common_slack) {
      index.clear();
      value.clear();
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (!rows_[i].required) continue;
        index.push_back(blocks + static_cast<int>(i));
        value.push_back(direction(i) / units_[i]);  // one number for all bounds as they are written
      }
      put(1, infinity);
      slack_columns_.push_back(rows_.size());
    }
  }

  void read(const ClpSimplex& model) {
    const double* const weight = model.getColSolution();
    const double* const price = model.getRowPrice();
    reach_.assign(system_.population.cells.size(), {});
    mixture_.assign(blocks_.count, {});
    std::size_t at = 0;
    for (std::size_t b = 0; b < blocks_.count; ++b) {
      for (const Column& column : columns_[b]) {
        const double w = weight[at++];
        if (w < 1e-13) continue;
        const double part = w > 1 - 1e-13 ? 1 : w;
        mixture_[b].emplace_back(column.tag, part);
        for (const auto& [cell, reach] : column.reach) {
          reach_[cell].n += part * reach.n;
          reach_[cell].n1 += part * reach.n1;
          if (column.reach.size() == 1) reach_[cell].benefit += part * column.benefit;
        }
      }
      duals_[b] = -price[b];
    }
    slack_.assign(rows_.size(), 0);
    total_slack_ = 0;
    for (const std::size_t row : slack_columns_) {
      const double value = std::max(0.0, weight[at++]);
      total_slack_ += value;
      if (row < rows_.size()) slack_[row] += value;
    }
    multipliers_.assign(rows_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) multipliers_[i] = -price[blocks_.count + i];
  }

  bool add_columns() {
    std::vector<CellPrice> price(system_.population.cells.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const Coefficient& a : coefficients_[i]) {
        price[a.cell].n += multipliers_[i] * a.n;
        price[a.cell].n1 += multipliers_[i] * a.n1;
      }
    }
    bool added = false;
    for (std::size_t b = 0; b < blocks_.count; ++b) {
      Blocks::Best best = blocks_.best(b, benefit_weight(), price);
      if (best.value <= duals_[b] + 1e-10 * (1 + std::abs(duals_[b]))) continue;
      const bool known = std::any_of(columns_[b].begin(), columns_[b].end(),
                                     [&](const Column& c) { return same(c, best.column); });
      if (known) continue;
      columns_[b].push_back(std::move(best.column));
      added = true;
    }
    return added;
  }

  static bool same(const Column& a, const Column& b) {
    return std::equal(a.reach.begin(), a.reach.end(), b.reach.begin(), b.reach.end(),
                      [](const auto& x, const auto& y) {
                        return x.first == y.first && x.second.n == y.second.n &&
                               x.second.n1 == y.second.n1;
                      });
  }

  bool add_rows() {
    bool added = false;
    for (Constraint& constraint : violated_pairs(system_, reach_, 1e-11)) {
      const bool known = std::any_of(rows_.begin(), rows_.end(), [&](const Constraint& row) {
        return row.text == constraint.text;
      });
      if (known) continue;
      add_row(std::move(constraint));
      added = true;
    }
    return added;
  }

  const System& system_;
  const Blocks& blocks_;
  double benefit_scale_;
  Goal goal_ = Goal::benefit;
  std::vector<Constraint> rows_;
  std::vector<std::vector<Coefficient>> coefficients_;  // in units of a rate, as the bounds are
  std::vector<double> bounds_;
  std::vector<double> units_;
  std::vector<double> slack_allowed_;
  std::vector<bool> half_of_equality_;
  std::vector<std::vector<Column>> columns_;
  std::vector<double> duals_;
  std::vector<double> multipliers_;
  std::vector<Reach> reach_;
  std::vector<std::vector<std::pair<std::size_t, double>>> mixture_;
  std::vector<std::size_t> slack_columns_;
  std::vector<double> slack_;
  double total_slack_ = 0;
};

std::optional<Infeasibility> explain(const System& system, Master& master) {
  // Every named criterion admits a constant rule, so only requirements can be impossible.
  master.reach_goal(Goal::total_violation);
  if (master.slack() <= met) return std::nullopt;
  Infeasibility why;
  why.total_violation = master.slack();
  for (Constraint& constraint : master.constraints()) {
    if (std::abs(constraint.multiplier) * row_of(constraint, system.population).unit < 1e-9)
      continue;
    // Both sides of a distance have the same text.
    const bool is_new = why.clash.empty() || why.clash.back() != constraint.text;
    if (constraint.required && is_new) why.clash.push_back(constraint.text);
    why.certificate.push_back(std::move(constraint));
  }
  master.reach_goal(Goal::common_slack);
  why.common_slack = master.slack();
  return why;
}

}  // namespace

Blocks blocks_of(const std::vector<CellCurve>& curves) {
  const auto column = [](std::size_t cell, const Reach& reach) {
    return Column{reach.benefit, {{static_cast<CellCode>(cell), {reach.n, reach.n1}}}};
  };
  Blocks out;
  out.count = curves.size();
  out.start = [&curves, column](std::size_t c) {
    return std::vector{column(c, {}), column(c, curves[c].total())};
  };
  out.best = [&curves, column](std::size_t c, double weight, const std::vector<CellPrice>& price) {
    const CellCurve::Best best = curves[c].best(weight, price[c]);
    return Blocks::Best{column(c, best.reach), best.value};
  };
  return out;
}

std::optional<Infeasibility> find_infeasibility(const System& system, const Blocks& blocks) {
  Master master(system, blocks, 0);
  return explain(system, master);
}

Generated generate(const System& system, const Blocks& blocks, double magnitude) {
  Generated out;
  Master master(system, blocks, magnitude);
  if (!system.requirements.empty()) {
    out.infeasibility = explain(system, master);
    if (out.infeasibility) return out;
    master.accept_slacks();
  }
  master.reach_goal(Goal::benefit);
  out.reach = master.reach();
  out.mixture = master.mixture();
  out.constraints = master.constraints();
  return out;
}

}  // namespace evenhand
