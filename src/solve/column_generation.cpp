#include "solve/column_generation.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <ClpSimplex.hpp>

#include "solve/appended.h"
#include "support/infinity.h"

namespace evenhand {
namespace {

// Objectives are brought to about this size: Clp's tolerances, 1e-10, are absolute.
constexpr double objective_size = 1000;
constexpr double met = 1e-9;

enum class Goal { benefit, total_violation, common_slack };

// A row of the linear program: low <= sum of coefficients - range_factor * range <= high, in units
// of a rate.
struct MasterRow {
  std::vector<Coefficient> coefficients;
  double low, high;
  double unit = 1;
  double range_factor = 0;
  bool required = false;
  double slack = 0;  // what is left of violations that are rounding only

  double direction() const { return std::isinf(high) ? 1 : -1; }  // of what would relax it
};

// Rows: one for each block, whose weights add up to 1; constraints; for each rate of a comparison
// with a tolerance one that keeps it in the common range. Columns: the ranges, slacks of
// requirements, then weights of what blocks can do, more of which come with each round.
class Master {
 public:
  Master(const System& system, const Blocks& blocks, double magnitude)
      : system_(system),
        blocks_(blocks),
        benefit_scale_(magnitude > 0 ? objective_size / magnitude : 1),
        columns_(blocks.count),
        duals_(blocks.count) {
    for (Constraint& constraint : standing_constraints(system)) add_row(std::move(constraint));
    for (std::size_t k = 0; k < system.comparisons.size(); ++k) add_range(k);
    for (const Constraint& constraint : system.requirements) {
      if (constraint.sense != Sense::equal) {
        add_row(constraint);
        continue;
      }
      for (const Sense side : {Sense::at_most, Sense::at_least}) {  // each may need a slack
        Constraint half = constraint;
        half.sense = side;
        add_row(std::move(half));
        stated_.back().half_of_equality = true;
      }
    }
    note_cells();
    const std::vector<CellPrice> free(system.population.cells.size());
    for (std::size_t b = 0; b < blocks.count; ++b) {
      columns_[b] = blocks.start(b);
      Column best = blocks.best(b, 1, free).column;
      if (!is_known(b, best)) columns_[b].push_back(std::move(best));
    }
  }

  // Solves for a goal, with all the columns that it takes. False if the columns to begin with
  // cannot meet the requirements, and no slack was accepted.
  bool reach_goal(Goal goal) {
    goal_ = goal;
    load();
    optimise();
    if (goal == Goal::benefit && !slacks_accepted_ && model_.isProvenPrimalInfeasible()) {
      return false;
    }
    read();
    constexpr int most_rounds = 10'000;
    for (int round = 1; round < most_rounds && add_columns(); ++round) {
      optimise();
      read();
    }
    return true;
  }

  void accept_slacks() {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].slack = slack_[i];
    slacks_accepted_ = true;
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
    for (const Stated& stated : stated_) {
      Constraint row = stated.constraint;
      row.multiplier = multipliers_[stated.row] / scale / rows_[stated.row].unit;
      // A multiplier of the wrong sign is a rounding error of 0.
      if (row.sense == Sense::at_most) row.multiplier = std::max(0.0, row.multiplier);
      if (row.sense == Sense::at_least) row.multiplier = std::min(0.0, row.multiplier);
      if (stated.half_of_equality && row.sense == Sense::at_least) {
        out.back().sense = Sense::equal;
        out.back().multiplier += row.multiplier;
      } else {
        out.push_back(std::move(row));
      }
    }
    for (const Ranged& ranged : ranges_) {
      const Compared& compared = system_.comparisons[ranged.comparison];
      std::vector<double> price(compared.members.size());
      for (std::size_t m = 0; m < price.size(); ++m) {
        for (std::size_t i = 0; i < ranged.rows_each; ++i) {
          price[m] += multipliers_[ranged.first_row + m * ranged.rows_each + i] / scale;
        }
      }
      for (Constraint& pair : priced_pairs(compared, price)) {
        pair.comparison = ranged.comparison;
        out.push_back(std::move(pair));
      }
    }
    return out;
  }

