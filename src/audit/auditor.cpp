#include "audit/auditor.h"

#include <evenhand/tests_of_rates.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "calibrate/base_decision.h"
#include "calibrate/outlook.h"
#include "solve/comparison.h"

namespace evenhand {
namespace {

std::optional<double> share(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

// What a rate is a share of, and how much of that is selected.
double weight_of(const Totals& t, Rate rate) {
  return rate == Rate::selection       ? t.n
         : rate == Rate::true_positive ? t.positives
                                       : t.n - t.positives;
}

double selected_of(const Totals& t, Rate rate) {
  return rate == Rate::selection       ? t.selected
         : rate == Rate::true_positive ? t.selected_positives
                                       : t.selected - t.selected_positives;
}

// The z with P(|Z| <= z) = confidence for a standard normal Z.
double normal_quantile(double confidence) {
  if (!(confidence > 0 && confidence < 1)) {
    throw std::invalid_argument(
        fmt::format("a confidence lies between 0 and 1, not {}", confidence));
  }
  double low = 0;
  double high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erf(middle / std::sqrt(2.0)) < confidence ? low : high) = middle;
  }
  return high;
}

// Wilson's interval; rates of probabilities vary no more than those of 0 and 1 with the same mean.
std::optional<Interval> interval_of(std::optional<double> rate, std::optional<double> rows,
                                    double z) {
  if (!rate || !rows) return std::nullopt;
  const double n = *rows;
  const double z2 = z * z;
  const double centre = (*rate + z2 / (2 * n)) / (1 + z2 / n);
  const double half = z / (1 + z2 / n) * std::sqrt(*rate * (1 - *rate) / n + z2 / (4 * n * n));
  return Interval{*rate > 0 ? std::max(0.0, centre - half) : 0,
                  *rate < 1 ? std::min(1.0, centre + half) : 1};
}

Outlook outlook_for(const Tally& tally, const std::optional<Calibrator>& calibrator) {
  return calibrator ? outlook_by(*calibrator, tally) : Outlook{tally.reading()};
}

// Decisions made elsewhere are the scores themselves.
void check_decisions(const Tally& tally) {
  if (tally.reading() != Reading{}) {
    throw std::invalid_argument(
        "decisions are 0 or 1, with 1 the favourable one: they have no other scale or direction");
  }
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    for (const Entry& entry : tally.entries(c)) {
      if (entry.score != 0 && entry.score != 1) {
        throw std::invalid_argument(
            fmt::format("the decision {} is neither 0 nor 1", shortest(entry.score)));
      }
    }
  }
}

const AuditOptions& checked(const AuditOptions& options, const Reading& reading) {
  check_base_options(reading, options.costs, options.base_threshold);
  if (options.decisions) {
    throw std::invalid_argument("decisions made elsewhere are not those of a rule");
  }
  return options;
}

std::optional<double> over_strata(const Audit& audit, Rate rate, double Spread::*figure,
                                  bool (*better)(double, double)) {
  std::optional<double> out;
  for (const Comparison& stratum : audit.strata) {
    const auto& spread = stratum.*rate_of(rate).spread;
    if (spread && (!out || better(*spread.*figure, *out))) out = *spread.*figure;
  }
  return out;
}

}  // namespace

Decider base_decider(const Tally& tally, const AuditOptions& options) {
  if (options.decisions) check_decisions(tally);
  return decider_from(
      tally, base_decision_from(outlook_for(tally, options.calibrator), options.costs,
                                options.decisions ? std::optional(0.5) : options.base_threshold));
}

Auditor::Auditor(const Tally& tally, const AuditOptions& options)
    : Auditor(tally, options, outlook_for(tally, options.calibrator),
              base_decider(tally, options)) {}

Auditor::Auditor(const Tally& tally, const Rule& rule, const AuditOptions& options)
    : Auditor(tally, checked(options, tally.reading()),
              outlook_for(tally, options.calibrator ? options.calibrator : rule.parts().calibrator),
              decider_by(tally, rule, options.unseen)) {}

Auditor::Auditor(const Tally& tally, const AuditOptions& options, Outlook outlook, Decider decider)
    : tally_(tally),
      options_(options),
      z_(normal_quantile(options.confidence)),
      outlook_(std::move(outlook)),
      labelled_(tally.labelled() && !options.by_scores),
      knows_outcomes_(labelled_ || (outlook_.known() && !options.decisions)),
      unseen_(std::move(decider.unseen)),
      totals_(totals_under(tally, decider, outlook_, labelled_)) {
  if (!(options.min_group >= 0 && options.min_group < std::numeric_limits<double>::infinity())) {
    throw std::invalid_argument(fmt::format(
        "the smallest group to compare has 0 people or more, not {}", shortest(options.min_group)));
  }
  if (effective()) {
    if (tally.unit_weights() || options.squared_weights.size() != totals_.size()) {
      throw std::invalid_argument("squared weights are for weighted rows, one for each cell");
    }
    for (CellCode c = 0; c < totals_.size(); ++c) totals_[c].squared = options.squared_weights[c];
  }
  if (options.calibration_bins > 0) {
    calibration_ = outlook_.calibrator
                       ? calibration_report(tally, *outlook_.calibrator, options.calibration_bins)
                       : calibration_report(tally, options.calibration_bins);
  }
}

