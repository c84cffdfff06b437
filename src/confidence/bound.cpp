// The bound of a rule, fitted on the rows or fresh to them.
#include <evenhand/audit.h>
#include <evenhand/confidence_bound.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "confidence/check.h"
#include "confidence/compared.h"
#include "rule/grouping.h"
#include "solve/comparison.h"

namespace evenhand {
namespace {

// Whether the rates move together, in a window that was known before the rows.
bool ties_rates(const Solution& solution) {
  return solution.status == Status::optimal && solution.options.gamma == 0 &&
         solution.criterion.require.empty();
}

// A rate that was given beforehand leaves nothing to choose by the rows: they count as fresh.
bool rate_was_given(const Criterion& criterion) {
  return criterion.relation == Relation::target && criterion.rho.kind == Rho::Kind::given;
}

BoundKind kind_for(const Solution& solution, const BoundOptions& options) {
  const bool tied = ties_rates(solution);
  if (!options.kind) return tied ? BoundKind::same_rate : BoundKind::any;
  if (*options.kind == BoundKind::same_rate && !tied) {
    throw std::invalid_argument(
        "the bound same-rate is for exact fits of a named criterion, with gamma 0 and no "
        "requirements: use any or dkw");
  }
  return *options.kind;
}

// With the window [t, t + tolerance] the rule of each group is at most the one at its upper end, so
// that the bound is the one of (t + tolerance, t); both rates observed say where t may be.
double same_rate_bound(const PairBounds& bounds, std::size_t n, double over, double under,
                       const Criterion& criterion) {
  if (criterion.relation == Relation::ratio) {
    const double ratio = criterion.ratio;
    return std::max(bounds.ratio(n, ratio * over, over),
                    bounds.ratio(n, under, std::min(1.0, under / ratio)));
  }
  const double width =
      criterion.relation == Relation::target ? 2 * criterion.tolerance : criterion.tolerance;
  if (width == 0) return bounds.difference(n, over, under);
  return std::min(bounds.difference(n, std::min(1.0, under + width), under),
                  bounds.difference(n, over, std::max(0.0, over - width)));
}

ConfidenceBound none(const std::string& reason, double confidence, bool is_ratio) {
  ConfidenceBound out;
  out.reason = reason;
  out.confidence = confidence;
  out.is_ratio = is_ratio;
  return out;
}

std::string too_many_pairs(std::size_t count) {
  return fmt::format("{} pairs of groups are more than {} to compare", count, most_pairs);
}

double fresh_of_pair(const RateCount& over, const RateCount& under, double alpha, bool is_ratio,
                     bool strict) {
  if (is_ratio) {
    return strict ? strict_ratio_at_least(under, over, alpha)
                  : fresh_ratio_at_least(under, over, alpha);
  }
  return strict ? strict_difference_at_most(over, under, alpha)
                : fresh_difference_at_most(over, under, alpha);
}

std::string name_of(const std::vector<std::string>& attributes,
                    const std::vector<std::string>& values) {
  std::string out;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    out += (i == 0 ? "" : ", ") + attributes[i] + "=" + values[i];
  }
  return out;
}

}  // namespace

