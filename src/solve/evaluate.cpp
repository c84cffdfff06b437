#include "solve/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tally/tabulate.h"

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

double reduced(double z, double gamma) {  // max over q in [0, 1] of z q - gamma / 2 q^2
  if (z <= 0) return 0;
  return z >= gamma ? z - gamma / 2 : z * z / (2 * gamma);
}

// The bound of a cell whose benefits come from labels. Pieces ascend in h, and z = h - theta a / n
// is monotone in it; where it falls with the score, the best nondecreasing q is constant.
double dual_of_labels(const Pieces& pieces, double theta, double gamma) {
  const auto z = [theta](const Piece& piece) { return piece.h - theta * (piece.a / piece.n); };
  const bool falls =
      gamma > 0 && pieces.list.size() > 1 && z(pieces.list.front()) < z(pieces.list.back());
  double sum = 0;
  double n = 0;
  double nz = 0;
  for (const Piece& piece : pieces.list) {
    n += piece.n;
    nz += piece.n * z(piece);
    sum += piece.n * reduced(z(piece), gamma);
  }
  return falls ? n * reduced(nz / n, gamma) : sum;
}

// The price of a unit of a cell's denominator.
double theta_of(const Problem& problem, const CellOutcome& outcome, CellCode c) {
  if (!outcome.compared) return 0;
  return outcome.multiplier / denominator(problem.criterion.rate, problem.tally.total(c));
}

// gamma = 0: responses are steps, so sums over the intervals between a few cuts suffice.
std::vector<Value> values_of_steps(const Problem& problem, const Solution& solution) {
  const Tally::Data& data = problem.tally.data();
  const Costs& costs = problem.options.costs;
  const Reading& reading = data.reading;
  const double zero_from = first_above(reading, costs, 0);
  std::vector<std::vector<double>> cuts(data.names.size());
  std::vector<double> bound_from(cuts.size());
  for (CellCode c = 0; c < cuts.size(); ++c) {
    const double theta = theta_of(problem, solution.cells[c], c);
    bound_from[c] = first_above(reading, costs, theta);
    for (const Point& point : solution.rule.parts().responses[c].points) {
      cuts[c].push_back(point.score);
    }
    cuts[c].push_back(problem.base_from);
    if (!problem.from_labels) cuts[c].insert(cuts[c].end(), {bound_from[c], zero_from});
    std::sort(cuts[c].begin(), cuts[c].end());
    cuts[c].erase(std::unique(cuts[c].begin(), cuts[c].end()), cuts[c].end());
  }
  const auto sums = tabulate(data, cuts, !problem.from_labels, problem.options.threads);
  std::vector<Value> values(cuts.size());
  for (CellCode c = 0; c < cuts.size(); ++c) {
    Value& value = values[c];
    const double theta = theta_of(problem, solution.cells[c], c);
    for (std::size_t i = 0; i < sums[c].size(); ++i) {
      const double from = i == 0 ? -std::numeric_limits<double>::infinity() : cuts[c][i - 1];
      const Sums& sum = sums[c][i];
      const double q = solution.rule.parts().responses[c](from);
      const double positives = problem.from_labels ? sum.n1 : sum.p;
      const double nh =
          costs.false_negative * positives - costs.false_positive * (sum.n - positives);
      value.primal += q * nh;
      value.selected += q * sum.n;
      value.selected1 += q * sum.n1;
      if (q > 0 && q < 1) value.lottery += sum.n;
      if (from >= problem.base_from) value.base += nh;
      if (problem.from_labels) continue;
      if (from >= bound_from[c]) value.dual += nh - theta * sum.n;
      value.magnitude += from >= zero_from ? nh : -nh;
    }
  }
  return values;
}

