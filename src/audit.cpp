#include <evenhand/audit.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/base_decision.h"
#include "calibrate/outlook.h"
#include "calibrate/tabulate.h"
#include "rule/grouping.h"
#include "rule/plain_responses.h"
#include "solve/comparison.h"
#include "support/dyadic.h"

namespace evenhand {
namespace {

// Weighted sums, of cells or of cells together.
struct Totals {
  double n = 0, positives = 0;                  // rows and favourable outcomes
  double selected = 0, selected_positives = 0;  // the same times q

  Totals& operator+=(const Totals& other) {
    n += other.n;
    positives += other.positives;
    selected += other.selected;
    selected_positives += other.selected_positives;
    return *this;
  }
};

std::optional<double> share(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
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
std::optional<Interval> interval_of(std::optional<double> rate, double n, double z) {
  if (!rate) return std::nullopt;
  const double z2 = z * z;
  const double centre = (*rate + z2 / (2 * n)) / (1 + z2 / n);
  const double half = z / (1 + z2 / n) * std::sqrt(*rate * (1 - *rate) / n + z2 / (4 * n * n));
  return Interval{*rate > 0 ? std::max(0.0, centre - half) : 0,
                  *rate < 1 ? std::min(1.0, centre + half) : 1};
}

class Auditor {
 public:
  Auditor(const Tally& tally, const Roles& roles, const AuditOptions& options, Outlook outlook)
      : tally_(tally),
        roles_(roles),
        options_(options),
        outlook_(std::move(outlook)),
        labelled_(tally.labelled()),
        z_(normal_quantile(options.confidence)) {
    check_named(tally.cells(), roles);
  }

  Audit run(const std::vector<Response>& responses, std::optional<int> level) const {
    const std::vector<Totals> totals = totals_under(responses, level);
    const CellNames& names = tally_.cells();
    Audit out;
    out.expected = wants_expectations();
    for (CellCode c = 0; c < totals.size(); ++c) out.cells.push_back({c, figures(totals[c]), 0});
    for (const CellGroup& stratum : group_cells(names, roles_.within)) {
      const std::vector<CellGroup> groups = group_cells(names, roles_.sensitive, stratum.cells);
      out.strata.push_back(compare_groups(groups, totals));
      Comparison& comparison = out.strata.back();
      comparison.values = stratum.values;
      for (std::size_t i = 0; i < groups.size(); ++i) {
        for (const CellCode c : groups[i].cells) {
          out.cells[c].covariance = comparison.groups[i].covariance;
        }
      }
    }
    out.overall = compare_groups(group_cells(names, roles_.sensitive), totals);
    if (options_.calibration_bins > 0) {
      out.calibration = outlook_.calibrator ? calibration_report(tally_, *outlook_.calibrator,
                                                                 options_.calibration_bins)
                                            : calibration_report(tally_, options_.calibration_bins);
    }
    return out;
  }

 private:
  bool wants_expectations() const { return !labelled_ && outlook_.known(); }

  std::vector<Totals> totals_under(const std::vector<Response>& responses,
                                   std::optional<int> level) const {
    const Tally::Data& data = tally_.data();
    std::vector<Totals> totals(responses.size());
    const bool steps = std::all_of(responses.begin(), responses.end(), [](const Response& r) {
      return r.shape == Response::Shape::steps;
    });
    const auto add = [&](CellCode c, double q, double n, double positives) {
      totals[c] += {n, positives, q * n, q * positives};
    };
    if (!steps || level) {
      const Sorted& sorted = data.sorted();
      for (CellCode c = 0; c < totals.size(); ++c) {
        for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
          const double x = sorted.score[i];
          add(c, responses[c](level ? cut(x, *level, data.reading) : x), sorted.n[i],
              labelled_ ? sorted.n1[i] : sorted.n[i] * outlook_.probability(c, x));
        }
      }
      return totals;
    }
    std::vector<std::vector<double>> cuts(totals.size());
    for (CellCode c = 0; c < totals.size(); ++c) {
      for (const Point& point : responses[c].points) cuts[c].push_back(point.score);
    }
    const auto sums = tabulate(data, cuts, wants_expectations() ? &outlook_ : nullptr, 0);
    for (CellCode c = 0; c < totals.size(); ++c) {
      for (std::size_t i = 0; i < sums[c].size(); ++i) {
        const double q = i == 0 ? responses[c].start : responses[c].points[i - 1].q;
        add(c, q, sums[c][i].n, labelled_ ? sums[c][i].n1 : sums[c][i].p);
      }
    }
    return totals;
  }

  Figures figures(const Totals& t) const {
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
    if (tally_.unit_weights()) {
      out.selection_interval = interval_of(out.selection_rate, t.n, z_);
      out.true_positive_interval = interval_of(out.true_positive_rate, t.positives, z_);
      out.false_positive_interval = interval_of(out.false_positive_rate, negatives, z_);
    }
    if (!labelled_ && !outlook_.known()) return out;
    out.precision = share(t.selected_positives, t.selected);
    out.accuracy = share(t.selected_positives + negatives - selected_negatives, t.n);
    out.cost = share(options_.costs.false_positive * selected_negatives +
                         options_.costs.false_negative * false_negatives,
                     t.n);
    return out;
  }

  std::optional<Spread> spread(const std::vector<AuditedGroup>& groups,
                               std::optional<double> Figures::*rate) const {
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    std::size_t count = 0;
    for (const AuditedGroup& group : groups) {
      const std::optional<double> value = group.figures.*rate;
      if (!value) continue;
      ++count;
      lowest = std::min(lowest, *value);
      highest = std::max(highest, *value);
    }
    if (count < 2) return std::nullopt;
    return Spread{highest - lowest, highest > 0 ? lowest / highest : 1};
  }

  Comparison compare_groups(const std::vector<CellGroup>& groups,
                            const std::vector<Totals>& totals) const {
    Totals together;
    std::vector<Totals> sums;
    Comparison out;
    for (const CellGroup& group : groups) {
      Totals sum;
      for (const CellCode c : group.cells) sum += totals[c];
      together += sum;
      sums.push_back(sum);
      out.groups.push_back({group.values, figures(sum), 0});
    }
    out.figures = figures(together);
    out.selection_rate = spread(out.groups, &Figures::selection_rate);
    out.true_positive_rate = spread(out.groups, &Figures::true_positive_rate);
    out.false_positive_rate = spread(out.groups, &Figures::false_positive_rate);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      // E[q 1_S] - E[q] E[1_S], with the two rates' difference first: it is 0 when they agree.
      const double rate = sums[i].n > 0 ? sums[i].selected / sums[i].n : 0;
      const double all = together.n > 0 ? together.selected / together.n : 0;
      out.groups[i].covariance = together.n > 0 ? sums[i].n / together.n * (rate - all) : 0;
      out.bias = std::max(out.bias, std::abs(out.groups[i].covariance));
    }
    return out;
  }

