// The explorer: what other tolerances would give, each the exact fit on these people.
#include <evenhand/frontier.h>
#include <evenhand/solve.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "report/subject.h"
#include "solve/calibration.h"

namespace evenhand::report {
namespace {

// Rates and thresholds of all cells at all tolerances make the page large; so many fit.
constexpr std::size_t most_numbers = 30'000;
constexpr std::size_t fewest_points = 12;
constexpr std::size_t most_fits_without_coins = 25;  // each is a search
constexpr std::size_t most_in_grid = 101;

struct Explorer {
  const Subject& subject;
  const Tally& tally;  // by the criterion's attributes alone
  Criterion criterion;
  SolveOptions solving;
  std::size_t most;

  bool is_ratio() const noexcept { return criterion.relation == Relation::ratio; }
  double chosen() const noexcept { return is_ratio() ? criterion.ratio : criterion.tolerance; }

  Solution at(double parameter) const {
    Criterion asked = criterion;
    (is_ratio() ? asked.ratio : asked.tolerance) = parameter;
    return solve(tally, asked, solving);
  }

  // Between straight lines: criteria of one rate, without limits on coins.
  bool has_breakpoints() const {
    return criterion.rates.size() == 1 && criterion.require.empty() && !is_ratio() &&
           solving.gamma == 0 && solving.lottery != Lottery::none && !solving.max_lottery &&
           !solving.blind && criterion.roles.across == Across::intersection;
  }

  // All of them, unless there are too many; one place is for the tolerance that was chosen. The
  // search passes points that turn out to be none, so that it may stop too early: then it gets more
  // room, and is thinned out.
  std::vector<double> breakpoints(bool& all) const {
    std::vector<FrontierPoint> found =
        frontier_breakpoints(tally, criterion, 0, 1, solving, most - 1, &all);
    if (!all && found.size() < most - 1) {
      found = frontier_breakpoints(tally, criterion, 0, 1, solving, 4 * most, &all);
    }
    all = all && found.size() <= most - 1;
    std::vector<double> out;
    const std::size_t kept = std::min(found.size(), most - 1);
    for (std::size_t i = 0; i < kept; ++i) {
      out.push_back(found[i * (found.size() - 1) / (kept - 1)].parameter);
    }
    return out;
  }

  // The difference, or ratio, that nobody would have to change for.
  double loosest() const {
    const Solution free = at(is_ratio() ? 1e-6 : 1);
    if (free.status == Status::infeasible) return is_ratio() ? 0.5 : 1;
    const AuditReport report =
        audit_report(subject.tally(), scope_of(criterion), free.rule, subject.auditing);
    if (!report.largest_difference) return is_ratio() ? 1 : 0;
    return is_ratio() ? report.smallest_ratio->ratio() : report.largest_difference->difference();
  }

  // Round numbers from the strictest to the loosest, at most so many.
  std::vector<double> round_numbers(std::size_t count) const {
    const double loose = loosest();
    const double width = std::clamp(is_ratio() ? 1 - loose : loose, 1e-6, 1.0);
    const auto fits = [&](double per_unit) {
      return width * per_unit <= static_cast<double>(count) - 2;
    };
    double per_unit = 1'000'000;  // steps; of 1, 2 or 5 in the last decimal place
    for (int i = 0; per_unit > 1 && !fits(per_unit); ++i) per_unit /= i % 3 == 1 ? 2.5 : 2;
    std::vector<double> out;
    for (double k = 0; k <= std::ceil(width * per_unit - 1e-9); ++k) {  // 3 / 100 is 0.03
      out.push_back(is_ratio() ? (per_unit - k) / per_unit : k / per_unit);
    }
    std::erase_if(out, [&](double x) { return is_ratio() ? x <= 0 : x > 1; });
    return out;
  }

