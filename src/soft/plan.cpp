#include "soft/plan.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/soft_columns.h"

namespace evenhand::soft {
namespace {

std::size_t position(std::vector<SoftColumn>& columns, const SoftColumn& wanted) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const SoftColumn& column) {
    return column.name == wanted.name;
  });
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  columns.push_back(wanted);
  return columns.size() - 1;
}

const CriterionName& criterion_of(const SoftOptions& options) {
  const CriterionName& found = find_criterion(options.criterion);
  if (found.takes_rho()) {
    throw std::invalid_argument(
        fmt::format("{} has no form for soft attributes: choose statistical-parity", found.name));
  }
  return found;
}

// The columns that say who belongs, among people with that outcome.
const std::vector<SoftColumn>& columns_for(const SoftRows& rows, Rate rate) {
  const auto& given = rate == Rate::true_positive ? rows.favorable : rows.unfavorable;
  if (rate != Rate::selection && !given.empty()) return given;
  if (rows.columns.empty() && !(rows.favorable.empty() && rows.unfavorable.empty())) {
    throw std::invalid_argument(
        rate == Rate::selection
            ? "selection rates are those of everybody: give columns that are given no outcome"
        : rate == Rate::true_positive
            ? "true-positive rates need columns given the favourable outcome"
            : "false-positive rates need columns given the unfavourable outcome");
  }
  return rows.columns;
}

void check(const SoftRows& rows, const SoftOptions& options, const Plan& plan) {
  if (!(options.tolerance >= 0 && options.tolerance <= 1)) {
    throw std::invalid_argument(
        fmt::format("the tolerance is a number in [0, 1], not {}", shortest(options.tolerance)));
  }
  if (!(options.ratio > 0 && options.ratio <= 1)) {
    throw std::invalid_argument(
        fmt::format("the ratio is a number in (0, 1], not {}", shortest(options.ratio)));
  }
  if (plan.by_ratio() && options.tolerance > 0) {
    throw std::invalid_argument(
        fmt::format("{} takes a ratio, not a tolerance", plan.criterion->name));
  }
  if (plan.bounded() && options.gamma > 0) {
    throw std::invalid_argument(
        "soft attributes with a tolerance or a ratio are for gamma 0: ramps meet rates exactly");
  }
  if (!rows.columns.empty() && !(rows.favorable.empty() && rows.unfavorable.empty())) {
    throw std::invalid_argument(
        "give either columns of everybody, or columns given the outcome, not both");
  }
  if (!rows.favorable.empty() && !rows.unfavorable.empty() &&
      rows.favorable.size() != rows.unfavorable.size()) {
    throw std::invalid_argument(fmt::format(
        "there are {} columns given the favourable outcome and {} given the other one: the same "
        "groups, in the same order",
        rows.favorable.size(), rows.unfavorable.size()));
  }
}

}  // namespace

Given given_of(Rate rate) noexcept {
  switch (rate) {
    case Rate::true_positive:
      return Given::favorable;
    case Rate::false_positive:
      return Given::unfavorable;
    case Rate::selection:
      break;
  }
  return Given::everyone;
}

double Plan::violation(double rate, double others) const noexcept {
  if (by_ratio()) {
    return std::max(0.0, ratio * std::max(rate, others) - std::min(rate, others));
  }
  return std::max(0.0, std::abs(rate - others) - tolerance);
}

Plan plan_for(const SoftRows& rows, const SoftOptions& options) {
  for (const auto* const list : {&rows.columns, &rows.favorable, &rows.unfavorable}) {
    std::vector<std::string> names;
    for (const SoftColumn& column : *list) names.push_back(column.name);
    check_soft_names(names);
  }
  Plan out;
  out.criterion = &criterion_of(options);
  out.tolerance = options.tolerance;
  out.ratio = out.by_ratio() ? options.ratio : 1;
  check(rows, options, out);
  for (const Rate rate : out.criterion->rates) {
    const std::vector<SoftColumn>& columns = columns_for(rows, rate);
    // Equal rates of all groups but one make that one's equal to the rest as well.
    const bool drops = options.exhaustive && !out.bounded() && columns.size() > 1;
    std::vector<std::size_t> list;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      position(out.all, columns[j]);
      Compared one{rate, columns[j].name, {}, {}, {}};
      if (drops && j + 1 == columns.size()) {
        one.list = list;
        out.compared.push_back(std::move(one));
        continue;
      }
      one.at = position(out.columns, columns[j]);
      list.push_back(*one.at);
      for (int side = 0; side < (out.by_ratio() ? 2 : 1); ++side) {
        one.prices.push_back(out.prices.size());
        out.prices.push_back({*one.at, given_of(rate)});
      }
      out.compared.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace evenhand::soft
