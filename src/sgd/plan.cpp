#include "sgd/plan.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand::sgd {
namespace {

// An optimum exists in which every group's price is in [-down, up]: beyond it nobody, or everybody,
// is selected already. Prices average to 0 over the stratum's rows, so where one group is at an end
// of the range the other groups, of share 1 - s, must balance it. This bounds the difference of two
// groups' prices, which is what a multiplier is.
Box corrected_box(double share, double reference, double down, double up) {
  const auto reach = [](double far, double s, double near) {
    return s > 0 ? std::min(far, (1 - s) * near / s) : far;
  };
  return {-(reach(down, share, up) + reach(up, reference, down)),
          reach(up, share, down) + reach(down, reference, up)};
}

}  // namespace

std::size_t Plan::multipliers() const {
  std::size_t count = 0;
  for (const StratumPlan& stratum : strata) count += stratum.share.size();
  return count;
}

double Plan::weight() const {
  double sum = 0;
  for (const StratumPlan& stratum : strata) sum += stratum.weight;
  return sum;
}

double Plan::learning_rate(double steps) const {
  return radius / steepest * std::sqrt(static_cast<double>(multipliers()) / steps);
}

void check(const Criterion& criterion, const SgdOptions& options) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
  if (!(options.gamma > 0) || std::isinf(options.gamma)) {
    refuse(
        fmt::format("the stochastic solver needs gamma > 0, not {}: without it there is no "
                    "gradient; the exact solver takes gamma 0",
                    shortest(options.gamma)));
  }
  const auto is_step = [](double x) { return x > 0 && std::isfinite(x); };
  if (options.learning_rate && !is_step(*options.learning_rate)) {
    refuse(fmt::format("the learning rate is above 0, not {}", shortest(*options.learning_rate)));
  }
  if (!options.steps && !is_step(options.epochs)) {
    refuse(fmt::format("the number of epochs is above 0, not {}", shortest(options.epochs)));
  }
  if (options.steps && *options.steps == 0) refuse("the number of steps is above 0, not 0");
  const std::string serves = criterion.name +
                             ": the stochastic solver serves statistical parity "
                             "and equal rates alone, without ";
  if (criterion.rates != std::vector<Rate>{Rate::selection} ||
      criterion.relation == Relation::ratio) {
    refuse(serves + "labels or ratios; use the exact solver");
  }
  if (criterion.tolerance != 0) refuse(serves + "tolerance; use the exact solver");
  if (!criterion.require.empty()) refuse(serves + "requirements; use the exact solver");
  if (criterion.roles.across != Across::intersection && criterion.roles.sensitive.size() > 1) {
    refuse(serves + "margins of several attributes; use the exact solver");
  }
}

SolveOptions solve_options(const SgdOptions& options) {
  SolveOptions out;
  out.gamma = options.gamma;
  out.costs = options.costs;
  out.calibrate = options.calibrate;
  out.calibrate_by = options.calibrate_by;
  out.calibrator = options.calibrator;
  out.base_threshold = options.base_threshold;
  out.threads = options.threads;
  return out;
}

Plan make_plan(const Problem& problem, const SgdOptions& options, bool shares_known) {
  const bool target = problem.criterion.relation == Relation::target;
  const double up = options.costs.false_negative;
  const double down = options.costs.false_positive + options.gamma;
  Plan plan;
  plan.comparisons = compare(problem.tally, problem.criterion);
  plan.place.resize(problem.tally.cells().size());
  plan.radius = std::max(up, options.costs.false_positive) + options.gamma;
  plan.steepest = 1 + (target ? problem.rho : 0);
  const auto add = [&](std::vector<CellCode> cells) {
    StratumPlan stratum;
    for (const CellCode c : cells) stratum.weight += problem.tally.total(c).n;
    const auto share_of = [&](CellCode c) { return problem.tally.total(c).n / stratum.weight; };
    const std::size_t size = target ? 1 : cells.size() - 1;
    for (std::size_t g = 0; g < size; ++g) {
      stratum.share.push_back(target ? 0 : share_of(cells[g]));
      if (options.projection == Projection::paper) {
        stratum.box.push_back({-plan.radius, plan.radius});
      } else if (target) {
        stratum.box.push_back({-down, up});
      } else if (shares_known) {
        stratum.box.push_back(corrected_box(share_of(cells[g]), share_of(cells.back()), down, up));
      } else {
        stratum.box.push_back({-(down + up), down + up});
      }
    }
    stratum.bound = target ? problem.rho : 0;
    for (std::size_t g = 0; g < cells.size(); ++g) {
      plan.place[cells[g]] = Place{plan.strata.size(), g};
    }
    stratum.cells = std::move(cells);
    plan.strata.push_back(std::move(stratum));
  };
  for (const Stratum& stratum : plan.comparisons.strata) {
    if (stratum.compared.empty()) continue;
    if (!target) {
      add(stratum.compared);
      continue;
    }
    for (const CellCode c : stratum.compared) add({c});
  }
  return plan;
}

std::vector<double> prices(const Plan& plan, const std::vector<double>& multipliers) {
  std::vector<double> out(plan.place.size());
  std::size_t at = 0;
  for (const StratumPlan& stratum : plan.strata) {
    double shared = 0;
    for (std::size_t g = 0; g < stratum.share.size(); ++g) {
      shared += stratum.share[g] * multipliers[at + g];
    }
    for (std::size_t g = 0; g < stratum.cells.size(); ++g) {
      out[stratum.cells[g]] = (g < stratum.share.size() ? multipliers[at + g] : 0) - shared;
    }
    at += stratum.share.size();
  }
  return out;
}

std::vector<CellCode> multiplier_cells(const Plan& plan) {
  std::vector<CellCode> out;
  for (const StratumPlan& stratum : plan.strata) {
    out.insert(out.end(), stratum.cells.begin(),
               stratum.cells.begin() + static_cast<std::ptrdiff_t>(stratum.share.size()));
  }
  return out;
}

}  // namespace evenhand::sgd
