#include "solve/problem.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/base_decision.h"
#include "calibrate/borrowed.h"
#include "calibrate/tabulate.h"
#include "rule/plain_responses.h"
#include "solve/calibration.h"
#include "solve/cell_shapes.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

void check_options(const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
  criterion.check();
  if (!(options.gamma >= 0) || std::isinf(options.gamma)) {
    throw std::invalid_argument(
        fmt::format("gamma, the width of randomization, is at least 0, not {}", options.gamma));
  }
  const bool few_coins = options.lottery != Lottery::fewest || options.max_lottery;
  if (options.gamma > 0 && few_coins) {
    throw std::invalid_argument(
        fmt::format("{} needs gamma 0: with gamma above 0 coins are thrown on purpose",
                    options.max_lottery ? "a largest lottery" : "this kind of lottery"));
  }
  if (options.max_lottery && !(*options.max_lottery >= 0 && *options.max_lottery <= 1)) {
    throw std::invalid_argument(fmt::format(
        "the largest lottery is a share of each group, from 0 to 1, not {}", *options.max_lottery));
  }
  if (options.max_lottery && options.lottery != Lottery::fewest) {
    throw std::invalid_argument("a largest lottery goes with the lottery fewest only");
  }
  if (criterion.uses_labels() && !tally.labelled()) {
    throw std::invalid_argument(
        criterion.name + ": true- and false-positive rates need labels to fit; the data have none");
  }
  check_calibration(tally, criterion, options);
}

double base_rate(const Tally& tally, double base_from, unsigned threads) {
  const auto sums =
      tabulate(tally.data(), std::vector<std::vector<double>>(tally.cells().size(), {base_from}),
               nullptr, threads);
  double selected = 0;
  for (const auto& cell : sums) selected += cell[1].n;
  return selected / tally.total().n;
}

}  // namespace

bool has_one_rate(const Criterion& criterion) {
  return criterion.rates.size() == 1 && criterion.require.empty() &&
         (criterion.roles.across == Across::intersection || criterion.roles.sensitive.size() == 1);
}

Rule make_rule(const Problem& problem, const std::function<Response(CellCode)>& respond) {
  const Tally::Data& data = problem.tally.data();
  RuleParts parts;
  parts.cells = data.names;
  parts.reading = data.reading;
  parts.otherwise = problem.base_from;
  if (problem.outlook.calibrator) parts.calibrator = *problem.outlook.calibrator;
  if (problem.options.gamma > 0) parts.level = data.level;  // steps lie between intervals anyway
  const double without_rows =
      problem.outlook.known() ? problem.outlook.first_above(unseen_cell, problem.options.costs, 0)
                              : problem.base_from;
  parts.responses.resize(data.names.size());
  constexpr double worth_threads = 100'000;
  const bool steps_at_rates =
      !problem.from_labels && problem.options.gamma == 0 && has_one_rate(problem.criterion);
  const bool little = steps_at_rates || data.weight() < worth_threads;
  const unsigned threads = little ? 1 : problem.options.threads;
  parallel(parts.responses.size(), threads, [&](std::size_t i) {
    const auto c = static_cast<CellCode>(i);
    parts.responses[i] = data.totals[c].n > 0 ? respond(c) : from_score(without_rows);
  });
  return Rule(std::move(parts));
}

Problem make_problem(const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
  check_options(tally, criterion, options);
  check_base_options(tally.reading(), options.costs, options.base_threshold);
  const Outlook outlook = outlook_for(tally, criterion, options);
  const double base_from = base_decision_from(outlook, options.costs, options.base_threshold);
  Problem problem{tally,     criterion, options, pools_labels(tally, criterion, options),
                  base_from, outlook};
  problem.benefits = benefits_of(tally, criterion);
  if (!problem.benefits.empty()) problem.tally = with_borrowed_benefits(tally, criterion);
  if (criterion.relation == Relation::target) {
    problem.rho = criterion.rho.kind == Rho::Kind::base
                      ? base_rate(tally, base_from, options.threads)
                      : criterion.rho.value;
  }
  problem.shapes = std::make_shared<CellShapes>(problem.tally, problem.from_labels, problem.outlook,
                                                options.costs, options.threads);
  return problem;
}

Problem alike(const Problem& problem, const Criterion& criterion, const SolveOptions& options) {
  return {problem.tally,   criterion,   options,         problem.from_labels, problem.base_from,
          problem.outlook, problem.rho, problem.windows, problem.benefits,    problem.shapes};
}

std::vector<std::vector<Sums>> tabulate(const Problem& problem,
                                        const std::vector<std::vector<double>>& cuts) {
  const Tally::Data& data = problem.tally.data();
  const unsigned threads = problem.options.threads;
  if (problem.from_labels) return tabulate(data, cuts, nullptr, threads);
  return tabulate(data, cuts, &problem.outlook, threads, problem.shapes->chances(threads));
}

}  // namespace evenhand
