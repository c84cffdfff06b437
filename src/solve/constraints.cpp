#include "solve/constraints.h"

#include <evenhand/text.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "solve/comparison.h"
#include "solve/required.h"

namespace evenhand {
namespace {

std::string_view word(Rate rate) {
  return rate == Rate::selection ? "rate" : rate == Rate::true_positive ? "tpr" : "fpr";
}

std::string name_of(Rate rate, const std::vector<std::string>& attributes,
                    const std::vector<std::string>& values) {
  std::string inside;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    inside += fmt::format("{}{}={}", i ? ", " : "", quoted_if_needed(attributes[i]),
                          quoted_if_needed(values[i]));
  }
  return inside.empty() ? std::string(word(rate)) : fmt::format("{}[{}]", word(rate), inside);
}

// The groups of one comparison: cells that share the values of `by`, inside one stratum.
void add_comparison(System& system, const Tally& tally, const Criterion& criterion, double rho,
                    Rate rate, const std::vector<CellCode>& stratum,
                    const std::vector<std::string>& by) {
  Compared compared{criterion.relation, criterion.tolerance, criterion.ratio, rho, {}, {}};
  const std::set<CellCode> inside(stratum.begin(), stratum.end());
  for (const CellGroup& group : group_cells(tally.cells(), by)) {
    PooledRate member{rate, {}};
    for (const CellCode c : group.cells) {
      if (inside.contains(c) && denominator(rate, tally.total(c)) > 0) member.cells.push_back(c);
    }
    if (member.cells.empty()) continue;
    compared.members.push_back(member);
    compared.names.push_back(name_of(rate, by, group.values));
  }
  if (compared.members.size() < (criterion.relation == Relation::target ? 1U : 2U)) return;
  for (const PooledRate& member : compared.members) {
    for (const CellCode c : member.cells) system.reasons[c].clear();
  }
  system.comparisons.push_back(std::move(compared));
}

void add_stratum(System& system, const Tally& tally, const Criterion& criterion, double rho,
                 const CellGroup& stratum) {
  const Roles& roles = criterion.roles;
  const auto with_strata = [&](std::vector<std::string> attributes) {
    attributes.insert(attributes.end(), roles.within.begin(), roles.within.end());
    return attributes;
  };
  for (const Rate rate : criterion.rates) {
    // Of both, combinations suffice: the rate of a margin is a mean of theirs, so that what holds
    // between any two of them holds between any two such means.
    if (roles.across != Across::marginal) {
      add_comparison(system, tally, criterion, rho, rate, stratum.cells,
                     with_strata(roles.sensitive));
      continue;
    }
    for (const std::string& attribute : roles.sensitive) {
      add_comparison(system, tally, criterion, rho, rate, stratum.cells, with_strata({attribute}));
    }
  }
}

std::string_view sign(Sense sense) {
  return sense == Sense::at_most ? "<=" : sense == Sense::equal ? "=" : ">=";
}

Constraint single(const Compared& compared, std::size_t i, Sense sense, double bound) {
  Constraint out;
  out.text = fmt::format("{} {} {}", compared.names[i], sign(sense), shortest(bound));
  out.terms = {{1, measure_of(compared.members[i])}};
  out.sense = sense;
  out.bound = bound;
  return out;
}

// members[i] * factor - members[j] (sense) bound.
Constraint pair(const Compared& compared, std::size_t i, double factor, std::size_t j, Sense sense,
                double bound) {
  Constraint out;
  out.text = fmt::format("{}{} - {} {} {}", factor == 1 ? "" : shortest(factor) + " * ",
                         compared.names[i], compared.names[j], sign(sense), shortest(bound));
  out.terms = {{factor, measure_of(compared.members[i])}, {-1, measure_of(compared.members[j])}};
  out.sense = sense;
  out.bound = bound;
  return out;
}

std::vector<double> rates_of(const Compared& compared, const Population& population,
                             const std::vector<Reach>& reach) {
  std::vector<double> out;
  for (const PooledRate& member : compared.members) {
    out.push_back(rate_of(member, population, reach));
  }
  return out;
}

}  // namespace

Pooled measure_of(const PooledRate& rate) {
  switch (rate.rate) {
    case Rate::selection:
      return {Measure::rate, rate.cells};
    case Rate::true_positive:
      return {Measure::tpr, rate.cells};
    case Rate::false_positive:
      break;
  }
  return {Measure::fpr, rate.cells};
}

double rate_of(const PooledRate& pooled, const Population& population,
               const std::vector<Reach>& reach) {
  return measured(measure_of(pooled), population, reach);
}

System compile(const Problem& problem) {
  const Tally& tally = problem.tally;
  const Criterion& criterion = problem.criterion;
  System system;
  system.population = population_of(problem);
  system.reasons.assign(tally.cells().size(), "no comparison includes it");
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    if (tally.total(c).n == 0) system.reasons[c] = "no rows";
  }
  if (!criterion.rates.empty()) {
    check_roles(tally.cells(), criterion.roles);
    const std::vector<std::string> strata =
        criterion.all_cells ? std::vector<std::string>{} : criterion.roles.within;
    for (const CellGroup& stratum : group_cells(tally.cells(), strata)) {
      system.strata.push_back({stratum.values, {}, 0, 1});
      add_stratum(system, tally, criterion, problem.rho, stratum);
      for (const CellCode c : stratum.cells) {
        if (system.reasons[c].empty()) system.strata.back().compared.push_back(c);
      }
    }
    if (system.comparisons.empty()) {
      throw std::invalid_argument(
          "there is nothing to compare: no stratum has two groups with such a rate");
    }
  }
  Required required = require(problem, system.population);
  for (const Constraint& constraint : required.constraints) {
    for (const Term& term : constraint.terms) {
      for (const CellCode c : term.of.cells) system.reasons[c].clear();
    }
  }
  system.requirements = std::move(required.constraints);
  system.notes = std::move(required.notes);
  return system;
}

