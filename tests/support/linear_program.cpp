#include "support/linear_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

namespace evenhand::testing {

int LinearProgram::add_variable(double value, double from, double to) {
  objective.push_back(value);
  low.push_back(from);
  high.push_back(to);
  return static_cast<int>(objective.size()) - 1;
}

void LinearProgram::add_row(double from, double to, std::vector<std::pair<int, double>> terms) {
  rows.push_back({from, to, std::move(terms)});
}

namespace {

// The upper bound that the prices of rows prove, whatever they are.
double bound_by(const LinearProgram& program, const ClpSimplex& model) {
  const auto largest = [](double factor, double low, double high) {
    return factor == 0 ? 0 : factor * (factor > 0 ? high : low);
  };
  double bound = 0;
  std::vector<double> reduced = program.objective;
  for (std::size_t r = 0; r < program.rows.size(); ++r) {
    const LinearProgram::Row& row = program.rows[r];
    const double price = model.getRowPrice()[r];
    const double most = largest(price, row.low, row.high);
    if (std::isinf(most)) continue;  // of the wrong sign, by rounding: the row is left out
    bound += most;
    for (const auto& [i, factor] : row.terms) {
      reduced[static_cast<std::size_t>(i)] -= price * factor;
    }
  }
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    bound += largest(reduced[i], program.low[i], program.high[i]);
  }
  return std::isnan(bound) ? std::numeric_limits<double>::infinity() : bound;
}

}  // namespace

LinearAnswer maximise(const LinearProgram& program) {
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, static_cast<int>(program.objective.size()));
  std::vector<double> row_low;
  std::vector<double> row_high;
  for (const LinearProgram::Row& row : program.rows) {
    std::vector<int> index;
    std::vector<double> value;
    for (const auto& [i, v] : row.terms) {
      index.push_back(i);
      value.push_back(v);
    }
    matrix.appendRow(static_cast<int>(index.size()), index.data(), value.data());
    row_low.push_back(row.low);
    row_high.push_back(row.high);
  }
  ClpSimplex model;
  model.setLogLevel(0);
  model.loadProblem(matrix, program.low.data(), program.high.data(), program.objective.data(),
                    row_low.data(), row_high.data());
  model.setOptimizationDirection(-1);
  model.setPrimalTolerance(1e-10);
  model.setDualTolerance(1e-10);
  model.setPerturbation(100);
  model.scaling(0);  // scaled optima can be far from optimal for the rows as they are
  model.primal();
  if (!model.isProvenOptimal() || model.secondaryStatus() != 0) {
    model.allSlackBasis(true);
    model.dual();
  }
  // Rows that are missed by the tolerance can gain more than they should; the bound cannot.
  return {model.isProvenOptimal(), std::min(model.objectiveValue(), bound_by(program, model))};
}

}  // namespace evenhand::testing