ConfidenceBound confidence_bound(const Tally& tally, const Solution& solution,
                                 const BoundOptions& options) {
  check_confidence(options.confidence);
  const Criterion& criterion = solution.criterion;
  const bool is_ratio = criterion.relation == Relation::ratio;
  const BoundKind kind = kind_for(solution, options);
  const std::string reason = solution.status == Status::infeasible ? "there is no rule"
                             : solution.options.blind ? "one threshold decides for several cells"
                                                      : out_of_reach(tally, criterion);
  if (!reason.empty()) return none(reason, options.confidence, is_ratio);
  const std::vector<ComparedGroups> compared = compared_cells(tally, solution);
  const std::size_t count = count_pairs(compared);
  if (count == 0) return none("there is nobody to compare", options.confidence, is_ratio);
  if (count > most_pairs) return none(too_many_pairs(count), options.confidence, is_ratio);
  ConfidenceBound out;
  out.confidence = options.confidence;
  out.is_ratio = is_ratio;
  const double delta = 1 - options.confidence;
  if (!options.kind && rate_was_given(criterion)) {
    const double alpha = delta / static_cast<double>(count);
    const double rho = criterion.rho.value;
    const double high = std::min(1.0, rho + criterion.tolerance);
    const double low = std::max(0.0, rho - criterion.tolerance);
    bounded(
        compared,
        [&](std::size_t, const ComparedGroup& over, const ComparedGroup& under) {
          return fresh_difference_at_most({high * over.group.rows, over.group.rows},
                                          {low * under.group.rows, under.group.rows}, alpha);
        },
        out);
    return out;
  }
  out.kind = kind;
  const PairBounds bounds(pairs_of(compared), delta, kind);
  bounded(
      compared,
      [&](std::size_t n, const ComparedGroup& over, const ComparedGroup& under) {
        if (kind == BoundKind::same_rate) {
          return same_rate_bound(bounds, n, over.rate, under.rate, criterion);
        }
        return is_ratio ? bounds.ratio(n, under.rate, over.rate)
                        : bounds.difference(n, over.rate, under.rate);
      },
      out);
  return out;
}

ConfidenceBound fresh_bound(const Tally& tally, const Criterion& criterion, const Rule& rule,
                            double confidence, bool strict) {
  check_confidence(confidence);
  const bool is_ratio = criterion.relation == Relation::ratio;
  if (criterion.rates.empty()) {
    return none("requirements alone compare no groups", confidence, is_ratio);
  }
  if (!tally.unit_weights()) {
    return none("rows have weights, and the bound counts people", confidence, is_ratio);
  }
  const Roles& roles = criterion.roles;
  const Audit audited = audit(tally, roles, rule);
  const std::vector<CellGroup> strata = group_cells(tally.cells(), roles.within);
  std::vector<ComparedGroups> compared;
  for (std::size_t k = 0; k < strata.size(); ++k) {
    const std::vector<CellGroup> members =
        group_cells(tally.cells(), roles.sensitive, strata[k].cells);
    for (const Rate rate : criterion.rates) {
      ComparedGroups groups{strata[k].values, rate, {}};
      for (std::size_t i = 0; i < members.size(); ++i) {
        double rows = 0;
        for (const CellCode c : members[i].cells) rows += denominator(rate, tally.total(c));
        if (rows <= 0) continue;
        const Figures& figures = audited.strata[k].groups[i].figures;
        const double value = (rate == Rate::selection       ? figures.selection_rate
                              : rate == Rate::true_positive ? figures.true_positive_rate
                                                            : figures.false_positive_rate)
                                 .value();
        std::string name = name_of(roles.sensitive, members[i].values);
        if (!roles.within.empty()) name += ", " + name_of(roles.within, strata[k].values);
        groups.groups.push_back({{std::move(name), rows}, value, 0});
      }
      if (groups.groups.size() > 1) compared.push_back(std::move(groups));
    }
  }
  const std::size_t count = count_pairs(compared);
  if (count == 0) return none("there is nobody to compare", confidence, is_ratio);
  if (count > most_pairs) return none(too_many_pairs(count), confidence, is_ratio);
  ConfidenceBound out;
  out.confidence = confidence;
  out.is_ratio = is_ratio;
  const double alpha = (1 - confidence) / static_cast<double>(count);
  const auto counted = [](const ComparedGroup& group) {
    return RateCount{std::min(group.rate, 1.0) * group.group.rows, group.group.rows};
  };
  bounded(
      compared,
      [&](std::size_t, const ComparedGroup& over, const ComparedGroup& under) {
        return fresh_of_pair(counted(over), counted(under), alpha, is_ratio, strict);
      },
      out);
  return out;
}

}  // namespace evenhand
