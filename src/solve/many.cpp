// Several constraints at once: equalized odds, margins of several attributes, requirements.
#include "solve/many.h"

#include <algorithm>
#include <cmath>

#include "rule/plain_responses.h"
#include "solve/cell_shapes.h"
#include "solve/column_generation.h"
#include "solve/constraints.h"
#include "solve/evaluate.h"
#include "solve/few_coins.h"
#include "solve/newton.h"
#include "solve/odds.h"
#include "solve/parts.h"
#include "solve/proof.h"
#include "solve/realise.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

// A cell by itself, with the vertices that are known so far; those found are added.
struct CellBlock {
  const CellVertices* cell;
  std::vector<Reach>* known;
};

Blocks blocks_of(const std::vector<CellBlock>& cells) {  // refers to them
  const auto column = [](std::size_t cell, const Reach& reach) {
    return Column{reach.benefit, {{static_cast<CellCode>(cell), {reach.n, reach.n1}}}};
  };
  Blocks out;
  out.count = cells.size();
  out.start = [&cells, column](std::size_t c) {
    std::vector<Reach>& known = *cells[c].known;
    if (known.empty()) known = {{}, cells[c].cell->total()};
    std::vector<Column> columns;
    for (const Reach& reach : known) columns.push_back(column(c, reach));
    return columns;
  };
  out.best = [&cells, column](std::size_t c, double weight, const std::vector<CellPrice>& price) {
    const CellVertices::Best best = cells[c].cell->best(weight, price[c]);
    std::vector<Reach>& known = *cells[c].known;
    if (std::find(known.begin(), known.end(), best.reach) == known.end()) {
      known.push_back(best.reach);
    }
    return Blocks::Best{column(c, best.reach), best.value};
  };
  return out;
}

class Many {
 public:
  Many(const Problem& problem, KnownVertices& known)
      : problem_(problem),
        known_(known),
        tally_(problem.tally),
        data_(problem.tally.data()),
        gamma_(problem.options.gamma),
        system_(compile(problem)) {
    if (gamma_ > 0) {
      problem.shapes->make_curves(problem.options.threads);
    } else if (!meets_on_hulls()) {
      problem.shapes->make_vertices(problem.options.threads);
    }
  }

  Solution run() {
    Solution solution = begun(problem_, system_);
    if (gamma_ > 0) {
      smooth(solution);
    } else if (const auto reach = best(solution)) {
      realise(*reach, solution);
    }
    if (solution.infeasibility) solution.status = Status::infeasible;
    return solution;
  }

  std::optional<std::vector<Reach>> best_reach() {
    Solution solution = begun(problem_, system_);
    return best(solution);
  }

 private:
  const CellCurve& curve(CellCode c) const { return problem_.shapes->curve(c); }
  const CellVertices& vertices(CellCode c) const { return problem_.shapes->vertices(c); }

  // gamma = 0: the solution gets its constraints, or learns that it is infeasible.
  std::optional<std::vector<Reach>> best(Solution& solution) const {
    return meets_on_hulls() ? odds(solution) : linear(solution);
  }

  // Exact odds of groups that have both outcomes: each stratum has one best common point.
  bool meets_on_hulls() const {
    const Criterion& criterion = problem_.criterion;
    const Costs& costs = problem_.options.costs;
    const bool odds =
        criterion.rates == std::vector{Rate::true_positive, Rate::false_positive} &&
        criterion.relation == Relation::difference && criterion.tolerance == 0 &&
        criterion.require.empty() &&
        (criterion.roles.across != Across::marginal || criterion.roles.sensitive.size() == 1) &&
        costs.false_positive > 0 && costs.false_negative > 0;
    if (!odds) return false;
    for (CellCode c = 0; c < data_.names.size(); ++c) {
      const CellTotal& total = tally_.total(c);
      if (system_.reasons[c].empty() && (total.n1 == 0 || total.n1 == total.n)) return false;
    }
    return true;
  }

