#include "verify/claims.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/grouping.h"

namespace evenhand::verifying {
namespace {

Measure measure_of(Rate rate) {
  return rate == Rate::selection       ? Measure::rate
         : rate == Rate::true_positive ? Measure::tpr
                                       : Measure::fpr;
}

double counted(Measure measure, const Sums& sums) {
  return measure == Measure::tpr   ? sums.good
         : measure == Measure::fpr ? sums.n - sums.good
                                   : sums.n;
}

Sums sums_of(const Model& model, const std::vector<CellCode>& cells) {
  Sums out;
  for (const CellCode c : cells) out.add(model.cells[c].sums);
  return out;
}

// measure = n * (weight selected) + good * (favourable outcomes selected) + constant; `size` is
// how large it can be, about. For all measures but ratios.
struct Linear {
  double n, good, constant, size;
};
Linear linear(const Model& model, const Group& group) {
  const Sums all = sums_of(model, group.cells);
  const double bad = all.n - all.good;
  const double fp = model.costs.false_positive;
  const double fn = model.costs.false_negative;
  switch (group.measure) {
    case Measure::tpr:
      return {0, 1 / all.good, 0, 1};
    case Measure::fpr:
      return {1 / bad, -1 / bad, 0, 1};
    case Measure::accuracy:
      return {-1 / all.n, 2 / all.n, bad / all.n, 1};
    case Measure::cost:
      return {fp / all.n, -(fp + fn) / all.n, fn * all.good / all.n, std::max(fp, fn)};
    case Measure::selected:
      return {1, 0, 0, all.n};
    default:
      return {1 / all.n, 0, 0, 1};
  }
}

class Requirements {
 public:
  explicit Requirements(const Model& model) : model_(model) {}

  std::vector<Limit> all() {
    std::vector<CellCode> everybody(model_.cells.size());
    for (CellCode c = 0; c < everybody.size(); ++c) everybody[c] = c;
    for (const std::string& text : model_.criterion.require) {
      const Requirement requirement = parse_requirement(text);
      if (requirement.each.empty()) {
        add(requirement, everybody, requirement.text);
        continue;
      }
      for (const CellGroup& group : group_cells(model_.names, requirement.each)) {
        std::string where;
        for (std::size_t i = 0; i < requirement.each.size(); ++i) {
          where += fmt::format("{}{}={}", i ? ", " : "", quoted_if_needed(requirement.each[i]),
                               quoted_if_needed(group.values[i]));
        }
        add(requirement, group.cells, fmt::format("{} ({})", requirement.text, where));
      }
    }
    return std::move(out_);
  }

  // None if nobody is meant.
  std::optional<Group> group_of(const RequirementTerm& term,
                                const std::vector<CellCode>& among) const {
    Group out{term.measure, {}, {}};
    for (const CellCode c : among) {
      const Sums& sums = model_.cells[c].sums;
      if (term.measure == Measure::share && sums.n > 0) out.whole.push_back(c);
      const bool meant =
          std::all_of(term.conditions.begin(), term.conditions.end(), [&](const Condition& one) {
            return model_.names.values(c)[model_.names.attribute(one.attribute)] == one.value;
          });
      if (meant && counted(term.measure, sums) > 0) out.cells.push_back(c);
    }
    return out.cells.empty() ? std::nullopt : std::optional(std::move(out));
  }

 private:
  // Left out if it is about nobody, as the fit does.
  void add(const Requirement& requirement, const std::vector<CellCode>& among, std::string text) {
    Limit limit{.text = std::move(text), .parts = {}, .sense = requirement.sense};
    limit.bound = requirement.bound;
    for (const RequirementTerm& term : requirement.terms) {
      const std::optional<Group> group = group_of(term, among);
      if (!group) return;
      if (!term.base) {
        limit.parts.push_back({term.factor, *group});
        continue;
      }
      const double before = value_of(model_, *group, By::base);
      if (std::isnan(before)) return;
      limit.bound -= term.factor * before;
    }
    if (!requirement.absolute) {
      out_.push_back(std::move(limit));
      return;
    }
    const double middle = limit.bound;
    limit.sense = Sense::at_most;
    limit.bound = middle + requirement.margin;
    out_.push_back(limit);
    limit.sense = Sense::at_least;
    limit.bound = middle - requirement.margin;
    out_.push_back(std::move(limit));
  }

