#include "solve/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/cell_shapes.h"
#include "solve/comparison.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

// Of one cell.
struct Value {
  double primal = 0;
  double dual = 0;  // largest reduced objective at the cell's price
  double magnitude = 0;
  double base = 0;
  double selected = 0;   // sum n q
  double selected1 = 0;  // sum n1 q
  double lottery = 0;    // weight with 0 < q < 1
};

// Bound and magnitude of a cell whose benefits come from labels: over all nondecreasing rules.
void value_labels(const Problem& problem, CellCode c, const CellPrice& price, Value& value) {
  const double gamma = problem.options.gamma;
  const CellVertices& cell = gamma == 0 ? problem.shapes->vertices(c) : problem.shapes->curve(c);
  value.dual =
      gamma == 0 ? cell.best(1, price).value : problem.shapes->curve(c).smooth(price, gamma).value;
  value.magnitude = cell.magnitude();
}

// gamma = 0: responses are steps, so sums over the intervals between a few cuts suffice.
std::vector<Value> values_of_steps(const Problem& problem, const std::vector<CellPrice>& prices,
                                   const Solution& solution) {
  const Tally::Data& data = problem.tally.data();
  const Costs& costs = problem.options.costs;
  const Outlook& outlook = problem.outlook;
  std::vector<std::vector<double>> cuts(data.names.size());
  std::vector<double> bound_from(cuts.size());
  std::vector<double> zero_from(cuts.size());
  std::vector<PricedLine> lines(cuts.size(), PricedLine{1, 0, true});
  for (CellCode c = 0; c < cuts.size(); ++c) {
    if (!problem.from_labels) lines[c] = priced_line(false, costs, 1, prices[c]);
    // With kappa <= 0 lower scores are worth more: everybody or nobody.
    bound_from[c] = lines[c].kappa > 0
                        ? outlook.first_above(c, costs, lines[c].tau / lines[c].kappa)
                        : -std::numeric_limits<double>::infinity();
    zero_from[c] = outlook.first_above(c, costs, 0);
    for (const Point& point : solution.rule.parts().responses[c].points) {
      cuts[c].push_back(point.score);
    }
    cuts[c].push_back(problem.base_from);
    if (!problem.from_labels) cuts[c].insert(cuts[c].end(), {bound_from[c], zero_from[c]});
    std::sort(cuts[c].begin(), cuts[c].end());
    cuts[c].erase(std::unique(cuts[c].begin(), cuts[c].end()), cuts[c].end());
  }
  const auto sums = tabulate(problem, cuts);
  std::vector<Value> values(cuts.size());
  for (CellCode c = 0; c < cuts.size(); ++c) {
    Value& value = values[c];
    for (std::size_t i = 0; i < sums[c].size(); ++i) {
      const double from = i == 0 ? -std::numeric_limits<double>::infinity() : cuts[c][i - 1];
      const Sums& sum = sums[c][i];
      const double q = solution.rule.parts().responses[c](from);
      const double positives = problem.from_labels ? sum.n1 : sum.p;
      const double nh =
          costs.false_negative * positives - costs.false_positive * (sum.n - positives);
      value.primal += q * nh;
      value.selected += q * sum.n;
      value.selected1 += q * positives;
      if (q > 0 && q < 1) value.lottery += sum.n;
      if (from >= problem.base_from) value.base += nh;
      if (problem.from_labels) continue;
      if (from >= bound_from[c]) value.dual += lines[c].kappa * nh - lines[c].tau * sum.n;
      value.magnitude += from >= zero_from[c] ? nh : -nh;
    }
    if (!(lines[c].kappa > 0)) value.dual = std::max(0.0, value.dual);
  }
  return values;
}

