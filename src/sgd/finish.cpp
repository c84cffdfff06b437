#include "sgd/finish.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "solve/proof.h"
#include "solve/realise.h"
#include "support/parallel.h"

namespace evenhand {
namespace sgd {
namespace {

Solution solution_at(const Problem& problem, const Plan& plan, const std::vector<double>& means) {
  std::vector<double> price = prices(plan, means);
  for (CellCode c = 0; c < price.size(); ++c) {
    if (!plan.comparisons.reasons[c].empty()) price[c] = 0;  // decided by its benefit alone
  }
  Solution solution;
  solution.criterion = problem.criterion;
  solution.options = problem.options;
  solution.rule = make_rule(problem, [&](CellCode c) {
    return ramp_at_price(problem.tally.data(), c, problem.outlook, price[c], problem.options.gamma,
                         problem.options.costs);
  });
  std::vector<double> of_rate(price.size());
  for (CellCode c = 0; c < price.size(); ++c) of_rate[c] = price[c] * problem.tally.total(c).n;
  conclude_with_proof(problem, plan.comparisons, of_rate, solution);
  solution.status = Status::approximate;
  for (const Stratum& stratum : plan.comparisons.strata) {
    StratumOutcome outcome{stratum.values, stratum.compared, 0, 1};
    if (!stratum.compared.empty()) {
      const auto by_rate = [&](CellCode a, CellCode b) {
        return solution.cells[a].rate < solution.cells[b].rate;
      };
      const auto [low, high] =
          std::minmax_element(stratum.compared.begin(), stratum.compared.end(), by_rate);
      outcome.lowest = solution.cells[*low].rate;
      outcome.highest = solution.cells[*high].rate;
    }
    solution.strata.push_back(std::move(outcome));
  }
  return solution;
}

}  // namespace

std::vector<SgdMultiplier> multipliers(const Plan& plan, const std::vector<Descent>& descents) {
  std::vector<SgdMultiplier> out;
  for (std::size_t k = 0; k < descents.size(); ++k) {
    const StratumPlan& stratum = plan.strata[k];
    for (std::size_t g = 0; g < stratum.share.size(); ++g) {
      out.push_back({stratum.cells[g], descents[k].mean(g), descents[k].last(g), stratum.box[g].low,
                     stratum.box[g].high, descents[k].steps()});
    }
  }
  return out;
}

SgdResult finish(const Problem& problem, const Plan& plan, const std::vector<Descent>& descents,
                 const std::vector<Mark>& marks) {
  SgdResult out;
  out.multipliers = multipliers(plan, descents);
  std::vector<double> means;
  for (const SgdMultiplier& multiplier : out.multipliers) means.push_back(multiplier.mean);
  for (const Descent& descent : descents) out.steps += descent.steps();
  out.solution = solution_at(problem, plan, means);
  for (const CellCode c : multiplier_cells(plan)) {
    out.trace.names.push_back(problem.tally.cells().name(c));
  }
  out.trace.points.resize(marks.size());
  SolveOptions alone = problem.options;
  alone.threads = 1;  // each point has its thread
  const Problem single{problem.tally,     problem.criterion, alone,      problem.from_labels,
                       problem.base_from, problem.outlook,   problem.rho};
  parallel(marks.size(), problem.options.threads, [&](std::size_t i) {
    const Solution at = solution_at(single, plan, marks[i].mean);
    out.trace.points[i] = {marks[i].step, marks[i].mean, marks[i].last, at.dual, at.violation};
  });
  return out;
}

}  // namespace sgd

SgdDistance distance(const SgdResult& sgd, const Solution& exact, const Tally& tally) {
  const Solution& found = sgd.solution;
  if (exact.status != Status::optimal) {
    throw std::invalid_argument("there is no distance to a solution that is not optimal");
  }
  if (found.criterion != exact.criterion || found.options.gamma != exact.options.gamma ||
      found.options.costs != exact.options.costs ||
      found.options.calibrate != exact.options.calibrate ||
      found.options.calibrate_by != exact.options.calibrate_by ||
      found.options.calibrator != exact.options.calibrator ||
      found.cells.size() != exact.cells.size() || found.cells.size() != tally.cells().size()) {
    throw std::invalid_argument(
        "the two solutions are of different problems: they need the same tally, criterion, gamma, "
        "costs and calibration");
  }
  SgdDistance out{found.dual - exact.primal, exact.primal - found.primal, 0, found.violation};
  for (CellCode c = 0; c < found.cells.size(); ++c) {
    if (!found.cells[c].compared) continue;
    const double difference =
        (found.cells[c].multiplier - exact.cells[c].multiplier) / tally.total(c).n;
    out.multiplier = std::max(out.multiplier, std::abs(difference));
  }
  return out;
}

}  // namespace evenhand
