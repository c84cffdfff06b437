#include "solve/constraints.h"

#include <evenhand/text.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "solve/comparison.h"
#include "solve/evaluate.h"

namespace evenhand {
namespace {

std::string_view word(Rate rate) {
  return rate == Rate::selection ? "rate" : rate == Rate::true_positive ? "tpr" : "fpr";
}

double denominator(const PooledRate& pooled, const Tally& tally) {
  double sum = 0;
  for (const CellCode c : pooled.cells) sum += denominator(pooled.rate, tally.total(c));
  return sum;
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
    if (roles.across != Across::marginal) {
      add_comparison(system, tally, criterion, rho, rate, stratum.cells,
                     with_strata(roles.sensitive));
    }
    // With one attribute its margin is the intersection.
    if (roles.across == Across::marginal ||
        (roles.across == Across::both && roles.sensitive.size() > 1)) {
      for (const std::string& attribute : roles.sensitive) {
        add_comparison(system, tally, criterion, rho, rate, stratum.cells,
                       with_strata({attribute}));
      }
    }
  }
}

// `character` counts from 1, as Condition does.
[[noreturn]] void fail_at(const Requirement& requirement, std::size_t character,
                          const std::string& what) {
  throw std::invalid_argument(fmt::format("at character {} of {}: {}",
                                          std::max<std::size_t>(1, character),
                                          quoted_if_needed(requirement.text, 200), what));
}

PooledRate resolve(const Tally& tally, const Requirement& requirement, const RateTerm& term) {
  const CellNames& names = tally.cells();
  std::vector<bool> matches(names.size(), true);
  for (const Condition& condition : term.conditions) {
    const auto& known = names.attributes();
    const auto found = std::find(known.begin(), known.end(), condition.attribute);
    if (found == known.end()) {
      fail_at(requirement, condition.attribute_at,
              fmt::format("there is no attribute {}{}", quoted_if_needed(condition.attribute, 60),
                          suggestion(condition.attribute, known)));
    }
    const auto position = static_cast<std::size_t>(found - known.begin());
    std::set<std::string> values;
    for (CellCode c = 0; c < names.size(); ++c) {
      values.insert(names.values(c)[position]);
      if (names.values(c)[position] != condition.value) matches[c] = false;
    }
    if (!values.contains(condition.value)) {
      const std::vector<std::string> candidates(values.begin(), values.end());
      fail_at(requirement, condition.value_at,
              fmt::format("{} has no value {}{}", quoted_if_needed(condition.attribute, 60),
                          quoted_if_needed(condition.value, 60),
                          suggestion(condition.value, candidates)));
    }
  }
  PooledRate out{term.rate, {}};
  bool any = false;
  for (CellCode c = 0; c < names.size(); ++c) {
    any = any || matches[c];
    if (matches[c] && denominator(term.rate, tally.total(c)) > 0) out.cells.push_back(c);
  }
  const std::size_t at = term.conditions.empty() ? 0 : term.conditions.front().attribute_at;
  if (!any) fail_at(requirement, at, "no cell has these values together");
  if (out.cells.empty()) {
    fail_at(requirement, at,
            term.rate == Rate::selection ? "there are no rows in these cells"
            : term.rate == Rate::true_positive
                ? "there are no favourable outcomes in these cells"
                : "there are no unfavourable outcomes in these cells");
  }
  return out;
}

std::string_view sign(Sense sense) {
  return sense == Sense::at_most ? "<=" : sense == Sense::equal ? "=" : ">=";
}

Constraint single(const Compared& compared, std::size_t i, Sense sense, double bound) {
  Constraint out;
  out.text = fmt::format("{} {} {}", compared.names[i], sign(sense), shortest(bound));
  out.terms = {{1, compared.members[i]}};
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
  out.terms = {{factor, compared.members[i]}, {-1, compared.members[j]}};
  out.sense = sense;
  out.bound = bound;
  return out;
}

std::vector<double> rates_of(const Compared& compared, const Tally& tally,
                             const std::vector<Reach>& reach) {
  std::vector<double> out;
  for (const PooledRate& member : compared.members) out.push_back(rate_of(member, tally, reach));
  return out;
}

}  // namespace