std::vector<Constraint> standing_constraints(const System& system) {
  std::vector<Constraint> out;
  for (std::size_t k = 0; k < system.comparisons.size(); ++k) {
    const Compared& compared = system.comparisons[k];
    const std::size_t count = compared.members.size();
    const std::size_t before = out.size();
    if (compared.relation == Relation::target) {
      for (std::size_t i = 0; i < count; ++i) {
        if (compared.tolerance == 0) {
          out.push_back(single(compared, i, Sense::equal, compared.rho));
          continue;
        }
        // Bounds that no rate can break would only be in the way.
        if (compared.rho + compared.tolerance < 1) {
          out.push_back(single(compared, i, Sense::at_most, compared.rho + compared.tolerance));
        }
        if (compared.rho - compared.tolerance > 0) {
          out.push_back(single(compared, i, Sense::at_least, compared.rho - compared.tolerance));
        }
      }
    } else if (compared.relation == Relation::difference && compared.tolerance == 0) {
      for (std::size_t i = 1; i < count; ++i)
        out.push_back(pair(compared, i, 1, 0, Sense::equal, 0));
    }
    for (std::size_t i = before; i < out.size(); ++i) out[i].comparison = k;
  }
  return out;
}

std::vector<Constraint> violated_pairs(const System& system, const std::vector<Reach>& reach,
                                       double slack) {
  std::vector<Constraint> out;
  for (std::size_t k = 0; k < system.comparisons.size(); ++k) {
    const Compared& compared = system.comparisons[k];
    const std::size_t before = out.size();
    const bool by_ratio = compared.relation == Relation::ratio;
    if (!by_ratio && !(compared.relation == Relation::difference && compared.tolerance > 0))
      continue;
    const double factor = by_ratio ? compared.ratio : 1;
    const double bound = by_ratio ? 0 : compared.tolerance;
    const std::vector<double> rates = rates_of(compared, system.population, reach);
    const auto index = [&](auto found) { return static_cast<std::size_t>(found - rates.begin()); };
    const std::size_t lowest = index(std::min_element(rates.begin(), rates.end()));
    const std::size_t highest = index(std::max_element(rates.begin(), rates.end()));
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (factor * rates[i] - rates[lowest] > bound + slack) {
        out.push_back(pair(compared, i, factor, lowest, Sense::at_most, bound));
      }
      if (i != lowest && factor * rates[highest] - rates[i] > bound + slack) {
        out.push_back(pair(compared, highest, factor, i, Sense::at_most, bound));
      }
    }
    for (std::size_t i = before; i < out.size(); ++i) out[i].comparison = k;
  }
  return out;
}

std::optional<Range> range_of(const Compared& compared) {
  if (compared.relation == Relation::ratio) return Range{compared.ratio, 1, 0};
  if (compared.relation == Relation::difference && compared.tolerance > 0) {
    return Range{1, 1, compared.tolerance};
  }
  return std::nullopt;
}

std::vector<Constraint> priced_pairs(const Compared& compared, const std::vector<double>& price) {
  const bool by_ratio = compared.relation == Relation::ratio;
  const double factor = by_ratio ? compared.ratio : 1;
  const double bound = by_ratio ? 0 : compared.tolerance;
  std::vector<Constraint> out;
  std::size_t low = 0;
  double owed = 0;  // to the member before `low`
  for (std::size_t high = 0; high < price.size(); ++high) {
    double left = std::max(0.0, price[high]) / factor;
    while (left > 0) {
      while (owed <= 0 && low < price.size()) owed = std::max(0.0, -price[low++]);
      if (owed <= 0) return out;  // but for rounding they balance
      const double part = std::min(left, owed);
      out.push_back(pair(compared, high, factor, low - 1, Sense::at_most, bound));
      out.back().multiplier = part;
      left -= part;
      owed -= part;
    }
  }
  return out;
}

double violation(const System& system, const std::vector<Reach>& reach) {
  double worst = 0;
  for (const Compared& compared : system.comparisons) {
    const std::vector<double> rates = rates_of(compared, system.population, reach);
    const auto [lowest, highest] = std::minmax_element(rates.begin(), rates.end());
    switch (compared.relation) {
      case Relation::difference:
        worst = std::max(worst, *highest - *lowest - compared.tolerance);
        break;
      case Relation::ratio:
        worst = std::max(worst, compared.ratio * *highest - *lowest);
        break;
      case Relation::target:
        worst = std::max({worst, *highest - compared.rho - compared.tolerance,
                          compared.rho - *lowest - compared.tolerance});
    }
  }
  for (const Constraint& constraint : system.requirements) {
    worst = std::max(worst, violation(constraint, system.population, reach));
  }
  return worst;
}

Solution begun(const Problem& problem, const System& system) {
  Solution out;
  out.criterion = problem.criterion;
  out.options = problem.options;
  out.strata = system.strata;
  out.notes = system.notes;
  for (const std::string& reason : system.reasons) {
    CellOutcome& cell = out.cells.emplace_back();
    cell.compared = reason.empty();
    cell.reason = reason;
  }
  return out;
}

}  // namespace evenhand