  const Tally& tally_;
  const Roles& roles_;
  const AuditOptions& options_;
  Outlook outlook_;
  bool labelled_;
  double z_;
};

Outlook outlook_for(const Tally& tally, const std::optional<Calibrator>& calibrator) {
  return calibrator ? outlook_by(*calibrator, tally) : Outlook{tally.reading()};
}

}  // namespace

Audit audit(const Tally& tally, const Roles& roles, const AuditOptions& options) {
  const Outlook outlook = outlook_for(tally, options.calibrator);
  const double from = base_decision_from(outlook, options.costs, options.base_threshold);
  return Auditor(tally, roles, options, outlook)
      .run(std::vector<Response>(tally.cells().size(), from_score(from)), std::nullopt);
}

Audit audit(const Tally& tally, const Roles& roles, const Rule& rule, const AuditOptions& options) {
  check_base_options(tally.reading(), options.costs, options.base_threshold);
  if (rule.parts().reading != tally.reading()) {
    throw std::invalid_argument("the rule and the tally read scores differently");
  }
  const std::vector<CellCode> codes = translate(tally.cells(), rule.cells());
  std::vector<Response> responses;
  for (CellCode c = 0; c < codes.size(); ++c) {
    if (codes[c] == unseen_cell) {
      throw std::out_of_range("the rule has never seen the cell " + tally.cells().name(c));
    }
    responses.push_back(rule.parts().responses[codes[c]]);
  }
  const Outlook outlook =
      outlook_for(tally, options.calibrator ? options.calibrator : rule.parts().calibrator);
  return Auditor(tally, roles, options, outlook).run(responses, rule.parts().level);
}

}  // namespace evenhand
