#include "solve/blind.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include "calibrate/tabulate.h"
#include "rule/grouping.h"
#include "rule/plain_responses.h"
#include "solve/constraints.h"
#include "solve/evaluate.h"
#include "solve/parts.h"
#include "solve/pooled_scores.h"
#include "solve/realise.h"
#include "solve/required.h"
#include "support/boundary.h"

namespace evenhand {
namespace {

void check(const Problem& problem) {
  if (problem.options.gamma > 0) {
    throw std::invalid_argument("a blind rule has no width of randomization: gamma must be 0");
  }
  const auto& calibrator = problem.outlook.calibrator;
  if (calibrator && calibrator->by() == CalibrateBy::cell) {
    throw std::invalid_argument(
        "a blind rule cannot tell groups apart, so that their scores cannot be calibrated group by "
        "group: calibrate by all");
  }
}

class Blind {
 public:
  explicit Blind(const Problem& problem)
      : problem_(problem),
        data_(problem.tally.data()),
        system_(compile(problem)),
        families_(group_cells(data_.names, problem.criterion.roles.within)) {
    family_of_.resize(data_.names.size());
    for (std::size_t f = 0; f < families_.size(); ++f) {
      pools_.emplace_back(problem, families_[f].cells);
      for (const CellCode c : families_[f].cells) family_of_[c] = f;
    }
  }

  Solution run() {
    Solution solution;
    solution.criterion = problem_.criterion;
    solution.options = problem_.options;
    solution.strata = system_.strata;
    solution.notes = system_.notes;
    solution.names = data_.names;
    solution.cells.resize(data_.names.size());
    for (CellCode c = 0; c < solution.cells.size(); ++c) {
      solution.cells[c].compared = system_.reasons[c].empty();
      solution.cells[c].reason = system_.reasons[c];
    }
    const std::vector<CellPrice> free(data_.names.size());
    std::vector<Mixed> mixtures;
    for (const PooledScores& pool : pools_) {
      solution.magnitude += pool.magnitude();
      mixtures.push_back({{pool.best(1, free).column.tag, 1}});
    }
    std::vector<std::vector<CellCode>> alike;
    for (const CellGroup& family : families_) alike.push_back(family.cells);
    for (const Part& part : parts_of(system_, alike)) solve_part(part, mixtures, solution);
    if (solution.infeasibility) {
      solution.infeasibility->alike = std::move(alike);
      solution.status = Status::infeasible;
      return solution;
    }
    Solution with_coins = solution;
    with_coins.rule = rule_of(mixtures);
    prove(with_coins);
    const SolveOptions& options = problem_.options;
    if (options.lottery != Lottery::none && !options.max_lottery) return with_coins;
    if (options.lottery != Lottery::none && few_enough(with_coins)) return with_coins;
    return without_coins(std::move(solution), with_coins);
  }

 private:
  bool few_enough(const Solution& solution) const {
    return std::all_of(solution.cells.begin(), solution.cells.end(), [&](const CellOutcome& cell) {
      return cell.lottery_share <= *problem_.options.max_lottery;
    });
  }

  // Whether nothing ties two strata together: the best threshold of each is then found alone.
  bool strata_are_apart() const {
    std::vector<std::vector<CellCode>> tied;
    for (const Compared& compared : system_.comparisons) {
      tied.emplace_back();
      for (const PooledRate& member : compared.members) {
        tied.back().insert(tied.back().end(), member.cells.begin(), member.cells.end());
      }
    }
    for (const Constraint& constraint : system_.requirements) {
      tied.emplace_back();
      for (const Term& term : constraint.terms) {
        tied.back().insert(tied.back().end(), term.of.cells.begin(), term.of.cells.end());
        tied.back().insert(tied.back().end(), term.of.whole.begin(), term.of.whole.end());
      }
    }
    return std::all_of(tied.begin(), tied.end(), [&](const std::vector<CellCode>& cells) {
      return std::all_of(cells.begin(), cells.end(),
                         [&](CellCode c) { return family_of_[c] == family_of_[cells.front()]; });
    });
  }

