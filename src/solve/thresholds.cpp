#include "solve/thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lottery/branch.h"
#include "solve/cell_shapes.h"
#include "solve/comparison.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

// A cell's rate at each of its points.
Doubles rates_of(const Points& points, Rate rate, const CellTotal& total) {
  Doubles out(points.size());
  const double whole = denominator(rate, total);
  double before = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double part = rate == Rate::selection       ? points.n[k]
                        : rate == Rate::true_positive ? points.y[k]
                                                      : points.n[k] - points.y[k];
    out[k] = before = std::max(before, part / whole);  // weights may round downwards
  }
  return out;
}

bool of_single_cells(const Compared& compared) {
  return std::all_of(compared.members.begin(), compared.members.end(),
                     [](const PooledRate& member) { return member.cells.size() == 1; });
}

bool solved_by_sorting(const Component& component) {
  const auto& comparisons = component.comparisons;
  if (component.required || !std::all_of(comparisons.begin(), comparisons.end(),
                                         [](const Compared* c) { return of_single_cells(*c); })) {
    return false;
  }
  if (comparisons.size() == 1) return true;
  return comparisons.size() == 2 &&
         comparisons[0]->members.front().rate != comparisons[1]->members.front().rate &&
         comparisons[0]->relation == Relation::difference &&
         comparisons[1]->relation == Relation::difference;
}