  // Ascending; from the strictest on, that is.
  std::vector<double> parameters(bool& complete) const {
    std::set<double> out;
    complete = false;
    if (has_breakpoints()) {
      const std::vector<double> found = breakpoints(complete);
      out.insert(found.begin(), found.end());
      if (most > out.size() + 1) {
        // What people ask for in meetings, as far as there is room.
        std::size_t room = most - out.size() - 1;
        if (room > 4) {
          for (const double round : round_numbers(std::min(room, most_in_grid))) {
            if (out.size() + 1 < most) out.insert(round);
          }
        }
      }
    } else {
      const bool search = solving.lottery == Lottery::none || solving.max_lottery;
      const std::size_t count = std::min(most, search ? most_fits_without_coins : most_in_grid) - 1;
      for (const double round : round_numbers(std::max<std::size_t>(count, 4))) out.insert(round);
    }
    if (subject.asked) out.insert(chosen());
    std::vector<double> sorted(out.begin(), out.end());
    if (is_ratio()) std::reverse(sorted.begin(), sorted.end());
    return sorted;
  }
};

// [q below all points, score, q, score, q, ...] with scores as the user has them; of a ramp, its
// two ends.
Json flat(const Response& response, const Reading& reading) {
  Json out = Json::array();
  const std::vector<Point>& points = response.points;
  const bool ramp = response.shape == Response::Shape::ramp;
  out.push_back(ramp ? points.front().q : response.start);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (ramp && i > 0 && i + 1 < points.size()) continue;
    out.push_back(reading.turn(points[i].score));
    out.push_back(points[i].q);
  }
  return out;
}

Json point_json(const Subject& subject, const Explorer& explorer, double parameter,
                const Solution& fit) {
  const AuditReport report =
      audit_report(subject.tally(), scope_of(fit.criterion), fit.rule, subject.auditing);
  const Figures& figures = report.audit().overall.figures;
  Change all;
  for (const Change& one : changes_from_base(subject.tally(), fit.rule, subject.auditing)) {
    all.to_yes += one.to_yes;
    all.to_no += one.to_no;
  }
  Json out;
  out[explorer.is_ratio() ? "ratio" : "tolerance"] = parameter;
  out["objective"] = fit.primal;
  out["gap"] = fit.gap;
  out["violation"] = fit.violation;
  out["selection_rate"] = or_null(figures.selection_rate);
  out["accuracy"] = or_null(figures.accuracy);
  out["cost"] = or_null(figures.cost);
  out["lottery_share"] = fit.lottery_share;
  out["to_yes"] = all.to_yes;
  out["to_no"] = all.to_no;
  out["largest_difference"] =
      report.largest_difference ? Json(report.largest_difference->difference()) : Json(nullptr);
  std::vector<Rate> rates = subject.criterion.rates;
  if (std::find(rates.begin(), rates.end(), Rate::selection) == rates.end()) {
    rates.insert(rates.begin(), Rate::selection);
  }
  for (const Rate rate : rates) {
    Json& values = out["rates"][std::string(rate_of(rate).name)] = Json::array();
    for (const AuditView& view : report.views) {
      for (const Comparison& stratum : view.audit.strata) {
        for (const AuditedGroup& group : stratum.groups) {
          values.push_back(or_null(group.figures.*rate_of(rate).value));
        }
      }
    }
  }
  Json& rules = out["rules"] = Json::array();
  for (const Response& response : fit.rule.parts().responses) {
    rules.push_back(flat(response, fit.rule.parts().reading));
  }
  return out;
}

// As the first rule was fitted, on these people.
SolveOptions solving_of(const Subject& subject) {
  SolveOptions out;
  out.costs = subject.auditing.costs;
  out.base_threshold = subject.auditing.base_threshold;
  out.threads = subject.options.threads;
  if (!subject.ruled()) {
    out.calibrator = subject.auditing.calibrator;
    return out;
  }
  const FitRecord& fit = subject.rules.front().fit;
  out.gamma = fit.gamma.value_or(0);
  out.lottery = fit.lottery.value_or(Lottery::fewest);
  out.max_lottery = fit.max_lottery;
  out.blind = fit.blind.value_or(false);
  if (subject.tally().labelled()) {
    out.calibrate = fit.calibrate.value_or(Calibration::none);
    out.calibrate_by = fit.calibrate_by.value_or(CalibrateBy::cell);
  } else {
    out.calibrator = subject.rules.front().rule.parts().calibrator;
  }
  return out;
}

}  // namespace

Json frontier(const Subject& subject) {
  const Json none = nullptr;
  if (!subject.asked || subject.criterion.rates.empty() || subject.auditing.decisions ||
      subject.options.tolerances < 2) {
    return none;
  }
  std::vector<std::string> attributes = subject.roles().sensitive;
  attributes.insert(attributes.end(), subject.roles().within.begin(), subject.roles().within.end());
  const Tally tally = attributes == subject.tally().cells().attributes()
                          ? subject.tally()
                          : subject.tally().project(attributes);
  const std::size_t cells = tally.cells().size();
  const std::size_t most =
      std::min(subject.options.tolerances,
               std::max(fewest_points, most_numbers / std::max<std::size_t>(cells, 1)));
  Json out;
  try {
    const Explorer explorer{subject, tally, subject.criterion,
                            calibrated_once(tally, subject.criterion, solving_of(subject)), most};
    out["parameter"] = explorer.is_ratio() ? "ratio" : "tolerance";
    bool complete = false;
    const std::vector<double> parameters = explorer.parameters(complete);
    out["all_breakpoints"] = complete;
    out["asked"] = explorer.chosen();
    out["chosen"] = nullptr;
    Json& groups = out["groups"] = Json::array();
    for (const AuditView& view : subject.last().views) {
      for (const Comparison& stratum : view.audit.strata) {
        for (const AuditedGroup& group : stratum.groups) {
          groups.push_back(GroupName{view.roles.sensitive, group.values}
                               .in({view.roles.within, stratum.values})
                               .text());
        }
      }
    }
    out["cells"] = Json::array();
    Json& points = out["points"] = Json::array();
    for (const double parameter : parameters) {
      const Solution fit = explorer.at(parameter);
      if (fit.status == Status::infeasible) continue;
      if (out["cells"].empty()) {
        const CellNames& names = fit.rule.cells();
        for (CellCode c = 0; c < names.size(); ++c) out["cells"].push_back(names.name(c));
      }
      if (parameter == explorer.chosen()) out["chosen"] = points.size();
      points.push_back(point_json(subject, explorer, parameter, fit));
    }
    if (points.empty()) return none;
  } catch (const std::invalid_argument& error) {
    // These people cannot be fitted as the rule was: no two groups, or no labels.
    return {{"none", error.what()}};
  }
  return out;
}

}  // namespace evenhand::report