  // One threshold for each stratum, none of them first: the best one of a stratum while the others
  // stay, until none moves. Where strata are apart, or there is one, that is the best rule. Else
  // what it lacks is at most what it is below the optimum with coins.
  Solution without_coins(Solution out, const Solution& with_coins) const {
    std::vector<std::size_t> at(pools_.size());
    std::vector<Reach> reach(data_.names.size());
    constexpr int most_rounds = 20;
    for (int round = 0; round < most_rounds; ++round) {
      bool moved = false;
      for (std::size_t f = 0; f < pools_.size(); ++f) {
        const std::size_t k = best_threshold(f, at[f], reach);
        moved = moved || k != at[f];
        at[f] = k;
        reach_by(f, k, reach);
      }
      if (!moved) break;
    }
    const bool exact = strata_are_apart();
    if (violation(system_, reach) > feasible) {
      out.status = Status::infeasible;
      out.infeasibility.emplace();
      out.infeasibility->for_lack_of_coins = true;
      out.infeasibility->searched = exact && !problem_.options.max_lottery;
      out.infeasibility->clash = problem_.criterion.require;
      return out;
    }
    std::vector<std::vector<std::pair<std::size_t, double>>> mixture;
    for (const std::size_t k : at) mixture.push_back({{k, 1.0}});
    out.rule = rule_of(mixture);
    prove(out);
    const bool closed = exact && problem_.options.lottery == Lottery::none;
    out.dual = with_coins.dual;
    out.bound = closed ? std::min(out.primal, out.dual) : std::max(out.primal, out.dual);
    conclude_gap(out);
    out.gap = std::max(0.0, out.gap);
    out.status = !proven(0, out.violation) ? Status::inaccurate
                 : proven(out.gap, 0)      ? Status::optimal
                                           : Status::feasible;
    return out;
  }

  static constexpr double feasible = 1e-10;  // of a violation: the rest is rounding

  void reach_by(std::size_t f, std::size_t k, std::vector<Reach>& reach) const {
    const Column column = pools_[f].column(k);
    for (const auto& [cell, sums] : column.reach) reach[cell] = {sums.n, sums.n1, 0};
    if (!families_[f].cells.empty()) reach[families_[f].cells.front()].benefit = column.benefit;
  }

  // The least violation, then the largest benefit, then the fewest people.
  std::size_t best_threshold(std::size_t f, std::size_t now, std::vector<Reach> reach) const {
    reach_by(f, now, reach);
    std::size_t best = now;
    double missed = std::max(feasible, violation(system_, reach));
    double most = reach[families_[f].cells.front()].benefit;
    pools_[f].scan([&](std::size_t k, const Column& column) {
      const bool better = column.benefit > most || (column.benefit == most && k < best);
      if (missed <= feasible && !better) return;
      for (const auto& [cell, sums] : column.reach) reach[cell] = {sums.n, sums.n1, 0};
      const double missing = std::max(feasible, violation(system_, reach));
      if (missing < missed || (missing == missed && better)) {
        missed = missing;
        most = column.benefit;
        best = k;
      }
    });
    return best;
  }

  using Mixed = std::vector<std::pair<std::size_t, double>>;  // thresholds with their weights

  void solve_part(const Part& part, std::vector<Mixed>& mixtures, Solution& solution) {
    std::vector<std::size_t> families;
    std::vector<std::vector<CellCode>> codes;  // in the part, of their cells
    std::map<std::size_t, std::size_t> place;
    double magnitude = 0;
    for (CellCode i = 0; i < part.cells.size(); ++i) {
      const std::size_t f = family_of_[part.cells[i]];
      const auto [found, is_new] = place.try_emplace(f, families.size());
      if (is_new) {
        families.push_back(f);
        codes.emplace_back();
        magnitude += pools_[f].magnitude();
      }
      codes[found->second].push_back(i);
    }
    for (std::size_t i = 0; i < families.size(); ++i) {
      pools_[families[i]].call_cells(std::move(codes[i]));
    }
    Generated found = generate(part.system, blocks_of(families), magnitude);
    for (const std::size_t f : families) pools_[f].call_cells(families_[f].cells);
    if (found.infeasibility) {
      add_infeasibility(part, std::move(*found.infeasibility), solution.infeasibility);
      return;
    }
    add_constraints(part, std::move(found.constraints), solution.constraints);
    for (std::size_t i = 0; i < families.size(); ++i) mixtures[families[i]] = found.mixture[i];
  }

  Blocks blocks_of(const std::vector<std::size_t>& families) const {
    Blocks out;
    out.count = families.size();
    out.start = [&](std::size_t i) {
      const PooledScores& pool = pools_[families[i]];
      return std::vector{pool.column(0), pool.column(pool.count())};
    };
    out.best = [&](std::size_t i, double weight, const std::vector<CellPrice>& price) {
      return pools_[families[i]].best(weight, price);
    };
    return out;
  }