// gamma > 0: q differs from score to score.
std::vector<Value> values_of_ramps(const Problem& problem, const std::vector<CellPrice>& prices,
                                   const Solution& solution) {
  const Tally::Data& data = problem.tally.data();
  const Sorted& sorted = data.sorted();
  const Costs& costs = problem.options.costs;
  const double gamma = problem.options.gamma;
  std::vector<Value> values(data.names.size());
  for (CellCode c = 0; c < values.size(); ++c) {
    Value& value = values[c];
    const Response& response = solution.rule.parts().responses[c];
    const PricedLine line = priced_line(false, costs, 1, prices[c]);
    double all_z = 0;
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      const double n = sorted.n(i);
      const double n1 = sorted.positives(i);
      const double q = response(sorted.score[i]);
      const double nh = problem.from_labels
                            ? costs.false_negative * n1 - costs.false_positive * (n - n1)
                            : n * benefit(problem.outlook.probability(c, sorted.score[i]), costs);
      value.primal += nh * q - gamma / 2 * n * q * q;
      value.selected += n * q;
      value.selected1 +=
          problem.from_labels ? n1 * q : n * q * problem.outlook.probability(c, sorted.score[i]);
      if (q > 0 && q < 1) value.lottery += n;
      if (sorted.score[i] >= problem.base_from) value.base += nh;
      if (problem.from_labels) continue;
      const double z = line.kappa * (nh / n) - line.tau;
      all_z += n * z;
      value.dual += n * largest_reduced(z, gamma);
      value.magnitude += std::abs(nh);
    }
    // Lower scores are worth more, so that the best nondecreasing rule treats all alike.
    const double n = problem.tally.total(c).n;
    if (!problem.from_labels && !(line.kappa > 0) && n > 0) {
      value.dual = n * largest_reduced(all_z / n, gamma);
    }
  }
  return values;
}

}  // namespace

Evaluated evaluate(const Problem& problem, const std::vector<CellPrice>& prices,
                   Solution& solution) {
  const bool steps = problem.options.gamma == 0;
  std::vector<Value> values = steps ? values_of_steps(problem, prices, solution)
                                    : values_of_ramps(problem, prices, solution);
  if (problem.from_labels) {
    parallel(values.size(), problem.options.threads, [&](std::size_t c) {
      const auto cell = static_cast<CellCode>(c);
      if (problem.tally.total(cell).n > 0) value_labels(problem, cell, prices[c], values[c]);
    });
  }
  Evaluated out;
  double lottery = 0;
  solution.primal = solution.dual = solution.magnitude = solution.base = 0;
  for (CellCode c = 0; c < values.size(); ++c) {
    const Value& value = values[c];
    const double n = problem.tally.total(c).n;
    solution.cells[c].lottery_share = n > 0 ? value.lottery / n : 0;
    solution.primal += value.primal;
    solution.dual += value.dual;
    solution.magnitude += value.magnitude;
    solution.base += value.base;
    lottery += value.lottery;
    out.reach.push_back({value.selected, value.selected1, value.primal});
    out.worth.push_back({value.primal, value.dual, value.magnitude, n});
  }
  solution.lottery_share = lottery / problem.tally.total().n;
  return out;
}

void Worth::add(const Worth& other) {
  primal += other.primal;
  dual += other.dual;
  magnitude += other.magnitude;
  weight += other.weight;
}

double numerator(Rate rate, const Reach& reach) noexcept {
  return denominator(rate, {reach.n, reach.n1});  // the same sum, over those who are selected
}

double rate_of(Rate rate, const Reach& reach, const CellTotal& total) noexcept {
  const double whole = denominator(rate, total);
  return whole == 0 ? 0 : numerator(rate, reach) / whole;
}

double largest_reduced(double z, double gamma) noexcept {
  if (z <= 0) return 0;
  return z >= gamma ? z - gamma / 2 : z * z / (2 * gamma);
}

bool proven(double gap, double violation) noexcept {
  constexpr double close = 1e-9;
  return std::abs(gap) < close && violation < close;
}

// The gap that solution.bound leaves.
static void conclude_gap(Solution& solution) {
  const double gap = solution.bound - solution.primal;
  solution.gap = solution.magnitude > 0 ? gap / solution.magnitude : gap;
}

void conclude_search(Solution& solution, double value, double bound) {
  const bool closed = bound <= value + 1e-9 * solution.magnitude;
  solution.bound = closed ? std::min(solution.primal, solution.dual)
                          : std::min(std::max(bound, solution.primal), solution.dual);
  conclude_gap(solution);
  solution.gap = std::max(0.0, solution.gap);
  solution.status = !proven(0, solution.violation) ? Status::inaccurate
                    : proven(solution.gap, 0)      ? Status::optimal
                                                   : Status::feasible;
}

void conclude(Solution& solution, const std::vector<Worth>& parts) {
  solution.bound = solution.dual;
  conclude_gap(solution);
  const Costs& costs = solution.options.costs;
  const bool all = std::all_of(parts.begin(), parts.end(), [&](const Worth& part) {
    // Benefits that cancel out leave nothing but rounding to compare with.
    const double least = 0.01 * part.weight * (costs.false_positive + costs.false_negative);
    const double scale = std::max(part.magnitude, least);
    return scale == 0 || proven((part.dual - part.primal) / scale, 0);
  });
  const bool optimal = all && proven(solution.gap, solution.violation);
  solution.status = optimal ? Status::optimal : Status::inaccurate;
}

}  // namespace evenhand