  std::vector<Reach> odds(Solution& solution) const {
    Reaches reach(data_.names.size());
    solution.constraints = standing_constraints(system_);
    std::size_t row = 0;
    // Comparisons come in pairs, for a stratum's true- and its false-positive rates.
    for (std::size_t i = 0; i + 1 < system_.comparisons.size(); i += 2) {
      const std::vector<PooledRate>& members = system_.comparisons[i].members;
      std::vector<const LabelHull*> groups;
      for (const PooledRate& member : members) {
        groups.push_back(&problem_.shapes->hull(member.cells.front()));
      }
      const CommonPoint point =
          meet_on_hulls(groups, problem_.options.costs, problem_.options.threads);
      for (const PooledRate& member : members) {
        const CellCode c = member.cells.front();
        const CellTotal& total = tally_.total(c);
        const double n1 = point.tpr * total.n1;
        reach[c] = Reach{n1 + point.fpr * (total.n - total.n1), n1, 0};
      }
      // Each member but the first has one constraint: equal to the first.
      for (std::size_t m = 1; m < members.size(); ++m) {
        solution.constraints[row++].multiplier = point.tpr_price[m];
      }
      for (std::size_t m = 1; m < members.size(); ++m) {
        solution.constraints[row++].multiplier = point.fpr_price[m];
      }
    }
    return with_free_cells(reach);
  }

  // Those of the cells that the criterion compares.
  using Reaches = std::vector<std::optional<Reach>>;

  // The others get what benefits alone ask for.
  std::vector<Reach> with_free_cells(const Reaches& reach) const {
    std::vector<Reach> out(reach.size());
    parallel(reach.size(), problem_.options.threads, [&](std::size_t c) {
      out[c] = reach[c] ? *reach[c] : vertices(static_cast<CellCode>(c)).best(1, {}).reach;
    });
    return out;
  }

  std::vector<CellBlock> cells_in(const Part& part) const {
    std::vector<CellBlock> out;
    for (const CellCode c : part.cells) out.push_back({&vertices(c), &known_[c]});
    return out;
  }

  std::optional<std::vector<Reach>> linear(Solution& solution) const {
    const std::vector<Part> parts = parts_of(system_);
    std::vector<Generated> generated(parts.size());
    parallel(parts.size(), problem_.options.threads, [&](std::size_t p) {
      const std::vector<CellBlock> cells = cells_in(parts[p]);
      double magnitude = 0;
      for (const CellBlock& block : cells) magnitude += block.cell->magnitude();
      generated[p] = generate(parts[p].system, blocks_of(cells), magnitude);
    });
    Reaches reach(data_.names.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (generated[p].infeasibility) {
        add_infeasibility(parts[p], std::move(*generated[p].infeasibility), solution.infeasibility);
        continue;
      }
      for (std::size_t i = 0; i < parts[p].cells.size(); ++i) {
        reach[parts[p].cells[i]] = generated[p].reach[i];
      }
      add_constraints(parts[p], std::move(generated[p].constraints), solution.constraints);
    }
    if (solution.infeasibility) return std::nullopt;
    return with_free_cells(reach);
  }