  // q of a score is the weight of all thresholds that select it.
  Response response_of(std::size_t f, Mixed mixture) const {
    const PooledScores& pool = pools_[f];
    // Those that select most come first: their weight counts from the lowest scores on.
    std::sort(mixture.rbegin(), mixture.rend());
    double whole = 0;
    for (const auto& [k, weight] : mixture) whole += weight;
    Response out;
    double sum = 0;
    for (const auto& [k, weight] : mixture) {
      if (k == 0) break;
      sum += weight / whole;
      const double q = sum > 1 - 1e-11 ? 1 : sum;  // the rest is rounding
      if (k == pool.count()) {
        out.start = q;
        continue;
      }
      const double from = boundary_between(pool.score(k), pool.score(k - 1), data_.level);
      if (!out.points.empty() && out.points.back().score == from) out.points.pop_back();
      out.points.push_back({from, q});
    }
    return out;
  }

  Rule rule_of(const std::vector<Mixed>& mixture) const {
    RuleParts parts;
    std::vector<std::vector<std::string>> values;
    for (std::size_t f = 0; f < families_.size(); ++f) {
      values.push_back(families_[f].values);
      parts.responses.push_back(pools_[f].count() > 0 ? response_of(f, mixture[f])
                                                      : from_score(problem_.base_from));
    }
    parts.cells = CellNames(problem_.criterion.roles.within, values);
    parts.reading = data_.reading;
    parts.otherwise = problem_.base_from;
    if (problem_.outlook.calibrator) parts.calibrator = *problem_.outlook.calibrator;
    return Rule(std::move(parts));
  }

  // All of it from the tally and the rule: sums over the intervals between the rule's steps.
  void prove(Solution& solution) const {
    const Costs& costs = problem_.options.costs;
    std::vector<std::vector<double>> cuts(data_.names.size());
    std::vector<const Response*> responses(cuts.size());
    for (std::size_t f = 0; f < families_.size(); ++f) {
      const Response& response = solution.rule.parts().responses[f];
      for (const CellCode c : families_[f].cells) {
        responses[c] = &response;
        for (const Point& point : response.points) cuts[c].push_back(point.score);
        cuts[c].push_back(problem_.base_from);
        std::sort(cuts[c].begin(), cuts[c].end());
        cuts[c].erase(std::unique(cuts[c].begin(), cuts[c].end()), cuts[c].end());
      }
    }
    const auto sums = tabulate(data_, cuts, problem_.from_labels ? nullptr : &problem_.outlook,
                               problem_.options.threads);
    std::vector<Reach> reach(cuts.size());
    double by_lot = 0;
    for (CellCode c = 0; c < cuts.size(); ++c) {
      double lottery = 0;
      for (std::size_t i = 0; i < sums[c].size(); ++i) {
        const double from = i == 0 ? -std::numeric_limits<double>::infinity() : cuts[c][i - 1];
        const Sums& sum = sums[c][i];
        const double good = problem_.from_labels ? sum.n1 : sum.p;
        const double nh = costs.false_negative * good - costs.false_positive * (sum.n - good);
        const double q = (*responses[c])(from);
        reach[c].n += q * sum.n;
        reach[c].n1 += q * good;
        reach[c].benefit += q * nh;
        if (q > 0 && q < 1) lottery += sum.n;
        if (from >= problem_.base_from) solution.base += nh;
      }
      solution.primal += reach[c].benefit;
      by_lot += lottery;
      const double n = problem_.tally.total(c).n;
      solution.cells[c].lottery_share = n > 0 ? lottery / n : 0;
      const auto& rates = problem_.criterion.rates;
      const Rate rate =
          solution.cells[c].compared && !rates.empty() ? rates.front() : Rate::selection;
      solution.cells[c].rate = rate_of(rate, reach[c], problem_.tally.total(c));
    }
    solution.lottery_share = by_lot / problem_.tally.total().n;
    // At any prices no mixture of thresholds is worth more than the best of them.
    const std::vector<CellPrice> price = prices(solution.constraints, system_.population);
    for (const PooledScores& pool : pools_) solution.dual += pool.best(1, price).value;
    for (Constraint& constraint : solution.constraints) {
      for (Term& term : constraint.terms) {
        term.value = measured(term.of, system_.population, reach);
        constraint.value += term.factor * term.value;
      }
      solution.dual += constraint.multiplier * row_of(constraint, system_.population).bound;
    }
    for (std::string& note : vacuous(solution.constraints)) {
      solution.notes.push_back(std::move(note));
    }
    solution.violation = violation(system_, reach);
    conclude(solution);
  }

  const Problem& problem_;
  const Tally::Data& data_;
  System system_;
  std::vector<CellGroup> families_;
  std::vector<PooledScores> pools_;
  std::vector<std::size_t> family_of_;  // of each cell
};

}  // namespace

Solution solve_blind(const Problem& problem) {
  check(problem);
  return Blind(problem).run();
}

}  // namespace evenhand
