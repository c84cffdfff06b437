#include <evenhand/calibrate.h>
#include <evenhand/sgd.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "sgd/draws.h"
#include "sgd/finish.h"
#include "solve/calibration.h"
#include "support/parallel.h"
#include "tally/data.h"

namespace evenhand {
namespace sgd {
namespace {

// Rows of the compared cells. Weights that are not counts hide their number; distinct scores then
// stand for rows.
double rows_of(const Plan& plan, const Tally& tally) {
  if (tally.unit_weights()) return plan.weight();
  const Sorted& sorted = tally.data().sorted();
  std::size_t entries = 0;
  for (const StratumPlan& stratum : plan.strata) {
    for (const CellCode c : stratum.cells) entries += sorted.start[c + 1] - sorted.start[c];
  }
  return static_cast<double>(entries);
}

// With the calibrator fitted: rows are drawn one by one, so that labels cannot be pooled, but an
// isotonic curve has the pooled share of labels at every score that was fitted.
SolveOptions calibrated(const Tally& tally, const Criterion& criterion, const SgdOptions& options) {
  SolveOptions out = solve_options(options);
  check_calibration(tally, criterion, out);
  if (out.calibrate == Calibration::none) return out;
  out.calibrator =
      calibrate(tally, out.calibrate, {.by = out.calibrate_by, .threads = out.threads});
  out.calibrate = Calibration::none;
  return out;
}

std::uint64_t steps_of(const SgdOptions& options, double rows) {
  if (options.steps) return *options.steps;
  const double steps = options.rows ? std::max(1.0, std::round(options.epochs * rows))
                                    : std::ceil(options.epochs * rows);
  if (!(steps < 0x1p53)) {
    throw std::invalid_argument(fmt::format("{} epochs of {} rows are too many steps",
                                            shortest(options.epochs), shortest(rows)));
  }
  return static_cast<std::uint64_t>(steps);
}

// After which of all steps to mark the multipliers: the start, the end, and every so many between.
std::vector<std::uint64_t> mark_steps(const SgdOptions& options, std::uint64_t steps) {
  const std::uint64_t every =
      options.record_every.value_or(std::max<std::uint64_t>(1, steps / 100));
  if (every == 0) return {};
  constexpr std::uint64_t most = 1'000'000;
  if (steps / every > most) {
    throw std::invalid_argument(fmt::format("a trace of {} points: record at most {}",
                                            with_commas(steps / every), with_commas(most)));
  }
  std::vector<std::uint64_t> out;
  for (std::uint64_t step = 0; step < steps; step += every) out.push_back(step);
  out.push_back(steps);
  return out;
}

}  // namespace
}  // namespace sgd

SgdOptions SgdOptions::of(const SolveOptions& options) {
  return {.gamma = options.gamma,
          .costs = options.costs,
          .calibrate = options.calibrate,
          .calibrate_by = options.calibrate_by,
          .calibrator = options.calibrator,
          .base_threshold = options.base_threshold,
          .threads = options.threads};
}

SgdComparison compare(const SgdResult& sgd, const Tally& tally) {
  SgdComparison out{solve(tally, sgd.solution.criterion, sgd.solution.options), {}};
  out.distance = distance(sgd, out.exact, tally);
  return out;
}

SgdResult solve_sgd(const Tally& tally, const Criterion& criterion, const SgdOptions& options) {
  sgd::check(criterion, options);
  const SolveOptions calibrated = sgd::calibrated(tally, criterion, options);
  const Problem problem = make_problem(tally, criterion, calibrated);
  const sgd::Plan plan = sgd::make_plan(problem, options);
  const double rows = options.rows ? *options.rows : sgd::rows_of(plan, tally);
  const std::uint64_t steps = sgd::steps_of(options, rows);
  const double rate =
      options.learning_rate.value_or(plan.learning_rate(static_cast<double>(steps)));

  std::vector<sgd::Mark> marks;
  for (const std::uint64_t step : sgd::mark_steps(options, steps)) {
    marks.push_back({step, std::vector<double>(plan.multipliers()), {}});
    marks.back().last = marks.back().mean;
  }
  std::vector<std::size_t> first_multiplier;
  std::vector<sgd::Descent> descents;
  std::size_t so_far = 0;
  for (const sgd::StratumPlan& stratum : plan.strata) {
    first_multiplier.push_back(so_far);
    so_far += stratum.share.size();
    descents.emplace_back(stratum, options.gamma);
  }
  (void)tally.data().sorted();  // with all threads, before they split
  parallel(plan.strata.size(), options.threads, [&](std::size_t k) {
    sgd::Descent descent = descents[k];  // on this thread's own cache lines
    sgd::Draws draws(plan.strata[k], problem, options.seed, k);
    const double share = plan.strata[k].weight / plan.weight();
    // Its share of the first `all` steps: at least one, so that no multiplier stays unknown.
    const auto own = [&](std::uint64_t all) {
      const double part = std::ceil(static_cast<double>(all) * share);
      return static_cast<std::uint64_t>(part);
    };
    const auto run_until = [&](std::uint64_t own_steps) {
      while (descent.steps() < own_steps) {
        const sgd::Draws::Row& row = draws.next();
        descent.step(row.group, row.h, rate);
      }
    };
    for (sgd::Mark& mark : marks) {
      run_until(own(mark.step));
      for (std::size_t g = 0; g < descent.size(); ++g) {
        mark.mean[first_multiplier[k] + g] = descent.mean(g);
        mark.last[first_multiplier[k] + g] = descent.last(g);
      }
    }
    run_until(own(steps));
    descents[k] = std::move(descent);
  });
  SgdResult out = sgd::finish(problem, plan, descents, marks);
  out.solution.options = sgd::solve_options(options);
  out.learning_rate = rate;
  out.projection = options.projection;
  out.seed = options.seed;
  out.trace.rows = rows;
  return out;
}

}  // namespace evenhand
