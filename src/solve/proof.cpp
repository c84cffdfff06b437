#include "solve/proof.h"

#include <algorithm>

#include "solve/parts.h"
#include "solve/required.h"

namespace evenhand {
namespace {

// How far the allowed rates reach in the direction of the multipliers: the largest mu . r over all
// rates r that meet the criterion.
double support(const Problem& problem, const Stratum& stratum, const Window* window,
               const std::vector<double>& multipliers) {
  double up = 0;
  double down = 0;
  for (const CellCode c : stratum.compared) {
    (multipliers[c] > 0 ? up : down) += multipliers[c];
  }
  if (window) return window->high * up + window->low * down;
  const Criterion& criterion = problem.criterion;
  switch (criterion.relation) {
    case Relation::difference:
      return std::max(0.0, up + down) + criterion.tolerance * up;
    case Relation::ratio:
      return std::max(0.0, up + criterion.ratio * down);
    case Relation::target:
      break;
  }
  return problem.rho * (up + down) + criterion.tolerance * (up - down);
}

double violation_in(const Problem& problem, const Stratum& stratum, const Window* window,
                    const Solution& solution) {
  if (stratum.compared.empty()) return 0;
  double lowest = 1;
  double highest = 0;
  for (const CellCode c : stratum.compared) {
    lowest = std::min(lowest, solution.cells[c].rate);
    highest = std::max(highest, solution.cells[c].rate);
  }
  if (window) return std::max(highest - window->high, window->low - lowest);
  const Criterion& criterion = problem.criterion;
  switch (criterion.relation) {
    case Relation::difference:
      return highest - lowest - criterion.tolerance;
    case Relation::ratio:
      return criterion.ratio * highest - lowest;
    case Relation::target:
      break;
  }
  return std::max(highest - problem.rho, problem.rho - lowest) - criterion.tolerance;
}

}  // namespace

void conclude_with_proof(const Problem& problem, const Comparisons& comparisons,
                         const std::vector<double>& multipliers, Solution& solution) {
  const Rate rate = problem.criterion.rates.front();
  const auto compared = [&](CellCode c) { return comparisons.reasons[c].empty(); };
  std::vector<CellPrice> prices(multipliers.size());
  solution.cells.assign(multipliers.size(), {});
  for (CellCode c = 0; c < prices.size(); ++c) {
    CellOutcome& outcome = solution.cells[c];
    outcome.compared = compared(c);
    outcome.reason = comparisons.reasons[c];
    outcome.multiplier = multipliers[c];
    outcome.bound = multipliers[c] > 0   ? Bound::upper
                    : multipliers[c] < 0 ? Bound::lower
                                         : Bound::none;
    if (!outcome.compared) continue;
    const double each = multipliers[c] / denominator(rate, problem.tally.total(c));
    prices[c] = rate == Rate::selection       ? CellPrice{each, 0}
                : rate == Rate::true_positive ? CellPrice{0, each}
                                              : CellPrice{each, -each};
  }
  const auto [reach, worth] = evaluate(problem, prices, solution);
  std::vector<Worth> parts;
  solution.violation = 0;
  for (CellCode c = 0; c < reach.size(); ++c) {
    solution.cells[c].rate =
        rate_of(compared(c) ? rate : Rate::selection, reach[c], problem.tally.total(c));
  }
  for (std::size_t k = 0; k < comparisons.strata.size(); ++k) {
    const Stratum& stratum = comparisons.strata[k];
    const Window* const window = problem.windows.empty() ? nullptr : &problem.windows[k];
    const double more = support(problem, stratum, window, multipliers);
    solution.dual += more;
    parts.push_back({.dual = more});
    for (const CellCode c : stratum.compared) parts.back().add(worth[c]);
    solution.violation =
        std::max(solution.violation, violation_in(problem, stratum, window, solution));
  }
  for (CellCode c = 0; c < worth.size(); ++c) {
    if (!compared(c)) parts.push_back(worth[c]);
  }
  conclude(solution, parts);
}

std::vector<Worth> worth_of_parts(const System& system,
                                  const std::vector<std::vector<CellCode>>& alike,
                                  const std::vector<Constraint>& constraints,
                                  const std::vector<Worth>& cells) {
  std::vector<Worth> out = cells;  // a part is where its first cell is
  std::vector<CellCode> first(cells.size());
  for (CellCode c = 0; c < cells.size(); ++c) first[c] = c;
  for (const Part& part : parts_of(system, alike)) {
    for (const CellCode c : part.cells) {
      first[c] = part.cells.front();
      if (c == first[c]) continue;
      out[first[c]].add(out[c]);
      out[c] = {};
    }
  }
  for (const Constraint& constraint : constraints) {
    if (constraint.multiplier == 0) continue;
    const Pooled& one = constraint.terms.front().of;
    const CellCode c = one.cells.empty() ? one.whole.front() : one.cells.front();
    out[first[c]].dual += constraint.multiplier * row_of(constraint, system.population).bound;
  }
  return out;
}

void conclude_with_proof(const Problem& problem, const System& system, Solution& solution) {
  const Tally& tally = problem.tally;
  const auto [reach, worth] =
      evaluate(problem, prices(solution.constraints, system.population), solution);
  for (Constraint& constraint : solution.constraints) {
    constraint.value = 0;
    for (Term& term : constraint.terms) {
      term.value = measured(term.of, system.population, reach);
      constraint.value += term.factor * term.value;
    }
    solution.dual += constraint.multiplier * row_of(constraint, system.population).bound;
  }
  const std::vector<Worth> parts = worth_of_parts(system, {}, solution.constraints, worth);
  const auto& rates = problem.criterion.rates;
  for (CellCode c = 0; c < reach.size(); ++c) {
    CellOutcome& outcome = solution.cells[c];
    const Rate rate = outcome.compared && !rates.empty() ? rates.front() : Rate::selection;
    outcome.rate = rate_of(problem.rate_in(c, rate), reach[c], tally.total(c));
  }
  solution.violation = violation(system, reach);
  solution.notes = system.notes;
  for (std::string& note : vacuous(solution.constraints)) {
    solution.notes.push_back(std::move(note));
  }
  conclude(solution, parts);
}

void prove_again(const Problem& problem, Solution& solution) {
  if (!has_one_rate(problem.criterion)) {
    conclude_with_proof(problem, compile(problem), solution);
    return;
  }
  std::vector<double> multipliers;
  for (const CellOutcome& outcome : solution.cells) multipliers.push_back(outcome.multiplier);
  conclude_with_proof(problem, compare(problem.tally, problem.criterion), multipliers, solution);
}

}  // namespace evenhand