  const Model& model_;
  std::vector<Limit> out_;
};

}  // namespace

double value_of(const Model& model, const Group& group, By by) {
  const Sums all = sums_of(model, group.cells);
  const double selected = by == By::rule ? all.selected : all.base_selected;
  const double good = by == By::rule ? all.selected_good : all.base_good;
  switch (group.measure) {
    case Measure::precision:
      return good / selected;
    case Measure::npv:
      return ((all.n - all.good) - (selected - good)) / (all.n - selected);
    case Measure::share: {
      const Sums whole = sums_of(model, group.whole);
      return selected / (by == By::rule ? whole.selected : whole.base_selected);
    }
    default: {
      const Linear value = linear(model, group);
      return value.n * selected + value.good * good + value.constant;
    }
  }
}

double magnified(const Model& model, const Group& group) {
  const Sums all = sums_of(model, group.measure == Measure::share ? group.whole : group.cells);
  switch (group.measure) {
    case Measure::precision:
    case Measure::share:
      return all.n / all.selected;
    case Measure::npv:
      return all.n / (all.n - all.selected);
    default:
      return 1;
  }
}

std::vector<Comparison> comparisons_of(const Model& model) {
  const Criterion& criterion = model.criterion;
  const Roles& roles = criterion.roles;
  std::vector<Comparison> out;
  if (criterion.rates.empty()) return out;
  std::vector<std::vector<std::string>> sides;  // attributes that make groups
  if (roles.across == Across::marginal) {
    for (const std::string& attribute : roles.sensitive) sides.push_back({attribute});
  } else {
    sides.push_back(roles.sensitive);  // of `both`: margins are means of these
  }
  const auto strata = criterion.all_cells ? std::vector<std::string>() : roles.within;
  for (const CellGroup& stratum : group_cells(model.names, strata)) {
    for (const Rate rate : criterion.rates) {
      for (std::vector<std::string> by : sides) {
        by.insert(by.end(), roles.within.begin(), roles.within.end());
        Comparison comparison;
        for (const CellGroup& group : group_cells(model.names, by, stratum.cells)) {
          Group member{measure_of(rate), {}, {}};
          for (const CellCode c : group.cells) {
            if (counted(member.measure, model.cells[c].sums) > 0) member.cells.push_back(c);
          }
          if (!member.cells.empty()) comparison.members.push_back(std::move(member));
        }
        const std::size_t least = criterion.relation == Relation::target ? 1 : 2;
        if (comparison.members.size() >= least) out.push_back(std::move(comparison));
      }
    }
  }
  return out;
}

double violation(const Model& model, const Comparison& comparison) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Group& member : comparison.members) {
    const double rate = value_of(model, member);
    low = std::min(low, rate);
    high = std::max(high, rate);
  }
  const Criterion& criterion = model.criterion;
  switch (criterion.relation) {
    case Relation::difference:
      return high - low - criterion.tolerance;
    case Relation::ratio:
      return criterion.ratio * high - low;
    case Relation::target:
      break;
  }
  return std::max(high - model.rho, model.rho - low) - criterion.tolerance;
}

double support(const Model& model, const std::vector<double>& prices) {
  double up = 0;
  double down = 0;
  for (const double price : prices) (price > 0 ? up : down) += price;
  const Criterion& criterion = model.criterion;
  switch (criterion.relation) {
    case Relation::difference:
      return std::max(0.0, up + down) + criterion.tolerance * up;
    case Relation::ratio:
      return std::max(0.0, up + criterion.ratio * down);
    case Relation::target:
      break;
  }
  const double highest = std::min(1.0, model.rho + criterion.tolerance);
  const double lowest = std::max(0.0, model.rho - criterion.tolerance);
  return highest * up + lowest * down;
}

std::vector<Limit> limits_of(const Model& model) {
  return Requirements(model).all();
}

Limit limit_in(const Model& model, const std::string& text) {
  const Requirement requirement = parse_requirement(text);
  std::vector<CellCode> everybody(model.cells.size());
  for (CellCode c = 0; c < everybody.size(); ++c) everybody[c] = c;
  Limit out{.text = text, .parts = {}, .sense = requirement.sense, .bound = requirement.bound};
  for (const RequirementTerm& term : requirement.terms) {
    const std::optional<Group> group = Requirements(model).group_of(term, everybody);
    if (!group || term.base || !requirement.each.empty() || requirement.absolute) {
      throw std::invalid_argument("no comparison of the criterion");
    }
    out.parts.push_back({term.factor, *group});
  }
  return out;
}

double value_of(const Model& model, const Limit& limit) {
  double sum = 0;
  for (const Limit::Part& part : limit.parts) sum += part.factor * value_of(model, part.of);
  return sum;
}

void add_price(const Model& model, const Group& group, double price, std::vector<Price>& prices) {
  const Linear value = linear(model, group);
  for (const CellCode c : group.cells) {
    prices[c].n += price * value.n;
    prices[c].good += price * value.good;
  }
}

Row row_of(const Model& model, const Limit& limit) {
  Row out{.prices = std::vector<Price>(model.cells.size())};
  const Limit::Part& first = limit.parts.front();
  if (!is_ratio(first.of.measure)) {
    out.bound = limit.bound;
    out.unit = 0;
    for (const Limit::Part& part : limit.parts) {
      const Linear value = linear(model, part.of);
      out.bound -= part.factor * value.constant;
      out.unit = std::max(out.unit, std::abs(part.factor) * value.size);
      add_price(model, part.of, part.factor, out.prices);
    }
    return out;
  }
  const auto add = [&](const std::vector<CellCode>& cells, double n, double good) {
    for (const CellCode c : cells) {
      out.prices[c].n += n;
      out.prices[c].good += good;
    }
  };
  const double factor = first.factor;
  const double against = limit.bound / factor;
  out.unit = std::abs(factor);
  if (first.of.measure == Measure::share) {  // selected here - c * selected in the whole
    const double each = factor / sums_of(model, first.of.whole).n;
    add(first.of.cells, each, 0);
    add(first.of.whole, -against * each, 0);
    return out;
  }
  const Sums all = sums_of(model, first.of.cells);
  const double each = factor / all.n;
  out.unit *= std::max(1.0, std::abs(against));
  if (first.of.measure == Measure::precision) {  // sum (good - c n) q
    add(first.of.cells, -against * each, each);
  } else {  // npv: sum (bad - c n) (1 - q)
    add(first.of.cells, -(1 - against) * each, each);
    out.bound = -(all.n - all.good - against * all.n) * each;
  }
  return out;
}

double violation(const Model& model, const Limit& limit) {
  const Row row = row_of(model, limit);
  double over = -row.bound;
  for (CellCode c = 0; c < model.cells.size(); ++c) {
    const Sums& sums = model.cells[c].sums;
    over += row.prices[c].n * sums.selected + row.prices[c].good * sums.selected_good;
  }
  over /= row.unit;
  return limit.sense == Sense::at_most    ? over
         : limit.sense == Sense::at_least ? -over
                                          : std::abs(over);
}

}  // namespace evenhand::verifying