 private:
  struct Stated {
    Constraint constraint;
    std::size_t row;
    bool half_of_equality = false;
  };
  struct Ranged {
    std::size_t comparison;
    std::size_t first_row;
    std::size_t rows_each;  // of a member: with a ratio the two ends differ by more than a number
  };

  void add_row(Constraint constraint) {
    Row row = row_of(constraint, system_.population);
    for (Coefficient& a : row.coefficients) {
      a.n /= row.unit;
      a.n1 /= row.unit;
    }
    const double bound = row.bound / row.unit;
    rows_.push_back(
        {std::move(row.coefficients), constraint.sense == Sense::at_most ? -infinity : bound,
         constraint.sense == Sense::at_least ? infinity : bound, row.unit, 0, constraint.required});
    stated_.push_back({std::move(constraint), rows_.size() - 1});
  }

  void add_range(std::size_t k) {
    const Compared& compared = system_.comparisons[k];
    const std::optional<Range> range = range_of(compared);
    if (!range) return;
    const bool one_row = range->from_bottom == range->from_top;
    ranges_.push_back({k, rows_.size(), one_row ? 1U : 2U});
    for (const PooledRate& member : compared.members) {
      Constraint alone;
      alone.terms = {{1, measure_of(member)}};
      const std::vector<Coefficient> rate = row_of(alone, system_.population).coefficients;
      if (one_row) {
        rows_.push_back({rate, 0, range->tolerance, 1, range->from_bottom});
      } else {
        rows_.push_back({rate, 0, infinity, 1, range->from_bottom});
        rows_.push_back({rate, -infinity, range->tolerance, 1, range->from_top});
      }
    }
  }

  // What each row says of each cell.
  void note_cells() {
    of_cell_.resize(system_.population.cells.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const Coefficient& a : rows_[i].coefficients) {
        auto& list = of_cell_[a.cell];
        if (list.empty() || list.back().first != i) list.push_back({i, {}});
        list.back().second.n += a.n;
        list.back().second.n1 += a.n1;
      }
    }
    in_row_.assign(rows_.size(), 0);
  }

  double benefit_weight() const { return goal_ == Goal::benefit ? benefit_scale_ : 0; }
  int row_number(std::size_t i) const { return static_cast<int>(blocks_.count + i); }

  void put_column(Appended& appended, std::size_t b, const Column& column) {
    appended.put(static_cast<int>(b), 1);
    for (const auto& [cell, reach] : column.reach) {
      for (const auto& [row, a] : of_cell_[cell]) in_row_[row] += a.n * reach.n + a.n1 * reach.n1;
    }
    for (const auto& [cell, reach] : column.reach) {
      for (const auto& [row, a] : of_cell_[cell]) {
        if (in_row_[row] == 0) continue;  // or already written
        appended.put(row_number(row), in_row_[row]);
        in_row_[row] = 0;
      }
    }
    appended.finish(0, -benefit_weight() * column.benefit);
    places_.emplace_back(b, column);
  }

  void load() {
    std::vector<double> low(blocks_.count, 1);
    std::vector<double> high(blocks_.count, 1);
    for (const MasterRow& row : rows_) {
      low.push_back(row.low - row.slack);
      high.push_back(row.high + row.slack);
    }
    model_ = ClpSimplex();
    model_.setLogLevel(0);
    model_.resize(static_cast<int>(low.size()), 0);
    std::copy(low.begin(), low.end(), model_.rowLower());
    std::copy(high.begin(), high.end(), model_.rowUpper());
    model_.setPrimalTolerance(1e-10);
    model_.setDualTolerance(1e-10);
    model_.setPerturbation(100);  // off
    model_.scaling(0);            // scaled optima can be far from optimal for the rows as they are
    Appended appended;
    for (const Ranged& range : ranges_) {
      const std::size_t count =
          range.rows_each * system_.comparisons[range.comparison].members.size();
      for (std::size_t i = range.first_row; i < range.first_row + count; ++i) {
        appended.put(row_number(i), -rows_[i].range_factor);
      }
      appended.finish(-infinity, 0);
    }
    put_slacks(appended);
    places_.clear();
    for (std::size_t b = 0; b < blocks_.count; ++b) {
      for (const Column& column : columns_[b]) put_column(appended, b, column);
    }
    appended.append_to(model_);
  }

