#include "solve/thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
    const double part = counted(rate, {points.n[k], points.y[k]});
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

std::size_t place_of(CellCode cell, const Component& component) {
  const auto place = std::lower_bound(component.cells.begin(), component.cells.end(), cell);
  return static_cast<std::size_t>(place - component.cells.begin());
}

Chosen impossible() {
  Chosen out;
  out.value = out.bound = -std::numeric_limits<double>::infinity();
  return out;
}

constexpr std::size_t many_points = std::size_t{1} << 18U;

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
    : problem_(problem), system_(compile(problem)), components_(components_of(system_)) {
  for (CellCode c = 0; c < problem.tally.cells().size(); ++c) {
    sums_.push_back(problem.shapes->sums(c));
  }
  std::vector<bool> tied(sums_.size(), false);
  for (const Component& component : components_) {
    for (const CellCode c : component.cells) tied[c] = true;
  }
  for (CellCode c = 0; c < tied.size(); ++c) {
    if (!tied[c]) free_.push_back(c);
  }
  if (points() >= many_points) return;
  std::vector<CellCode> all(sums_.size());
  std::iota(all.begin(), all.end(), CellCode{0});
  make_points(all);
  all_made_ = true;
}

bool Thresholds::exact() const {
  return std::all_of(components_.begin(), components_.end(), solved_by_sorting);
}

std::size_t Thresholds::points() const {
  std::size_t sum = 0;
  for (const PointSums& sums : sums_) sum += sums.size();
  return sum;
}

std::size_t Thresholds::most_together() const {
  std::size_t most = 0;
  for (const Component& component : components_) most = std::max(most, component.cells.size());
  return most;
}

double Thresholds::best_constant() const {
  double all = 0;
  for (const PointSums& sums : sums_) all += sums.value(sums.at(sums.size() - 1));
  return std::max(0.0, all);
}

const Points& Thresholds::points_of(CellCode cell) const {
  return problem_.shapes->points(cell);
}

void Thresholds::make_points(const std::vector<CellCode>& cells) const {
  if (all_made_) return;
  parallel(cells.size(), threads_for(points(), problem_.options.threads),
           [&](std::size_t i) { points_of(cells[i]); });
}

// Where there are many points, and a window sees few of them at a time.
std::optional<Pick> Thresholds::choose_by_sums(const Component& component,
                                               const RateWindow& window) const {
  constexpr double narrow = 1.0 / 64;
  if (points() < many_points || reach_of(window) > narrow) return std::nullopt;
  std::vector<RatedSums> cells(component.cells.size());
  for (const PooledRate& member : component.comparisons.front()->members) {
    const CellCode c = member.cells.front();
    const Rate rate = problem_.rate_in(c, member.rate);
    // Sums of what is left may round downwards.
    if (rate == Rate::false_positive && !problem_.tally.data().integer_weights) return std::nullopt;
    cells[place_of(c, component)] = {&sums_[c], rate, denominator(rate, problem_.tally.total(c))};
  }
  return best_in_window(cells, window, problem_.options.threads);
}

std::optional<Pick> Thresholds::choose_exactly(const Component& component,
                                               const std::optional<double>& apart) const {
  if (!solved_by_sorting(component)) return std::nullopt;
  const Compared& first = *component.comparisons.front();
  const RateWindow window{first.relation, apart.value_or(first.tolerance),
                          apart ? 1 - *apart : first.ratio, first.rho};
  if (component.comparisons.size() == 1) {
    if (std::optional<Pick> pick = choose_by_sums(component, window)) return pick;
  }
  make_points(component.cells);
  std::vector<Rated> cells;
  for (const CellCode c : component.cells) cells.push_back({points_of(c).value, {}, {}});
  const unsigned threads = threads_for(points(), problem_.options.threads);
  Doubles Rated::*rates = &Rated::rate;
  for (const Compared* compared : component.comparisons) {
    parallel(compared->members.size(), threads, [&](std::size_t i) {
      const PooledRate& member = compared->members[i];
      const CellCode c = member.cells.front();
      cells[place_of(c, component)].*rates =
          rates_of(points_of(c), problem_.rate_in(c, member.rate), problem_.tally.total(c));
    });
    rates = &Rated::other;
  }
  if (component.comparisons.size() == 2) return best_of_two_rates(cells, window.tolerance);
  return best_in_window(cells, window, threads);
}

void Thresholds::decide_free_cells(Chosen& out) const {
  out.mixtures.assign(sums_.size(), {{0, 1}});
  make_points(free_);
  for (const CellCode c : free_) {
    const Doubles& worth = points_of(c).value;
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
      const At at = sums_[c].at(k);
      rates.push_back(
          rate_of(problem_.rate_in(c, member.rate), {at.n, at.y, 0}, problem_.tally.total(c)));
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
    make_points(component.cells);
    std::vector<Points> points;
    for (const CellCode c : component.cells) points.push_back(points_of(c));
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
