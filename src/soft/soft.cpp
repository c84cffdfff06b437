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
#include "soft/plan.h"
#include "solve/evaluate.h"
#include "support/parallel.h"

namespace evenhand {
namespace soft {
namespace {

// Sums over those who belong and over the others, for one comparison.
struct Sums {
  double belong = 0, belong_selected = 0, all = 0, selected = 0;
};

// Everything that is claimed of a stratum, from the rule itself.
void evaluate(const Priced& priced, const Plan& plan, const SoftRule& rule, CellCode c,
              SoftSolution& solution, double& lottery) {
  const Atoms& atoms = priced.atoms;
  const SoftStratum& stratum = rule.parts().of[c];
  const double gamma = rule.parts().gamma;
  std::vector<Sums> sums(plan.compared.size());
  SoftStratumOutcome& outcome = solution.strata[c];
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const double n = atoms.n[i];
    const double h = atoms.h[i];
    const double z = rule.reduced(c, h, atoms.of(i));
    const double q = rule.response(c, h, atoms.of(i));
    solution.primal += n * (h * q - gamma / 2 * q * q);
    solution.dual += n * largest_reduced(z, gamma);
    solution.magnitude += n * std::abs(h);
    if (h > 0) solution.base += n * h;
    if (q > 0 && q < 1) outcome.lottery_share += n;
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const Compared& one = plan.compared[j];
      double g = 1;
      if (one.at) {
        g = atoms.of(i)[*one.at];
      } else {
        for (const std::size_t other : one.list) g -= atoms.of(i)[other];
        g = std::max(0.0, g);
      }
      const double weight = one.rate == Rate::selection       ? n
                            : one.rate == Rate::true_positive ? n * priced.p[i]
                                                              : n * (1 - priced.p[i]);
      sums[j].belong += weight * g;
      sums[j].belong_selected += weight * g * q;
      sums[j].all += weight;
      sums[j].selected += weight * q;
    }
  }
  if (priced.bounded) {
    for (std::size_t k = 0; k < priced.prices.size(); ++k) {
      const double mu = stratum.multipliers[k];
      const Limits& limits = priced.limits[k];
      if (mu != 0) {
        solution.dual += atoms.weight * mu * (mu > 0 ? limits.high : limits.low) / limits.scale;
      }
    }
  }
  outcome.weight = atoms.weight;
  outcome.distinct = atoms.size();
  lottery += outcome.lottery_share;
  if (atoms.weight > 0) outcome.lottery_share /= atoms.weight;
  bool any = false;
  for (std::size_t j = 0; j < sums.size(); ++j) {
    const Compared& one = plan.compared[j];
    SoftRate rate;
    rate.column = one.column;
    rate.of = one.rate;
    if (sums[j].all > 0) rate.mean = sums[j].belong / sums[j].all;
    const double others = sums[j].all - sums[j].belong;
    if (sums[j].belong > 0) rate.rate = sums[j].belong_selected / sums[j].belong;
    if (others > 0) rate.others = (sums[j].selected - sums[j].belong_selected) / others;
    for (const std::size_t k : one.prices) rate.multiplier += stratum.multipliers[k];
    // What is left of 1 may be rounding.
    constexpr double nobody = 1e-12;
    const bool some = std::min(sums[j].belong, others) > nobody * sums[j].all;
    rate.compared = one.at ? priced.compared[one.prices.front()] : any && some;
    any = any || rate.compared;
    if (rate.compared) {
      solution.violation = std::max(solution.violation, plan.violation(rate.rate, rate.others));
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
  const soft::Plan plan = soft::plan_for(rows, options);
  const std::vector<soft::Atoms> atoms = soft::read_atoms(rows, plan, options);

  SoftRuleParts parts;
  for (const SoftColumn& column : plan.columns) parts.columns.push_back(column.name);
  parts.prices = plan.prices;
  parts.strata = rows.within ? rows.within->names : CellNames({}, {{}});
  parts.reading = reading;
  parts.costs = options.costs;
  parts.gamma = options.gamma;
  parts.of.resize(atoms.size());
  std::vector<soft::Priced> priced;
  for (const soft::Atoms& one : atoms) priced.push_back(soft::price(one, plan, options.costs));
  parallel(atoms.size(), options.threads,
           [&](std::size_t k) { parts.of[k] = soft::fit_stratum(priced[k], options.gamma); });

  SoftSolution solution;
  solution.criterion = plan.criterion->name;
  solution.tolerance = plan.tolerance;
  if (plan.by_ratio()) solution.ratio = plan.ratio;
  solution.rule = SoftRule(std::move(parts));
  solution.strata.resize(atoms.size());
  double lottery = 0;
  double weight = 0;
  bool any = false;
  for (CellCode c = 0; c < atoms.size(); ++c) {
    const auto values = solution.rule.parts().strata.values(c);
    solution.strata[c].values.assign(values.begin(), values.end());
    soft::evaluate(priced[c], plan, solution.rule, c, solution, lottery);
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