  void smooth(Solution& solution) {
    const std::vector<Part> parts = parts_of(system_);
    std::vector<std::optional<Infeasibility>> why(parts.size());
    std::vector<std::vector<Constraint>> constraints(parts.size());
    parallel(parts.size(), problem_.options.threads, [&](std::size_t p) {
      const System& system = parts[p].system;
      if (!system.requirements.empty()) {
        const std::vector<CellBlock> cells = cells_in(parts[p]);
        why[p] = find_infeasibility(system, blocks_of(cells));
      }
      std::vector<const CellCurve*> curves;
      for (const CellCode c : parts[p].cells) curves.push_back(&curve(c));
      if (!why[p]) constraints[p] = minimise_dual(system, curves, gamma_);
    });
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (why[p]) add_infeasibility(parts[p], std::move(*why[p]), solution.infeasibility);
      add_constraints(parts[p], std::move(constraints[p]), solution.constraints);
    }
    if (solution.infeasibility) return;
    const std::vector<CellPrice> price = prices(solution.constraints, system_.population);
    solution.rule = make_rule(problem_, [&](CellCode c) { return ramp_for(c, price[c]); });
    conclude_with_proof(problem_, system_, solution);
  }

  void realise(const std::vector<Reach>& reach, Solution& solution) const {
    realise_with_few_coins(
        problem_, solution,
        [&](CellCode c, double snap) -> std::optional<Response> {
          if (!problem_.from_labels && range_at(c, reach[c]).ends_at(reach[c].benefit)) {
            return response_at(c, reach[c], snap);
          }
          return fewest_response(problem_, c, {reach[c].n, outcomes(reach[c])}, snap);
        },
        [&](CellCode c) { return response_at(c, reach[c]); },
        [&] { conclude_with_proof(problem_, system_, solution); });
  }

  Response response_at(CellCode c, const Reach& reach, double snap = 0) const {
    if (problem_.from_labels) return response_reaching(curve(c), reach.n, reach.n1, data_.level);
    const double rate = std::clamp(reach.n / tally_.total(c).n, 0.0, 1.0);
    Pieces pieces = problem_.shapes->lumps(c);
    while (problem_.shapes->open_around(pieces, rate)) {
    }
    // Two cells may be off in opposite directions, and the proof allows 1e-9 in all.
    Response best = steps_at(pieces, snapped_rate(pieces, rate, 0.4 * snap), data_.level);
    const Range range = range_at(c, reach);
    if (range.ends_at(reach.benefit)) return best;
    // Between the two ends of the range, as far as the benefit asks.
    const double share =
        std::clamp((reach.benefit - range.least) / (range.most - range.least), 0.0, 1.0);
    const auto mixed = [&](double q) { return share * q + (1 - share) * rate; };
    best.start = mixed(best.start);
    for (Point& point : best.points) point.q = mixed(point.q);
    return best;
  }

  // Benefits that rules of a cell have at some rate: the best one is a threshold, the worst gives
  // everybody the same chance.
  struct Range {
    double least, most, rounding;
    // The criterion is met to 1e-9 anyway.
    bool ends_at(double benefit) const { return most - benefit <= rounding; }
  };
  Range range_at(CellCode c, const Reach& reach) const {
    const CellVertices& cell = vertices(c);
    const double rate = std::clamp(reach.n / tally_.total(c).n, 0.0, 1.0);
    const Reach total = cell.total();
    const double most = cell.most_benefit(rate * total.n);
    const double least = rate * total.benefit;
    return {least, most, 1e-11 * (most - least + cell.magnitude())};
  }

  // Favourable outcomes among those selected, as labels count them or as scores expect them.
  double outcomes(const Reach& reach) const {
    if (problem_.from_labels) return reach.n1;
    const Costs& costs = problem_.options.costs;
    return (reach.benefit + costs.false_positive * reach.n) /
           (costs.false_positive + costs.false_negative);
  }

  Response ramp_for(CellCode c, const CellPrice& price) const {
    const Costs& costs = problem_.options.costs;
    if (problem_.from_labels) return ramp_response(curve(c), price, gamma_);
    const Reach reach = curve(c).smooth(price, gamma_).reach;
    if (reach.n <= 0) return always(0);
    if (reach.n >= tally_.total(c).n) return always(1);
    const PricedLine z = curve(c).line(1, price);
    if (!(z.kappa > 0)) return always(reach.n / tally_.total(c).n);
    return ramp_at_price(data_, c, problem_.outlook, z.tau / z.kappa, gamma_ / z.kappa, costs);
  }

  const Problem& problem_;
  KnownVertices& known_;
  const Tally& tally_;
  const Tally::Data& data_;
  double gamma_;
  System system_;
};

}  // namespace

Solution solve_many(const Problem& problem) {
  KnownVertices known(problem.tally.cells().size());
  return Many(problem, known).run();
}

std::optional<std::vector<Reach>> ManyPrograms::best_reach(const Criterion& criterion) {
  const Problem asked = alike(problem_, criterion, problem_.options);
  return Many(asked, known_).best_reach();
}

Solution ManyPrograms::solve(const Criterion& criterion) {
  const Problem asked = alike(problem_, criterion, problem_.options);
  return Many(asked, known_).run();
}

}  // namespace evenhand
