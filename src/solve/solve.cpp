#include <evenhand/solve.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "base_decision.h"
#include "solve/comparison.h"
#include "solve/evaluate.h"
#include "solve/pieces.h"
#include "solve/polyline.h"
#include "solve/realise.h"
#include "solve/search.h"
#include "support/parallel.h"
#include "tally/tabulate.h"

namespace evenhand {
namespace {

void check_options(const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
  criterion.check();
  if (!(options.gamma >= 0) || std::isinf(options.gamma)) {
    throw std::invalid_argument(
        fmt::format("gamma, the width of randomization, is at least 0, not {}", options.gamma));
  }
  if (criterion.rate != Rate::selection && !tally.labelled()) {
    throw std::invalid_argument(criterion.name +
                                " compares rates given the outcome: it needs labels to fit");
  }
  if (options.calibrate == Calibration::isotonic && !tally.labelled()) {
    throw std::invalid_argument("isotonic calibration needs labels");
  }
}

class Solver {
 public:
  explicit Solver(const Problem& problem)
      : problem_(problem),
        data_(problem.tally.data()),
        gamma_(problem.options.gamma),
        pieces_(data_.names.size()),
        lines_(data_.names.size()),
        rates_(data_.names.size()),
        multipliers_(data_.names.size()) {}

  Solution run() {
    Solution solution;
    solution.criterion = problem_.criterion;
    solution.options = problem_.options;
    if (problem_.from_labels || gamma_ > 0) data_.sorted();  // with all threads, before they split
    parallel(pieces_.size(), problem_.options.threads,
             [&](std::size_t c) { make_pieces(static_cast<CellCode>(c)); });
    for (const Stratum& stratum : problem_.comparisons.strata) {
      solution.strata.push_back({stratum.values, stratum.compared, 0, 1});
      StratumOutcome& outcome = solution.strata.back();
      if (stratum.compared.empty()) continue;
      if (problem_.criterion.relation == Relation::target) {
        meet_target(stratum, outcome);
      } else {
        meet_each_other(stratum, outcome);
      }
    }
    for (CellCode c = 0; c < pieces_.size(); ++c) {
      if (!problem_.comparisons.reasons[c].empty()) decide_alone(c);
    }
    report_cells(solution);
    solution.rule = make_rule();
    evaluate(problem_, pieces_, solution);
    return solution;
  }

 private:
  bool compared(CellCode c) const { return problem_.comparisons.reasons[c].empty(); }
  Rate rate_kind(CellCode c) const {
    return compared(c) ? problem_.criterion.rate : Rate::selection;
  }

  void make_pieces(CellCode c) {
    const Costs& costs = problem_.options.costs;
    pieces_[c] = problem_.from_labels ? pieces_of_labels(data_, c, rate_kind(c), costs)
                                      : pieces_of_scores(data_, c, costs, gamma_ == 0);
    make_line(c);
  }

  void make_line(CellCode c) {
    if (pieces_[c].total > 0) {
      lines_[c] = line_of(pieces_[c], gamma_, rate_kind(c), problem_.options.costs);
    }
  }

  // Opens what bears on the cell's threshold; true if that may have moved it.
  bool refine(CellCode c) {
    if (!open_around(pieces_[c], rates_[c], data_, problem_.options.costs)) return false;
    make_line(c);
    return true;
  }

