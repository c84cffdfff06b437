#include "solve/required.h"

#include <evenhand/requirement.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/grouping.h"

namespace evenhand {
namespace {

bool counts_outcomes(Measure measure) {
  return measure != Measure::rate && measure != Measure::selected && measure != Measure::share;
}

bool counts_outcomes(const Criterion& criterion) {
  return std::any_of(criterion.require.begin(), criterion.require.end(), [&](const auto& text) {
    const Requirement requirement = parse_requirement(text);
    return std::any_of(requirement.terms.begin(), requirement.terms.end(),
                       [&](const RequirementTerm& term) { return counts_outcomes(term.measure); });
  });
}

// `character` counts from 1, as Condition does.
[[noreturn]] void fail_at(const Requirement& requirement, std::size_t character,
                          const std::string& what) {
  throw std::invalid_argument(fmt::format("at character {} of {}: {}",
                                          std::max<std::size_t>(1, character),
                                          quoted_if_needed(requirement.text, 200), what));
}

// What base decisions reach in each cell.
std::vector<Reach> base_reach(const Problem& problem) {
  const std::size_t cells = problem.tally.cells().size();
  const auto sums = tabulate(problem, std::vector<std::vector<double>>(cells, {problem.base_from}));
  std::vector<Reach> out;
  for (const auto& cell : sums) {
    out.push_back({cell[1].n, problem.from_labels ? cell[1].n1 : cell[1].p, 0});
  }
  return out;
}

class Resolver {
 public:
  Resolver(const Problem& problem, const Population& population)
      : problem_(problem), names_(problem.tally.cells()), population_(population) {}

  Required run() {
    for (const std::string& text : problem_.criterion.require) {
      const Requirement requirement = parse_requirement(text);
      if (requirement.each.empty()) {
        std::vector<CellCode> all(names_.size());
        for (CellCode c = 0; c < names_.size(); ++c) all[c] = c;
        add(requirement, all, requirement.text);
      } else {
        add_each(requirement);
      }
    }
    return std::move(out_);
  }

 private:
  // A requirement for each combination of values, of those where everything in it has a meaning.
  void add_each(const Requirement& requirement) {
    for (const std::string& attribute : requirement.each) {
      const auto& known = names_.attributes();
      if (std::find(known.begin(), known.end(), attribute) != known.end()) continue;
      fail_at(requirement, 1,
              fmt::format("there is no attribute {}{}", quoted_if_needed(attribute, 60),
                          suggestion(attribute, known)));
    }
    std::size_t added = 0;
    std::string missing;
    for (const CellGroup& group : group_cells(names_, requirement.each)) {
      std::string where;
      for (std::size_t i = 0; i < requirement.each.size(); ++i) {
        where += fmt::format("{}{}={}", i ? ", " : "", quoted_if_needed(requirement.each[i]),
                             quoted_if_needed(group.values[i]));
      }
      try {
        add(requirement, group.cells, fmt::format("{} ({})", requirement.text, where));
        ++added;
      } catch (const Nobody& nobody) {
        missing = nobody.why;
        out_.notes.push_back(
            fmt::format("{} does not count for {}: {}", requirement.text, where, nobody.why));
      }
    }
    if (added == 0) fail_at(requirement, 1, missing);
  }

  void add(const Requirement& requirement, const std::vector<CellCode>& among, std::string text) {
    Constraint constraint;
    constraint.text = std::move(text);
    constraint.required = true;
    constraint.sense = requirement.sense;
    constraint.bound = requirement.bound;
    const bool is_each = !requirement.each.empty();
    for (const RequirementTerm& term : requirement.terms) {
      Pooled pooled = resolve(requirement, term, among, is_each);
      if (term.base) {
        constraint.bound -= term.factor * base_value(requirement, term, pooled, is_each);
      } else {
        constraint.terms.push_back({term.factor, std::move(pooled)});
      }
    }
    if (!requirement.absolute) {
      out_.constraints.push_back(std::move(constraint));
      return;
    }
    const double middle = constraint.bound;
    constraint.sense = Sense::at_most;
    constraint.bound = middle + requirement.margin;
    out_.constraints.push_back(constraint);
    constraint.sense = Sense::at_least;
    constraint.bound = middle - requirement.margin;
    out_.constraints.push_back(std::move(constraint));
  }

  // One of the groups of `for each` lacks what a term is about.
  struct Nobody {
    std::string why;
  };
  [[noreturn]] static void nobody(const Requirement& requirement, std::size_t at, bool is_each,
                                  std::string why) {
    if (is_each) throw Nobody{std::move(why)};
    fail_at(requirement, at, why);
  }

