#include "solve/components.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace evenhand {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Sets of cells that grow together.
class Ties {
 public:
  explicit Ties(std::size_t cells) : parent_(cells), tied_(cells, false) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t root(std::size_t c) {
    while (parent_[c] != c) c = parent_[c] = parent_[parent_[c]];
    return c;
  }
  void tie(const std::vector<CellCode>& cells) {
    for (const CellCode c : cells) {
      tied_[c] = true;
      const std::size_t a = root(cells.front());
      const std::size_t b = root(c);
      parent_[std::max(a, b)] = std::min(a, b);
    }
  }
  bool tied(std::size_t c) const { return tied_[c]; }

 private:
  std::vector<std::size_t> parent_;
  std::vector<bool> tied_;
};

std::vector<CellCode> cells_in(const Compared& compared) {
  std::vector<CellCode> out;
  for (const PooledRate& member : compared.members) {
    out.insert(out.end(), member.cells.begin(), member.cells.end());
  }
  return out;
}

std::vector<CellCode> cells_in(const Constraint& constraint) {
  std::vector<CellCode> out;
  for (const Term& term : constraint.terms) {
    out.insert(out.end(), term.of.cells.begin(), term.of.cells.end());
    out.insert(out.end(), term.of.whole.begin(), term.of.whole.end());
  }
  return out;
}

class Builder {
 public:
  Builder(Component& component, const Population& population)
      : component_(component), population_(population) {
    for (std::size_t i = 0; i < component.cells.size(); ++i) place_[component.cells[i]] = i;
  }

  std::size_t add_quantity(const Constraint& constraint) {
    Quantity quantity;
    const Row row = row_of(constraint, population_);
    for (const Coefficient& a : row.coefficients) {
      quantity.parts.push_back({place_.at(a.cell), a.n / row.unit, a.n1 / row.unit});
    }
    component_.limits.quantities.push_back(std::move(quantity));
    return component_.limits.quantities.size() - 1;
  }

  void add(const Compared& compared) {
    component_.comparisons.push_back(&compared);
    Together together{compared.relation, compared.tolerance, compared.ratio, {}};
    for (const PooledRate& member : compared.members) {
      Constraint rate;
      rate.terms = {{1, measure_of(member)}};
      together.quantities.push_back(add_quantity(rate));
    }
    if (compared.relation != Relation::target) {
      component_.limits.together.push_back(std::move(together));
      return;
    }
    for (const std::size_t q : together.quantities) {
      component_.limits.between.push_back(
          {q, compared.rho - compared.tolerance, compared.rho + compared.tolerance});
    }
  }

  void add(const Constraint& requirement) {
    component_.required = true;
    const Row row = row_of(requirement, population_);
    const double bound = row.bound / row.unit;
    component_.limits.between.push_back({add_quantity(requirement),
                                         requirement.sense == Sense::at_most ? -infinity : bound,
                                         requirement.sense == Sense::at_least ? infinity : bound});
  }

 private:
  Component& component_;
  const Population& population_;
  std::map<CellCode, std::size_t> place_;
};

}  // namespace

std::vector<Component> components_of(const System& system) {
  const std::size_t cells = system.population.cells.size();
  Ties ties(cells);
  for (const Compared& compared : system.comparisons) ties.tie(cells_in(compared));
  for (const Constraint& constraint : system.requirements) ties.tie(cells_in(constraint));
  std::map<std::size_t, Component> by_root;
  for (CellCode c = 0; c < cells; ++c) {
    if (ties.tied(c)) by_root[ties.root(c)].cells.push_back(c);
  }
  std::map<std::size_t, Builder> builders;
  for (auto& [root, component] : by_root) builders.try_emplace(root, component, system.population);
  for (const Compared& compared : system.comparisons) {
    builders.at(ties.root(compared.members.front().cells.front())).add(compared);
  }
  for (const Constraint& constraint : system.requirements) {
    const std::vector<CellCode> tied = cells_in(constraint);
    if (!tied.empty()) builders.at(ties.root(tied.front())).add(constraint);
  }
  std::vector<Component> out;
  for (auto& [root, component] : by_root) out.push_back(std::move(component));
  return out;
}

}  // namespace evenhand
