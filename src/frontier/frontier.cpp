#include <evenhand/fit_words.h>
#include <evenhand/frontier.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "solve/calibration.h"
#include "solve/problem.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

Criterion with_parameter(Criterion criterion, double parameter) {
  (criterion.relation == Relation::ratio ? criterion.ratio : criterion.tolerance) = parameter;
  return criterion;
}

// By the dual bound, which holds at other parameters too: what the prices of the compared rates
// make of one more unit of tolerance, or of one less of the ratio.
double slope_of_cells(const Solution& fit) {
  double slope = 0;
  for (const StratumOutcome& stratum : fit.strata) {
    for (const CellCode c : stratum.compared) {
      const double price = fit.cells[c].multiplier;
      switch (fit.criterion.relation) {
        case Relation::difference:
          slope += std::max(0.0, price);
          break;
        case Relation::ratio:
          slope += stratum.highest * std::max(0.0, -price);
          break;
        case Relation::target:
          slope += std::abs(price);
      }
    }
  }
  return slope;
}

double slope_of_constraints(const Solution& fit) {
  double slope = 0;
  // Prices of the rates of each comparison: of pairs, a rate may be in several.
  std::map<std::pair<std::size_t, std::vector<CellCode>>, double> prices;
  for (const Constraint& constraint : fit.constraints) {
    if (constraint.required) continue;
    switch (fit.criterion.relation) {
      case Relation::difference:
        for (const Term& term : constraint.terms) {
          prices[{constraint.comparison, term.of.cells}] += constraint.multiplier * term.factor;
        }
        break;
      case Relation::ratio:
        slope += constraint.multiplier * constraint.terms.front().value;
        break;
      case Relation::target:
        slope += std::abs(constraint.multiplier);
    }
  }
  for (const auto& [rate, price] : prices) slope += std::max(0.0, price);
  return slope;
}

FrontierPoint point_of(const Tally& tally, const Solution& fit, double parameter) {
  const SolveOptions& options = fit.options;
  return {parameter,
          fit.primal,
          fit.constraints.empty() ? slope_of_cells(fit) : slope_of_constraints(fit),
          fit.gap,
          fit.violation,
          fit.lottery_share,
          audit(tally, fit.criterion.roles, fit.rule,
                {.costs = options.costs,
                 .base_threshold = options.base_threshold,
                 .calibrator = options.calibrator})
              .overall.figures,
          promised_figures(tally, fit)};
}

// Fits that differ in their parameter alone. What they have in common is made once.
class Fits {
 public:
  Fits(const Tally& tally, const Criterion& criterion, const SolveOptions& options, double first)
      : tally_(tally),
        criterion_(with_parameter(criterion, first)),
        options_(options),
        problem_(make_problem(tally, criterion_, options_)) {}
  Fits(const Fits&) = delete;
  Fits& operator=(const Fits&) = delete;

  const Tally& tally() const { return tally_; }
  Solution at(double parameter, unsigned threads) const {
    const Criterion criterion = with_parameter(criterion_, parameter);
    criterion.check();
    SolveOptions options = options_;
    options.threads = threads;
    return solve(alike(problem_, criterion, options));
  }

  // Each by one thread, but the first: it makes what the others share.
  void each(const std::vector<double>& parameters,
            const std::function<void(std::size_t, const Solution&)>& use) const {
    if (parameters.empty()) return;
    use(0, at(parameters.front(), options_.threads));
    parallel(parameters.size() - 1, options_.threads,
             [&](std::size_t i) { use(i + 1, at(parameters[i + 1], 1)); });
  }

 private:
  const Tally& tally_;
  Criterion criterion_;
  SolveOptions options_;
  Problem problem_;  // refers to the two above
};

class Breakpoints {
 public:
  Breakpoints(const Fits& fits, std::size_t most) : fits_(fits), most_(most) {}

  std::vector<FrontierPoint> between(double from, double to) {
    found_ = at({from, to});
    // Breadth first, so that a limit on their number leaves out the least of them.
    std::vector<Span> spans = {{found_[0], found_[1]}};
    while (!spans.empty() && found_.size() < most_) {
      std::vector<Span> bent;
      std::vector<double> middles;
      for (const Span& span : spans) {
        const std::optional<double> middle = where_tangents_meet(span);
        if (!middle) continue;
        if (found_.size() + middles.size() == most_) {
          all_ = false;
          break;
        }
        bent.push_back(span);
        middles.push_back(*middle);
      }
      const std::vector<FrontierPoint> points = at(middles);
      spans.clear();
      for (std::size_t i = 0; i < points.size(); ++i) {
        found_.push_back(points[i]);
        spans.push_back({bent[i].left, points[i]});
        spans.push_back({points[i], bent[i].right});
      }
    }
    all_ = all_ && spans.empty();
    std::sort(found_.begin(), found_.end(), [](const FrontierPoint& a, const FrontierPoint& b) {
      return a.parameter < b.parameter;
    });
    return drop_straight();
  }
  bool all() const noexcept { return all_; }  // none was left out