std::size_t most_nodes(const Component& component, const std::vector<Points>& points) {
  std::size_t all = 0;
  for (const Points& of_cell : points) all += of_cell.size();
  constexpr std::size_t work = 200'000'000;
  return std::clamp<std::size_t>(std::min(12'000 / component.cells.size(), work / all), 50, 2000);
}

Chosen impossible() {
  Chosen out;
  out.value = out.bound = -std::numeric_limits<double>::infinity();
  return out;
}

bool whole(double number) {
  return number == std::floor(number);
}

}  // namespace

double apart(const std::vector<double>& rates, const Compared& compared) {
  const auto [lowest, highest] = std::minmax_element(rates.begin(), rates.end());
  switch (compared.relation) {
    case Relation::difference:
      return *highest - *lowest;
    case Relation::ratio:
      return *highest > 0 ? 1 - *lowest / *highest : 0;
    case Relation::target:
      break;
  }
  return std::max(*highest - compared.rho, compared.rho - *lowest);
}

Thresholds::Thresholds(const Problem& problem)
    : problem_(problem),
      system_(compile(problem)),
      components_(components_of(system_)),
      points_(problem.tally.cells().size()) {
  problem.tally.data().sorted();  // with all threads, before they split
  parallel(points_.size(), problem.options.threads,
           [&](std::size_t c) { points_[c] = &problem.shapes->points(static_cast<CellCode>(c)); });
  std::vector<bool> tied(points_.size(), false);
  for (const Component& component : components_) {
    for (const CellCode c : component.cells) tied[c] = true;
  }
  for (CellCode c = 0; c < tied.size(); ++c) {
    if (!tied[c]) free_.push_back(c);
  }
}

bool Thresholds::exact() const {
  return std::all_of(components_.begin(), components_.end(), solved_by_sorting);
}

std::size_t Thresholds::points() const {
  std::size_t sum = 0;
  for (const Points* points : points_) sum += points->size();
  return sum;
}

std::size_t Thresholds::most_together() const {
  std::size_t most = 0;
  for (const Component& component : components_) most = std::max(most, component.cells.size());
  return most;
}

double Thresholds::best_constant() const {
  double all = 0;
  for (const Points* points : points_) all += points->value.back();
  return std::max(0.0, all);
}

std::optional<Pick> Thresholds::choose_exactly(const Component& component,
                                               const std::optional<double>& apart) const {
  if (!solved_by_sorting(component)) return std::nullopt;
  std::vector<Rated> cells;
  for (const CellCode c : component.cells) cells.push_back({of(c).value, {}, {}});
  const unsigned threads = threads_for(points(), problem_.options.threads);
  Doubles Rated::*rates = &Rated::rate;
  for (const Compared* compared : component.comparisons) {
    parallel(compared->members.size(), threads, [&](std::size_t i) {
      const PooledRate& member = compared->members[i];
      const CellCode c = member.cells.front();
      const auto place = std::lower_bound(component.cells.begin(), component.cells.end(), c);
      cells[static_cast<std::size_t>(place - component.cells.begin())].*rates =
          rates_of(of(c), problem_.rate_in(c, member.rate), problem_.tally.total(c));
    });
    rates = &Rated::other;
  }
  const Compared& first = *component.comparisons.front();
  if (component.comparisons.size() == 2) {
    return best_of_two_rates(cells, apart.value_or(first.tolerance));
  }
  return best_in_window(cells,
                        {first.relation, apart.value_or(first.tolerance),
                         apart ? 1 - *apart : first.ratio, first.rho},
                        threads);
}

void Thresholds::decide_free_cells(Chosen& out) const {
  out.mixtures.assign(points_.size(), {{0, 1}});
  for (const CellCode c : free_) {
    const Doubles& worth = of(c).value;
    const auto best = std::max_element(worth.begin(), worth.end());
    out.mixtures[c] = {{static_cast<std::size_t>(best - worth.begin()), 1}};
    out.value += *best;
  }
  out.bound = out.value;
}

void Thresholds::add(const Component& component, const Pick& pick, Chosen& out) const {
  out.value += pick.value;
  out.bound += pick.bound;
  for (std::size_t i = 0; i < component.cells.size(); ++i) {
    out.mixtures[component.cells[i]] = {{pick.at[i], 1}};
  }
  for (const Compared* compared : component.comparisons) {
    std::vector<double> rates;
    for (const PooledRate& member : compared->members) {
      const CellCode c = member.cells.front();
      const std::size_t k = out.mixtures[c].front().k;
      const Reach reach{of(c).n[k], of(c).y[k], 0};
      rates.push_back(rate_of(problem_.rate_in(c, member.rate), reach, problem_.tally.total(c)));
    }
    out.apart = std::max(out.apart, evenhand::apart(rates, *compared));
  }
}

Chosen Thresholds::choose_within(double apart) const {
  Chosen out;
  decide_free_cells(out);
  for (const Component& component : components_) {
    const std::optional<Pick> pick = choose_exactly(component, apart);
    if (!pick || pick->at.empty()) return impossible();
    add(component, *pick, out);
  }
  return out;
}

Chosen Thresholds::choose(double magnitude, const std::optional<double>& share) const {
  const Costs& costs = problem_.options.costs;
  Chosen out;
  decide_free_cells(out);
  for (const Component& component : components_) {
    const std::optional<Pick> exact = choose_exactly(component, std::nullopt);
    if (exact && !share) {
      if (exact->at.empty()) return impossible();
      add(component, *exact, out);
      continue;
    }
    std::vector<Points> points;
    for (const CellCode c : component.cells) points.push_back(of(c));
    BranchOptions options;
    options.share = share;
    options.integral = problem_.from_labels && problem_.tally.data().integer_weights &&
                       whole(costs.false_positive) && whole(costs.false_negative);
    options.magnitude = magnitude;
    options.most_nodes = most_nodes(component, points);
    const Branched found = branch_and_bound(component.limits, points, options,
                                            exact ? exact->at : std::vector<std::size_t>{});
    if (found.mixtures.empty()) {
      out.mixtures.clear();
      out.bound = found.bound;  // above minus infinity: it is not known that there is no rule
      return out;
    }
    out.value += found.value;
    out.bound += found.bound;
    for (std::size_t i = 0; i < component.cells.size(); ++i) {
      out.mixtures[component.cells[i]] = found.mixtures[i];
    }
  }
  return out;
}

}  // namespace evenhand