  void put_slacks(Appended& appended) {
    slack_columns_.clear();
    if (goal_ == Goal::benefit) return;
    const bool common = goal_ == Goal::common_slack;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].required) continue;
      // A common one is one number for all bounds as they are written.
      appended.put(row_number(i), rows_[i].direction() / (common ? rows_[i].unit : 1));
      if (common) continue;
      appended.finish(0, 1);
      slack_columns_.push_back(i);
    }
    if (common) {
      appended.finish(0, 1);
      slack_columns_.push_back(rows_.size());
    }
  }

  void optimise() {
    model_.primal();
    if (model_.isProvenOptimal() && model_.secondaryStatus() == 0) return;
    model_.allSlackBasis(true);
    model_.dual();
  }

  void read() {
    const double* const weight = model_.getColSolution();
    const double* const price = model_.getRowPrice();
    std::size_t at = ranges_.size();
    slack_.assign(rows_.size(), 0);
    total_slack_ = 0;
    for (const std::size_t row : slack_columns_) {
      const double value = std::max(0.0, weight[at++]);
      total_slack_ += value;
      if (row < rows_.size()) slack_[row] += value;
    }
    reach_.assign(system_.population.cells.size(), {});
    mixture_.assign(blocks_.count, {});
    for (const auto& [b, column] : places_) {
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
    for (std::size_t b = 0; b < blocks_.count; ++b) duals_[b] = -price[b];
    multipliers_.assign(rows_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) multipliers_[i] = -price[blocks_.count + i];
  }

  bool add_columns() {
    std::vector<CellPrice> price(system_.population.cells.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (multipliers_[i] == 0) continue;
      for (const Coefficient& a : rows_[i].coefficients) {
        price[a.cell].n += multipliers_[i] * a.n;
        price[a.cell].n1 += multipliers_[i] * a.n1;
      }
    }
    Appended appended;
    for (std::size_t b = 0; b < blocks_.count; ++b) {
      Blocks::Best best = blocks_.best(b, benefit_weight(), price);
      if (best.value <= duals_[b] + 1e-10 * (1 + std::abs(duals_[b]))) continue;
      if (is_known(b, best.column)) continue;
      put_column(appended, b, best.column);
      columns_[b].push_back(std::move(best.column));
    }
    if (appended.cost.empty()) return false;
    appended.append_to(model_);
    return true;
  }

  bool is_known(std::size_t block, const Column& column) const {
    return std::any_of(columns_[block].begin(), columns_[block].end(), [&](const Column& known) {
      return std::equal(known.reach.begin(), known.reach.end(), column.reach.begin(),
                        column.reach.end(), [](const auto& x, const auto& y) {
                          return x.first == y.first && x.second.n == y.second.n &&
                                 x.second.n1 == y.second.n1;
                        });
    });
  }

  const System& system_;
  const Blocks& blocks_;
  double benefit_scale_;
  Goal goal_ = Goal::benefit;
  std::vector<MasterRow> rows_;
  std::vector<Stated> stated_;
  std::vector<Ranged> ranges_;
  std::vector<std::vector<std::pair<std::size_t, CellPrice>>> of_cell_;
  std::vector<double> in_row_;
  std::vector<std::vector<Column>> columns_;
  ClpSimplex model_;
  std::vector<std::pair<std::size_t, Column>>
      places_;  // of the program's columns, with their block
  std::vector<std::size_t> slack_columns_;
  std::vector<double> duals_;
  std::vector<double> multipliers_;
  std::vector<Reach> reach_;
  std::vector<std::vector<std::pair<std::size_t, double>>> mixture_;
  std::vector<double> slack_;
  bool slacks_accepted_ = false;
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

std::optional<Infeasibility> find_infeasibility(const System& system, const Blocks& blocks) {
  Master master(system, blocks, 0);
  return explain(system, master);
}

Generated generate(const System& system, const Blocks& blocks, double magnitude) {
  Generated out;
  Master master(system, blocks, magnitude);
  if (!master.reach_goal(Goal::benefit)) {
    out.infeasibility = explain(system, master);
    if (out.infeasibility) return out;
    master.accept_slacks();
    master.reach_goal(Goal::benefit);
  }
  out.reach = master.reach();
  out.mixture = master.mixture();
  out.constraints = master.constraints();
  return out;
}

}  // namespace evenhand
