#include "solve/rows.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace evenhand {
namespace {

CellTotal total_of(const std::vector<CellCode>& cells, const Population& population) {
  CellTotal sum;
  for (const CellCode c : cells) {
    sum.n += population.cells[c].n;
    sum.n1 += population.cells[c].n1;
  }
  return sum;
}

Reach reach_of(const std::vector<CellCode>& cells, const std::vector<Reach>& reach,
               const Population& population) {
  Reach sum;
  for (const CellCode c : cells) {
    sum.n += reach[c].n;
    sum.n1 += population.outcomes(c, reach[c]);
  }
  return sum;
}

// factor * measure = n * sum n q + n1 * sum n1 q + constant, over the pooled cells.
struct Affine {
  double n = 0;
  double n1 = 0;
  double constant = 0;
  double size = 1;  // how large it can be, about
};
Affine affine(double factor, const Pooled& pooled, const Population& population) {
  const CellTotal all = total_of(pooled.cells, population);
  const double n0 = all.n - all.n1;
  const double size = std::abs(factor);
  const double fp = population.costs.false_positive;
  const double fn = population.costs.false_negative;
  switch (pooled.measure) {
    case Measure::rate:
      return {factor / all.n, 0, 0, size};
    case Measure::tpr:
      return {0, factor / all.n1, 0, size};
    case Measure::fpr:
      return {factor / n0, -factor / n0, 0, size};
    case Measure::accuracy:
      return {-factor / all.n, 2 * factor / all.n, factor * n0 / all.n, size};
    case Measure::cost:
      return {factor * fp / all.n, -factor * (fn + fp) / all.n, factor * fn * all.n1 / all.n,
              size * std::max(fn, fp)};
    case Measure::selected:
      return {factor, 0, 0, size * all.n};
    case Measure::precision:
    case Measure::npv:
    case Measure::share:
      break;
  }
  throw std::logic_error("ratios have rows of their own");
}

void add(std::vector<Coefficient>& out, const std::vector<CellCode>& cells, double n, double n1,
         const Population& population) {
  for (const CellCode c : cells) {
    if (population.borrows.empty() || !population.borrows[c]) {
      out.push_back({c, n, n1});
    } else {  // its outcomes are its people, or nobody
      out.push_back({c, population.cells[c].n1 > 0 ? n + n1 : n, 0});
    }
  }
}

// factor * ratio (<=, = or >=) bound, multiplied by what the ratio divides by. Holds if that is 0.
Row ratio_row(const Term& term, double bound, const Population& population) {
  const Pooled& of = term.of;
  const double c = bound / term.factor;
  Row out;
  out.unit = std::abs(term.factor);
  if (of.measure == Measure::share) {
    const double each = term.factor / total_of(of.whole, population).n;
    add(out.coefficients, of.cells, each, 0, population);
    add(out.coefficients, of.whole, -c * each, 0, population);
    return out;
  }
  const CellTotal all = total_of(of.cells, population);
  const double each = term.factor / all.n;
  if (of.measure == Measure::precision) {  // sum (n1 - c n) q
    add(out.coefficients, of.cells, -c * each, each, population);
  } else {  // sum (n0 - c n) (1 - q)
    add(out.coefficients, of.cells, -(1 - c) * each, each, population);
    out.bound = -(all.n - all.n1 - c * all.n) * each;
  }
  // A bound far outside [0, 1] makes a row that is as large.
  out.unit *= std::max(1.0, std::abs(c));
  return out;
}

}  // namespace

Row row_of(const Constraint& constraint, const Population& population) {
  const Term& first = constraint.terms.front();
  if (is_ratio(first.of.measure)) return ratio_row(first, constraint.bound, population);
  Row out;
  out.bound = constraint.bound;
  out.unit = 0;
  for (const Term& term : constraint.terms) {
    const Affine part = affine(term.factor, term.of, population);
    out.bound -= part.constant;
    out.unit = std::max(out.unit, part.size);
    add(out.coefficients, term.of.cells, part.n, part.n1, population);
  }
  if (!(out.unit > 0)) out.unit = 1;
  return out;
}

double value_of(const std::vector<Coefficient>& coefficients, const std::vector<Reach>& reach) {
  double sum = 0;
  for (const Coefficient& a : coefficients) sum += a.n * reach[a.cell].n + a.n1 * reach[a.cell].n1;
  return sum;
}

double violation(const Constraint& constraint, const Population& population,
                 const std::vector<Reach>& reach) {
  const Row row = row_of(constraint, population);
  const double over = (value_of(row.coefficients, reach) - row.bound) / row.unit;
  return constraint.sense == Sense::at_most    ? over
         : constraint.sense == Sense::at_least ? -over
                                               : std::abs(over);
}

double measured(const Pooled& pooled, const Population& population,
                const std::vector<Reach>& reach) {
  const Reach selected = reach_of(pooled.cells, reach, population);
  const CellTotal all = total_of(pooled.cells, population);
  switch (pooled.measure) {
    // Divided at the end, as rates of cells are: the same figure has the same bits everywhere.
    case Measure::rate:
      return selected.n / all.n;
    case Measure::tpr:
      return selected.n1 / all.n1;
    case Measure::fpr:
      return (selected.n - selected.n1) / (all.n - all.n1);
    case Measure::precision:
      return selected.n1 / selected.n;
    case Measure::npv:
      return ((all.n - all.n1) - (selected.n - selected.n1)) / (all.n - selected.n);
    case Measure::share:
      return selected.n / reach_of(pooled.whole, reach, population).n;
    case Measure::accuracy:
    case Measure::cost:
    case Measure::selected:
      break;
  }
  const Affine value = affine(1, pooled, population);
  return value.constant + value.n * selected.n + value.n1 * selected.n1;
}

std::vector<CellPrice> prices(const std::vector<Constraint>& constraints,
                              const Population& population) {
  std::vector<CellPrice> out(population.cells.size());
  for (const Constraint& constraint : constraints) {
    if (constraint.multiplier == 0) continue;
    for (const Coefficient& a : row_of(constraint, population).coefficients) {
      out[a.cell].n += constraint.multiplier * a.n;
      out[a.cell].n1 += constraint.multiplier * a.n1;
    }
  }
  return out;
}

}  // namespace evenhand