double rate_of(const PooledRate& pooled, const Tally& tally, const std::vector<Reach>& reach) {
  double sum = 0;
  for (const CellCode c : pooled.cells) sum += numerator(pooled.rate, reach[c]);
  return sum / denominator(pooled, tally);
}

System compile(const Tally& tally, const Criterion& criterion, double rho) {
  System system;
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
      add_stratum(system, tally, criterion, rho, stratum);
      for (const CellCode c : stratum.cells) {
        if (system.reasons[c].empty()) system.strata.back().compared.push_back(c);
      }
    }
    if (system.comparisons.empty()) {
      throw std::invalid_argument(
          "there is nothing to compare: no stratum has two groups with such a rate");
    }
  }
  for (const std::string& text : criterion.require) {
    const Requirement requirement = parse_requirement(text);
    Constraint constraint;
    constraint.text = requirement.text;
    constraint.required = true;
    constraint.sense = requirement.sense;
    constraint.bound = requirement.bound;
    for (const RateTerm& term : requirement.terms) {
      constraint.terms.push_back({term.factor, resolve(tally, requirement, term)});
      for (const CellCode c : constraint.terms.back().of.cells) system.reasons[c].clear();
    }
    system.requirements.push_back(std::move(constraint));
  }
  return system;
}

std::vector<Coefficient> coefficients(const Constraint& constraint, const Tally& tally) {
  std::vector<Coefficient> out;
  for (const Term& term : constraint.terms) {
    const double each = term.factor / denominator(term.of, tally);
    for (const CellCode c : term.of.cells) {
      switch (term.of.rate) {
        case Rate::selection:
          out.push_back({c, each, 0});
          break;
        case Rate::true_positive:
          out.push_back({c, 0, each});
          break;
        case Rate::false_positive:
          out.push_back({c, each, -each});
      }
    }
  }
  return out;
}

double value_of(const std::vector<Coefficient>& coefficients, const std::vector<Reach>& reach) {
  double sum = 0;
  for (const Coefficient& a : coefficients) sum += a.n * reach[a.cell].n + a.n1 * reach[a.cell].n1;
  return sum;
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

std::vector<Constraint> violated_pairs(const System& system, const Tally& tally,
                                       const std::vector<Reach>& reach, double slack) {
  std::vector<Constraint> out;
  for (std::size_t k = 0; k < system.comparisons.size(); ++k) {
    const Compared& compared = system.comparisons[k];
    const std::size_t before = out.size();
    const bool by_ratio = compared.relation == Relation::ratio;
    if (!by_ratio && !(compared.relation == Relation::difference && compared.tolerance > 0))
      continue;
    const double factor = by_ratio ? compared.ratio : 1;
    const double bound = by_ratio ? 0 : compared.tolerance;
    const std::vector<double> rates = rates_of(compared, tally, reach);
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

double violation(const System& system, const Tally& tally, const std::vector<Reach>& reach) {
  double worst = 0;
  for (const Compared& compared : system.comparisons) {
    const std::vector<double> rates = rates_of(compared, tally, reach);
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
    const double over = value_of(coefficients(constraint, tally), reach) - constraint.bound;
    worst = std::max(worst, constraint.sense == Sense::at_most    ? over
                            : constraint.sense == Sense::at_least ? -over
                                                                  : std::abs(over));
  }
  return worst;
}

std::vector<CellPrice> prices(const std::vector<Constraint>& constraints, const Tally& tally) {
  std::vector<CellPrice> out(tally.cells().size());
  for (const Constraint& constraint : constraints) {
    if (constraint.multiplier == 0) continue;
    for (const Coefficient& a : coefficients(constraint, tally)) {
      out[a.cell].n += constraint.multiplier * a.n;
      out[a.cell].n1 += constraint.multiplier * a.n1;
    }
  }
  return out;
}

}  // namespace evenhand