// gamma > 0: q differs from score to score.
std::vector<Value> values_of_ramps(const Problem& problem, const Solution& solution) {
  const Tally::Data& data = problem.tally.data();
  const Sorted& sorted = data.sorted();
  const Costs& costs = problem.options.costs;
  const double gamma = problem.options.gamma;
  std::vector<Value> values(data.names.size());
  for (CellCode c = 0; c < values.size(); ++c) {
    Value& value = values[c];
    const Response& response = solution.rule.parts().responses[c];
    const double theta = theta_of(problem, solution.cells[c], c);
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      const double n = sorted.n[i];
      const double n1 = sorted.positives(i);
      const double q = response(sorted.score[i]);
      const double nh = problem.from_labels
                            ? costs.false_negative * n1 - costs.false_positive * (n - n1)
                            : n * benefit(data.reading.probability(sorted.score[i]), costs);
      value.primal += nh * q - gamma / 2 * n * q * q;
      value.selected += n * q;
      value.selected1 += n1 * q;
      if (q > 0 && q < 1) value.lottery += n;
      if (sorted.score[i] >= problem.base_from) value.base += nh;
      if (problem.from_labels) continue;
      value.dual += n * reduced(nh / n - theta, gamma);
      value.magnitude += std::abs(nh);
    }
  }
  return values;
}

// How far the allowed rates reach in the direction of the multipliers: the largest mu . r over all
// rates r that meet the criterion.
double support(const Problem& problem, const Solution& solution, const Stratum& stratum) {
  double up = 0;
  double down = 0;
  for (const CellCode c : stratum.compared) {
    const double mu = solution.cells[c].multiplier;
    (mu > 0 ? up : down) += mu;
  }
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

double violation_in(const Problem& problem, const Solution& solution, const Stratum& stratum) {
  if (stratum.compared.empty()) return 0;
  double lowest = 1;
  double highest = 0;
  for (const CellCode c : stratum.compared) {
    lowest = std::min(lowest, solution.cells[c].rate);
    highest = std::max(highest, solution.cells[c].rate);
  }
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

double rate_of(const Problem& problem, const Value& value, const CellOutcome& outcome, CellCode c) {
  const CellTotal& total = problem.tally.total(c);
  const Rate rate = outcome.compared ? problem.criterion.rate : Rate::selection;
  const double below = denominator(rate, total);
  if (below == 0) return 0;
  switch (rate) {
    case Rate::selection:
      return value.selected / below;
    case Rate::true_positive:
      return value.selected1 / below;
    case Rate::false_positive:
      break;
  }
  return (value.selected - value.selected1) / below;
}

}  // namespace

void evaluate(const Problem& problem, const std::vector<Pieces>& pieces, Solution& solution) {
  std::vector<Value> values = problem.options.gamma == 0 ? values_of_steps(problem, solution)
                                                         : values_of_ramps(problem, solution);
  double lottery = 0;
  for (CellCode c = 0; c < values.size(); ++c) {
    Value& value = values[c];
    CellOutcome& outcome = solution.cells[c];
    if (problem.from_labels) {
      for (const Piece& piece : pieces[c].list) value.magnitude += std::abs(piece.n * piece.h);
      value.dual = dual_of_labels(pieces[c], theta_of(problem, outcome, c), problem.options.gamma);
    }
    const double n = problem.tally.total(c).n;
    outcome.lottery_share = n > 0 ? value.lottery / n : 0;
    outcome.rate = rate_of(problem, value, outcome, c);
    solution.primal += value.primal;
    solution.dual += value.dual;
    solution.magnitude += value.magnitude;
    solution.base += value.base;
    lottery += value.lottery;
  }
  solution.lottery_share = lottery / problem.tally.total().n;
  for (const Stratum& stratum : problem.comparisons.strata) {
    solution.dual += support(problem, solution, stratum);
    solution.violation = std::max(solution.violation, violation_in(problem, solution, stratum));
  }
  const double gap = solution.dual - solution.primal;
  solution.gap = solution.magnitude > 0 ? gap / solution.magnitude : gap;
  constexpr double close = 1e-9;
  solution.status = std::abs(solution.gap) < close && solution.violation < close
                        ? Status::optimal
                        : Status::inaccurate;
}

}  // namespace evenhand