 private:
  struct Span {
    FrontierPoint left, right;
  };

  std::vector<FrontierPoint> at(const std::vector<double>& parameters) {
    std::vector<std::optional<FrontierPoint>> points(parameters.size());
    fits_.each(parameters, [&](std::size_t i, const Solution& fit) {
      points[i] = point_of(fits_.tally(), fit, parameters[i]);
      if (i == 0 && found_.empty()) magnitude_ = fit.magnitude;
    });
    std::vector<FrontierPoint> out;
    for (const std::optional<FrontierPoint>& point : points) out.push_back(*point);
    return out;
  }

  // The objective is concave and lies below its tangents. Where the tangents of both ends meet
  // there is either a breakpoint, or something between them and it. None: it is straight.
  std::optional<double> where_tangents_meet(const Span& span) const {
    const auto& [left, right] = span;
    const double width = right.parameter - left.parameter;
    const double chord = (right.objective - left.objective) / width;
    const double tiny = 1e-11 * magnitude_;
    const double steeper = left.slope - chord;
    const double flatter = chord - right.slope;
    if (steeper * width <= tiny || width < 1e-12 || flatter * width <= tiny) return {};
    const double middle = left.parameter + width * (flatter / (steeper + flatter));
    if (!(middle > left.parameter && middle < right.parameter)) return {};
    return middle;
  }

  // Points on the straight line between their neighbours are no breakpoints.
  std::vector<FrontierPoint> drop_straight() const {
    std::vector<FrontierPoint> out;
    for (const FrontierPoint& point : found_) {
      while (out.size() >= 2) {
        const FrontierPoint& a = out[out.size() - 2];
        const FrontierPoint& b = out.back();
        const double share = (b.parameter - a.parameter) / (point.parameter - a.parameter);
        const double line = a.objective + share * (point.objective - a.objective);
        if (b.objective - line > 1e-12 * magnitude_) break;
        out.pop_back();
      }
      out.push_back(point);
    }
    // To the right of each point the objective runs straight to the next.
    for (std::size_t i = 0; i + 1 < out.size(); ++i) {
      out[i].slope =
          (out[i + 1].objective - out[i].objective) / (out[i + 1].parameter - out[i].parameter);
      if (i > 0) out[i].slope = std::min(out[i].slope, out[i - 1].slope);  // but for rounding it is
    }
    if (out.size() > 1) out.back().slope = std::min(out.back().slope, out[out.size() - 2].slope);
    return out;
  }

  const Fits& fits_;
  std::size_t most_;
  double magnitude_ = 1;
  bool all_ = true;
  std::vector<FrontierPoint> found_;
};

}  // namespace

Frontier frontier(const Tally& tally, const Criterion& criterion,
                  std::span<const double> parameters, const SolveOptions& options) {
  if (criterion.rates.empty()) {
    throw std::invalid_argument("requirements alone have no tolerance, so there is no frontier");
  }
  if (parameters.empty()) return {};
  const Fits fits(tally, criterion, calibrated_once(tally, criterion, options), parameters.front());
  std::vector<std::optional<Infeasibility>> infeasible(parameters.size());
  std::vector<Status> status(parameters.size());
  std::vector<std::optional<FrontierPoint>> points(parameters.size());
  fits.each({parameters.begin(), parameters.end()}, [&](std::size_t i, const Solution& fit) {
    status[i] = fit.status;
    infeasible[i] = fit.infeasibility;
    if (fit.status != Status::infeasible) points[i] = point_of(tally, fit, parameters[i]);
  });
  Frontier out;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (status[i] == Status::infeasible) return {status[i], {}, infeasible[i]};
    if (status[i] != Status::optimal) out.status = status[i];
    out.points.push_back(*points[i]);
  }
  return out;
}

std::vector<FrontierPoint> frontier_breakpoints(const Tally& tally, const Criterion& criterion,
                                                double from, double to, const SolveOptions& options,
                                                std::size_t most, bool* all) {
  if (options.gamma != 0) throw std::invalid_argument("breakpoints need gamma = 0");
  if (criterion.rates.size() != 1 || !criterion.require.empty() ||
      criterion.relation == Relation::ratio) {
    throw std::invalid_argument("breakpoints need a criterion of one rate with a tolerance");
  }
  if (!(from >= 0 && from < to && to <= 1)) {
    throw std::invalid_argument("breakpoints lie between two tolerances from 0 to 1, in order");
  }
  const Fits fits(tally, criterion, calibrated_once(tally, criterion, options), from);
  Breakpoints search(fits, most);
  std::vector<FrontierPoint> found = search.between(from, to);
  if (all) *all = search.all();
  return found;
}

}  // namespace evenhand
