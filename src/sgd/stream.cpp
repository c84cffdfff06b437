#include <evenhand/calibrate.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/base_decision.h"
#include "rule/plain_responses.h"
#include "sgd/finish.h"
#include "solve/realise.h"

namespace evenhand {
namespace {

// A tally of the cells' weights alone, which is all that a plan asks of one.
Tally weights_tally(const CellNames& names, const SgdStreamOptions& options) {
  Cells cells{names, std::vector<CellCode>(names.size())};
  std::iota(cells.codes.begin(), cells.codes.end(), 0);
  std::vector<double> weights = options.cell_weights;
  if (weights.empty()) weights.assign(names.size(), 1);
  if (weights.size() != names.size()) {
    throw std::invalid_argument(
        fmt::format("there are {} cells but {} weights of cells", names.size(), weights.size()));
  }
  const std::vector<double> scores(names.size(), options.reading.turn(options.reading.highest()));
  CountedOptions counted;
  counted.scale = options.reading.scale;
  counted.favorable = options.reading.favorable;
  return Tally::counted(scores, weights, cells, counted);
}

}  // namespace

struct SgdStream::State {
  Criterion criterion;
  SgdStreamOptions options;
  SolveOptions plain;
  Tally weights;
  Problem problem;
  sgd::Plan plan;
  std::vector<sgd::Descent> descents;
  std::vector<double> seen;          // weight of each cell's rows
  std::vector<double> seen_stratum;  // and of each stratum's
  double weight = 0;                 // of all steps
  std::uint64_t steps = 0;
  double rate = 0;  // of the last step
  std::vector<sgd::Mark> marks;

  State(const CellNames& names, Criterion what, SgdStreamOptions how)
      : criterion(std::move(what)),
        options(std::move(how)),
        plain(sgd::solve_options(options.sgd)),
        weights(weights_tally(names, options)),
        problem(make_problem(weights, criterion, plain)),
        plan(sgd::make_plan(problem, options.sgd, shares_known())),
        seen(names.size()),
        seen_stratum(plan.strata.size()) {
    for (const sgd::StratumPlan& stratum : plan.strata) {
      descents.emplace_back(stratum, options.sgd.gamma);
    }
    if (options.sgd.record_every.value_or(0) > 0) mark();
  }

  bool shares_known() const { return !options.cell_weights.empty(); }

  double next_rate() const {
    if (options.sgd.learning_rate) return *options.sgd.learning_rate;
    return plan.learning_rate(static_cast<double>(options.sgd.steps.value_or(steps)));
  }

  sgd::Mark marked() const {
    sgd::Mark mark{steps, {}, {}};
    for (const SgdMultiplier& multiplier : sgd::multipliers(plan, descents)) {
      mark.mean.push_back(multiplier.mean);
      mark.last.push_back(multiplier.last);
    }
    return mark;
  }

  void mark() { marks.push_back(marked()); }

  void count(const sgd::Place& place, CellCode cell, double row_weight) {
    seen[cell] += row_weight;
    seen_stratum[place.stratum] += row_weight;
    if (shares_known() || criterion.relation == Relation::target) return;
    const sgd::StratumPlan& stratum = plan.strata[place.stratum];
    for (std::size_t g = 0; g < stratum.share.size(); ++g) {
      descents[place.stratum].set_share(g, seen[stratum.cells[g]] / seen_stratum[place.stratum]);
    }
  }