  // Lumped bins have about the right slopes, so the search soon comes near; once the pieces around
  // every threshold are single scores, the slopes there are exact, and so is the answer.
  void meet_each_other(const Stratum& stratum, StratumOutcome& outcome) {
    const Criterion& criterion = problem_.criterion;
    Common common;
    std::vector<Polyline> lines(stratum.compared.size());
    std::vector<bool> fresh(lines.size(), true);
    for (bool moved = true; moved;) {
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (fresh[i]) {
          lines[i] = relate(lines_[stratum.compared[i]], criterion.relation, criterion.tolerance,
                            criterion.ratio);
        }
      }
      common = find_common(lines);
      moved = false;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        rates_[stratum.compared[i]] = rate_at(lines[i], common.at);
        fresh[i] = refine(stratum.compared[i]);
        moved = moved || fresh[i];
      }
    }
    const bool by_ratio = criterion.relation == Relation::ratio;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double slope = common.slopes[i];
      multipliers_[stratum.compared[i]] = by_ratio && slope < 0 ? slope / criterion.ratio : slope;
    }
    outcome.lowest = by_ratio ? criterion.ratio * common.at : common.at;
    outcome.highest = by_ratio ? common.at : std::min(1.0, common.at + criterion.tolerance);
  }

  void meet_target(const Stratum& stratum, StratumOutcome& outcome) {
    outcome.lowest = std::max(0.0, problem_.rho - problem_.criterion.tolerance);
    outcome.highest = std::min(1.0, problem_.rho + problem_.criterion.tolerance);
    for (const CellCode c : stratum.compared) {
      do {
        rates_[c] = std::clamp(best_rate(lines_[c]), outcome.lowest, outcome.highest);
      } while (refine(c));
      const double best = best_rate(lines_[c]);
      multipliers_[c] = best < outcome.lowest    ? slope_left_of(lines_[c], rates_[c])
                        : best > outcome.highest ? slope_right_of(lines_[c], rates_[c])
                                                 : 0;
    }
  }

  void decide_alone(CellCode c) {
    if (pieces_[c].list.empty()) return;
    do {
      rates_[c] = best_rate(lines_[c]);
    } while (refine(c));
  }

  void report_cells(Solution& solution) const {
    solution.cells.resize(pieces_.size());
    for (CellCode c = 0; c < pieces_.size(); ++c) {
      CellOutcome& outcome = solution.cells[c];
      outcome.compared = compared(c);
      outcome.reason = problem_.comparisons.reasons[c];
      outcome.multiplier = multipliers_[c];
      outcome.bound = multipliers_[c] > 0   ? Bound::upper
                      : multipliers_[c] < 0 ? Bound::lower
                                            : Bound::none;
    }
  }

  Response response(CellCode c) const {
    const Pieces& pieces = pieces_[c];
    const Costs& costs = problem_.options.costs;
    if (pieces.list.empty()) {  // no rows: the score's own benefit is all there is to go by
      Response out;
      const double from = first_above(data_.reading, costs, 0);
      if (std::isfinite(from)) out.points.push_back({from, 1});
      return out;
    }
    if (gamma_ == 0) return steps_at(pieces, rates_[c], data_.level);
    const Ramp ramp = ramp_at(pieces, lines_[c], rates_[c], gamma_, rate_kind(c), costs);
    if (problem_.from_labels || data_.reading.scale == Scale::logit) {
      return response_of(pieces, ramp);
    }
    return linear_response(pieces, ramp, rates_[c], gamma_, data_.reading, costs);
  }

  Rule make_rule() const {
    RuleParts parts;
    parts.cells = data_.names;
    parts.reading = data_.reading;
    parts.otherwise = problem_.base_from;
    if (gamma_ > 0) parts.level = data_.level;
    for (CellCode c = 0; c < pieces_.size(); ++c) parts.responses.push_back(response(c));
    return Rule(std::move(parts));
  }

  const Problem& problem_;
  const Tally::Data& data_;
  double gamma_;
  std::vector<Pieces> pieces_;
  std::vector<Polyline> lines_;
  std::vector<double> rates_;
  std::vector<double> multipliers_;
};

double base_rate(const Tally& tally, double base_from, unsigned threads) {
  const auto sums =
      tabulate(tally.data(), std::vector<std::vector<double>>(tally.cells().size(), {base_from}),
               false, threads);
  double selected = 0;
  for (const auto& cell : sums) selected += cell[1].n;
  return selected / tally.total().n;
}

}  // namespace

std::string_view to_string(Status status) noexcept {
  return status == Status::optimal ? "optimal" : "inaccurate";
}

std::string_view to_string(Bound bound) noexcept {
  return bound == Bound::none ? "none" : bound == Bound::lower ? "lower" : "upper";
}

Solution solve(const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
  check_options(tally, criterion, options);
  const Comparisons comparisons = compare(tally, criterion);
  const double base_from =
      base_decision_from(tally.reading(), options.costs, options.base_threshold);
  Problem problem{tally,
                  criterion,
                  options,
                  comparisons,
                  criterion.rate != Rate::selection || options.calibrate == Calibration::isotonic,
                  base_from};
  if (criterion.relation == Relation::target) {
    problem.rho = criterion.rho.kind == Rho::Kind::base
                      ? base_rate(tally, base_from, options.threads)
                      : criterion.rho.value;
  }
  return Solver(problem).run();
}

}  // namespace evenhand