Audit Auditor::by(const Roles& roles) const {
  const CellNames& names = tally_.cells();
  check_named(names, roles);
  Audit out;
  out.labelled = labelled_;
  out.expected = knows_outcomes_ && !labelled_;
  for (CellCode c = 0; c < totals_.size(); ++c) out.cells.push_back({c, figures(totals_[c]), 0});
  for (const CellGroup& stratum : group_cells(names, roles.within)) {
    const std::vector<CellGroup> groups = group_cells(names, roles.sensitive, stratum.cells);
    out.strata.push_back(compare_groups(groups));
    Comparison& comparison = out.strata.back();
    comparison.values = stratum.values;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const CellCode c : groups[i].cells) {
        out.cells[c].covariance = comparison.groups[i].covariance;
      }
    }
  }
  out.overall = compare_groups(group_cells(names, roles.sensitive));
  out.calibration = calibration_;
  out.unseen = unseen_;
  double coins = 0;
  for (const Totals& totals : totals_) coins += totals.coins;
  out.lottery_share = share(coins, out.overall.figures.weight).value_or(0);
  return out;
}

std::vector<ComparedRates> Auditor::compared(const Roles& roles, const AuditScope& scope) const {
  std::vector<ComparedRates> out;
  const CellNames& names = tally_.cells();
  // Where all cells are compared they make one stratum, in the order that fits have them in.
  std::vector<std::string> between = roles.sensitive, inside = roles.within;
  if (scope.all_cells) {
    between.insert(between.end(), inside.begin(), inside.end());
    inside.clear();
  }
  for (const Rate rate : scope.rates) {
    for (const CellGroup& stratum : group_cells(names, inside)) {
      ComparedRates at{rate, {inside, stratum.values}, {}};
      for (const CellGroup& group : group_cells(names, between, stratum.cells)) {
        Totals sum;
        for (const CellCode c : group.cells) sum += totals_[c];
        const std::optional<double> value = figures(sum).*rate_of(rate).value;
        if (!value || sum.n < options_.min_group) continue;
        const double weight = weight_of(sum, rate);
        const double rows = rows_of(sum, rate).value_or(weight);
        const double positive = rows == weight ? selected_of(sum, rate) : *value * rows;
        at.groups.push_back({{between, group.values},
                             {std::clamp(positive, 0.0, rows), rows},
                             *value,
                             group.cells.size() > 1});
      }
      out.push_back(std::move(at));
    }
  }
  return out;
}

std::optional<double> Auditor::rows_of(const Totals& totals, Rate rate) const {
  const double weight = weight_of(totals, rate);
  if (tally_.unit_weights() || weight <= 0) return weight;
  const SquaredWeights& squared = totals.squared;
  const double squares = rate == Rate::selection       ? squared.n
                         : rate == Rate::true_positive ? squared.n1
                                                       : squared.n - squared.n1;
  if (squares <= 0) return std::nullopt;
  return effective_size(weight, squares);
}

Figures Auditor::figures(const Totals& t) const {
  const double negatives = t.n - t.positives;
  const double selected_negatives = t.selected - t.selected_positives;
  const double false_negatives = t.positives - t.selected_positives;
  Figures out;
  out.weight = t.n;
  out.selection_rate = share(t.selected, t.n);
  if (labelled_) {
    out.true_positive_rate = share(t.selected_positives, t.positives);
    out.false_positive_rate = share(selected_negatives, negatives);
  }
  for (const RateOf& rate : all_rates()) {
    out.*rate.interval = interval_of(out.*rate.value, rows_of(t, rate.rate), z_);
  }
  if (!knows_outcomes_) return out;
  out.precision = share(t.selected_positives, t.selected);
  out.accuracy = share(t.selected_positives + negatives - selected_negatives, t.n);
  out.cost = share(options_.costs.false_positive * selected_negatives +
                       options_.costs.false_negative * false_negatives,
                   t.n);
  return out;
}

std::optional<Spread> Auditor::spread(const std::vector<AuditedGroup>& groups,
                                      std::optional<double> Figures::*rate) const {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  std::size_t count = 0;
  for (const AuditedGroup& group : groups) {
    const std::optional<double> value = group.figures.*rate;
    if (!value || !group.compared) continue;
    ++count;
    lowest = std::min(lowest, *value);
    highest = std::max(highest, *value);
  }
  if (count < 2) return std::nullopt;
  return Spread{highest - lowest, highest > 0 ? lowest / highest : 1};
}

Comparison Auditor::compare_groups(const std::vector<CellGroup>& groups) const {
  Totals together;
  std::vector<Totals> sums;
  Comparison out;
  for (const CellGroup& group : groups) {
    Totals sum;
    for (const CellCode c : group.cells) sum += totals_[c];
    together += sum;
    sums.push_back(sum);
    out.groups.push_back({group.values, figures(sum), 0, sum.n >= options_.min_group});
  }
  out.figures = figures(together);
  for (const RateOf& rate : all_rates()) out.*rate.spread = spread(out.groups, rate.value);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    // E[q 1_S] - E[q] E[1_S], with the two rates' difference first: it is 0 when they agree.
    const double rate = sums[i].n > 0 ? sums[i].selected / sums[i].n : 0;
    const double all = together.n > 0 ? together.selected / together.n : 0;
    out.groups[i].covariance = together.n > 0 ? sums[i].n / together.n * (rate - all) : 0;
    out.bias = std::max(out.bias, std::abs(out.groups[i].covariance));
  }
  return out;
}

Audit audit(const Tally& tally, const Roles& roles, const AuditOptions& options) {
  return Auditor(tally, options).by(roles);
}

Audit audit(const Tally& tally, const Roles& roles, const Rule& rule, const AuditOptions& options) {
  return Auditor(tally, rule, options).by(roles);
}

std::optional<double> largest_difference(const Audit& audit, Rate rate) {
  return over_strata(audit, rate, &Spread::difference, [](double a, double b) { return a > b; });
}

std::optional<double> smallest_ratio(const Audit& audit, Rate rate) {
  return over_strata(audit, rate, &Spread::ratio, [](double a, double b) { return a < b; });
}

}  // namespace evenhand