  // With the shares as they are known by now.
  sgd::Plan current_plan() const {
    sgd::Plan out = plan;
    if (shares_known() || criterion.relation == Relation::target) return out;
    for (std::size_t k = 0; k < out.strata.size(); ++k) {
      if (seen_stratum[k] == 0) continue;
      for (std::size_t g = 0; g < out.strata[k].share.size(); ++g) {
        out.strata[k].share[g] = seen[out.strata[k].cells[g]] / seen_stratum[k];
      }
    }
    return out;
  }
};

SgdStream::SgdStream(const CellNames& cells, Criterion criterion, SgdStreamOptions options) {
  sgd::check(criterion, options.sgd);
  if (options.sgd.calibrate != Calibration::none) {
    throw std::invalid_argument(
        "a stream has no labels to calibrate by: calibrate a tally, and give the calibrator");
  }
  if (criterion.relation == Relation::target && criterion.rho.kind == Rho::Kind::base) {
    throw std::invalid_argument(
        "a stream does not know the share of positive base decisions in advance: give rho as a "
        "number");
  }
  state_ = std::make_unique<State>(cells, std::move(criterion), std::move(options));
}
SgdStream::SgdStream(SgdStream&&) noexcept = default;
SgdStream& SgdStream::operator=(SgdStream&&) noexcept = default;
SgdStream::~SgdStream() = default;

void SgdStream::add(CellCode cell, double score, double weight) {
  State& state = *state_;
  const Reading& reading = state.options.reading;
  const double x = reading.turn(score);
  if (cell >= state.seen.size()) {
    throw std::out_of_range(
        fmt::format("there is no cell with code {}, only {} cells", cell, state.seen.size()));
  }
  if (!reading.valid(x)) {
    throw std::invalid_argument(fmt::format("the score {} is not valid on the {} scale",
                                            shortest(score), to_string(reading.scale)));
  }
  if (!(weight >= 0) || std::isinf(weight)) {
    throw std::invalid_argument(
        fmt::format("the weight {} is not a finite number >= 0", shortest(weight)));
  }
  const std::optional<sgd::Place>& place = state.plan.place[cell];
  if (!place || weight == 0) return;
  state.count(*place, cell, weight);
  ++state.steps;
  state.weight += weight;
  state.rate = state.next_rate();
  const double p = state.problem.outlook.probability(cell, x);
  const double relative = weight * static_cast<double>(state.steps) / state.weight;
  state.descents[place->stratum].step(place->group, benefit(p, state.options.sgd.costs),
                                      state.rate * relative);
  const std::uint64_t every = state.options.sgd.record_every.value_or(0);
  if (every > 0 && state.steps % every == 0) state.mark();
}

void SgdStream::add(std::span<const CellCode> cells, std::span<const double> scores,
                    std::span<const double> weights) {
  if (cells.size() != scores.size() || (!weights.empty() && weights.size() != scores.size())) {
    throw std::invalid_argument(fmt::format("{} scores, {} cells and {} weights", scores.size(),
                                            cells.size(), weights.size()));
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    add(cells[i], scores[i], weights.empty() ? 1 : weights[i]);
  }
}

std::uint64_t SgdStream::steps() const noexcept {
  return state_->steps;
}

std::vector<SgdMultiplier> SgdStream::multipliers() const {
  return sgd::multipliers(state_->plan, state_->descents);
}

Rule SgdStream::rule() const {
  const State& state = *state_;
  const Outlook& outlook = state.problem.outlook;
  if (!outlook.linear()) {
    throw std::invalid_argument(
        "on the logit scale and with a calibrator a ramp runs through the fitted scores: finish "
        "with a tally");
  }
  std::vector<double> means;
  for (const SgdMultiplier& multiplier : multipliers()) means.push_back(multiplier.mean);
  const std::vector<double> price = sgd::prices(state.current_plan(), means);
  const Costs& costs = state.options.sgd.costs;
  return make_rule(state.problem, [&](CellCode c) {
    const auto ramp = linear_response(price[c], state.options.sgd.gamma, outlook.reading, costs);
    // Narrower than the spacing of scores: a step.
    return ramp ? *ramp : from_score(outlook.first_above(c, costs, price[c]));
  });
}

SgdStream SgdStream::over(const Tally& tally, Criterion criterion, SgdOptions options,
                          std::uint64_t passes) {
  // A stream has no labels.
  if (options.calibrate != Calibration::none) {
    options.calibrator = calibrate(tally, options.calibrate,
                                   {.by = options.calibrate_by, .threads = options.threads});
    options.calibrate = Calibration::none;
    options.calibrate_by = CalibrateBy::cell;
  }
  options.rows = options.rows.value_or(tally.total().n);
  options.steps = passes * static_cast<std::uint64_t>(*options.rows);
  if (!options.record_every) {
    options.record_every = std::max<std::uint64_t>(1, *options.steps / 100);
  }
  std::vector<double> weights;
  for (CellCode c = 0; c < tally.cells().size(); ++c) weights.push_back(tally.total(c).n);
  return {
      tally.cells(),
      std::move(criterion),
      {.reading = tally.reading(), .cell_weights = std::move(weights), .sgd = std::move(options)}};
}

SgdResult SgdStream::finish(const Tally& tally) const {
  const State& state = *state_;
  if (tally.cells() != state.weights.cells() || tally.reading() != state.options.reading) {
    throw std::invalid_argument("the tally has other cells or another scale than the stream");
  }
  const Problem problem = make_problem(tally, state.criterion, state.plain);
  sgd::Plan plan = state.current_plan();
  plan.comparisons = compare(tally, state.criterion);
  std::vector<sgd::Mark> marks = state.marks;
  if (!marks.empty() && marks.back().step != state.steps) marks.push_back(state.marked());
  SgdResult out = sgd::finish(problem, plan, state.descents, marks);
  out.learning_rate = state.rate;
  out.projection = state.options.sgd.projection;
  out.trace.rows = state.options.sgd.rows.value_or(tally.total().n);
  return out;
}

}  // namespace evenhand