  void check_condition(const Requirement& requirement, const Condition& condition) {
    const auto& known = names_.attributes();
    const auto found = std::find(known.begin(), known.end(), condition.attribute);
    if (found == known.end()) {
      fail_at(requirement, condition.attribute_at,
              fmt::format("there is no attribute {}{}", quoted_if_needed(condition.attribute, 60),
                          suggestion(condition.attribute, known)));
    }
    const auto position = static_cast<std::size_t>(found - known.begin());
    std::set<std::string> values;
    for (CellCode c = 0; c < names_.size(); ++c) values.insert(names_.values(c)[position]);
    if (values.contains(condition.value)) return;
    const std::vector<std::string> candidates(values.begin(), values.end());
    fail_at(requirement, condition.value_at,
            fmt::format("{} has no value {}{}", quoted_if_needed(condition.attribute, 60),
                        quoted_if_needed(condition.value, 60),
                        suggestion(condition.value, candidates)));
  }

  Pooled resolve(const Requirement& requirement, const RequirementTerm& term,
                 const std::vector<CellCode>& among, bool is_each) {
    for (const Condition& condition : term.conditions) check_condition(requirement, condition);
    const auto matches = [&](CellCode c) {
      return std::all_of(term.conditions.begin(), term.conditions.end(), [&](const auto& one) {
        return names_.values(c)[names_.attribute(one.attribute)] == one.value;
      });
    };
    Pooled out{term.measure, {}, {}};
    bool any = false;
    for (const CellCode c : among) {
      if (population_.cells[c].n > 0 && term.measure == Measure::share) out.whole.push_back(c);
      if (!matches(c)) continue;
      any = true;
      if (denominator(term.measure, population_.cells[c]) > 0) out.cells.push_back(c);
    }
    const std::size_t at = term.conditions.empty() ? 0 : term.conditions.front().attribute_at;
    if (!any) nobody(requirement, at, is_each, "no cell has these values together");
    if (out.cells.empty()) {
      nobody(requirement, at, is_each,
             term.measure == Measure::tpr   ? "there are no favourable outcomes in these cells"
             : term.measure == Measure::fpr ? "there are no unfavourable outcomes in these cells"
                                            : "there are no rows in these cells");
    }
    return out;
  }

  static double denominator(Measure measure, const CellTotal& total) {
    return measure == Measure::tpr   ? total.n1
           : measure == Measure::fpr ? total.n - total.n1
                                     : total.n;
  }

  double base_value(const Requirement& requirement, const RequirementTerm& term,
                    const Pooled& pooled, bool is_each) {
    if (base_.empty()) base_ = base_reach(problem_);
    const double value = measured(pooled, population_, base_);
    if (std::isnan(value)) {
      const std::size_t at = term.conditions.empty() ? 0 : term.conditions.front().attribute_at;
      nobody(
          requirement, at, is_each,
          fmt::format("the base decisions have no {} here: they {} nobody", to_string(term.measure),
                      term.measure == Measure::npv ? "reject" : "select"));
    }
    return value;
  }

  const Problem& problem_;
  const CellNames& names_;
  const Population& population_;
  std::vector<Reach> base_;  // made when first asked for
  Required out_;
};

}  // namespace

bool reads_labels(const Tally& tally, const Criterion& criterion) {
  return criterion.uses_labels() || (tally.labelled() && counts_outcomes(criterion));
}

Population population_of(const Problem& problem) {
  Population out{{}, problem.options.costs};
  const std::size_t cells = problem.tally.cells().size();
  for (CellCode c = 0; c < cells; ++c) {
    out.cells.push_back(problem.tally.total(c));
    if (!problem.benefits.empty()) out.borrows.push_back(problem.borrows(c));
  }
  if (problem.from_labels || !counts_outcomes(problem.criterion)) return out;
  const auto sums = tabulate(problem, std::vector<std::vector<double>>(cells));
  for (CellCode c = 0; c < cells; ++c) out.cells[c].n1 = sums[c][0].p;
  return out;
}

Required require(const Problem& problem, const Population& population) {
  return Resolver(problem, population).run();
}

std::vector<std::string> vacuous(const std::vector<Constraint>& constraints) {
  std::vector<std::string> out;
  for (const Constraint& constraint : constraints) {
    if (!constraint.required || !std::isnan(constraint.value)) continue;
    const bool rejected = constraint.terms.front().of.measure == Measure::npv;
    const std::string note = fmt::format("{} holds only because nobody it is about is {}",
                                         constraint.text, rejected ? "rejected" : "selected");
    if (std::find(out.begin(), out.end(), note) == out.end()) out.push_back(note);
  }
  return out;
}

}  // namespace evenhand
