#include <evenhand/soft.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/base_decision.h"
#include "rule/soft_columns.h"
#include "soft/atoms.h"
#include "soft/fit.h"
#include "soft/whiten.h"
#include "solve/evaluate.h"
#include "support/parallel.h"

namespace evenhand {
namespace soft {
namespace {

// Everything that is claimed of a stratum, from the rule itself.
void evaluate(const Atoms& atoms, const SoftRule& rule, CellCode c, const SoftRows& rows,
              SoftSolution& solution, double& lottery) {
  const SoftStratum& stratum = rule.parts().of[c];
  const double gamma = rule.parts().gamma;
  const bool complement = rows.columns.size() > atoms.columns;
  const std::size_t columns = rows.columns.size();
  std::vector<double> selected(columns);
  std::vector<double> belong(columns);
  double selected_all = 0;
  SoftStratumOutcome& outcome = solution.strata[c];
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const double n = atoms.n[i];
    const double h = atoms.h[i];
    const double z = stratum.reduced(h, atoms.of(i));
    const double q = rule.response(c, h, atoms.of(i));
    solution.primal += n * (h * q - gamma / 2 * q * q);
    solution.dual += n * largest_reduced(z, gamma);
    solution.magnitude += n * std::abs(h);
    if (h > 0) solution.base += n * h;
    if (q > 0 && q < 1) outcome.lottery_share += n;
    selected_all += n * q;
    double rest = 1;
    for (std::size_t j = 0; j < columns; ++j) {
      const double g = complement && j == atoms.columns ? std::max(0.0, rest) : atoms.of(i)[j];
      rest -= g;
      belong[j] += n * g;
      selected[j] += n * g * q;
    }
  }
  outcome.weight = atoms.weight;
  outcome.distinct = atoms.size();
  lottery += outcome.lottery_share;
  if (atoms.weight > 0) outcome.lottery_share /= atoms.weight;
  bool any = false;
  for (std::size_t j = 0; j < columns; ++j) {
    SoftRate rate;
    rate.column = rows.columns[j].name;
    if (atoms.weight > 0) rate.mean = belong[j] / atoms.weight;
    const double others = atoms.weight - belong[j];
    if (belong[j] > 0) rate.rate = selected[j] / belong[j];
    if (others > 0) rate.others = (selected_all - selected[j]) / others;
    if (j < atoms.columns) rate.multiplier = stratum.multipliers[j];
    // What is left of 1 may be rounding.
    constexpr double nobody = 1e-12;
    const bool some = std::min(belong[j], others) > nobody * atoms.weight;
    rate.compared = j < atoms.columns ? differs(atoms, j) : any && some;
    any = any || rate.compared;
    if (rate.compared) {
      solution.violation = std::max(solution.violation, std::abs(rate.rate - rate.others));
    }
    outcome.columns.push_back(std::move(rate));
  }
}

}  // namespace
}  // namespace soft

SoftSolution solve_soft(const SoftRows& rows, const SoftOptions& options) {
  if (!(options.gamma >= 0) || std::isinf(options.gamma)) {
    throw std::invalid_argument(fmt::format(
        "gamma, the width of randomization, is at least 0, not {}", shortest(options.gamma)));
  }
  const Reading reading{options.scale, options.favorable};
  check_base_options(reading, options.costs, {});
  check_soft_reading(reading);
  const std::vector<soft::Atoms> atoms = soft::read_atoms(rows, options);

  SoftRuleParts parts;
  for (std::size_t j = 0; j < atoms.front().columns; ++j) {
    parts.columns.push_back(rows.columns[j].name);
  }
  parts.strata = rows.within ? rows.within->names : CellNames({}, {{}});
  parts.reading = reading;
  parts.costs = options.costs;
  parts.gamma = options.gamma;
  parts.of.resize(atoms.size());
  parallel(atoms.size(), options.threads,
           [&](std::size_t k) { parts.of[k] = soft::fit_stratum(atoms[k], options.gamma); });

  SoftSolution solution;
  solution.rule = SoftRule(std::move(parts));
  solution.strata.resize(atoms.size());
  double lottery = 0;
  double weight = 0;
  bool any = false;
  for (CellCode c = 0; c < atoms.size(); ++c) {
    const auto values = solution.rule.parts().strata.values(c);
    solution.strata[c].values.assign(values.begin(), values.end());
    soft::evaluate(atoms[c], solution.rule, c, rows, solution, lottery);
    weight += atoms[c].weight;
    const auto& columns = solution.strata[c].columns;
    any = any || std::any_of(columns.begin(), columns.end(),
                             [](const SoftRate& rate) { return rate.compared; });
  }
  if (!any) {
    throw std::invalid_argument(
        "there is nothing to compare: no soft column differs from row to row in any stratum");
  }
  solution.lottery_share = lottery / weight;
  const double gap = solution.dual - solution.primal;
  solution.gap = solution.magnitude > 0 ? gap / solution.magnitude : gap;
  solution.status = proven(solution.gap, solution.violation) ? Status::optimal : Status::inaccurate;
  return solution;
}

}  // namespace evenhand
