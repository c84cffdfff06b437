#include "solve/components.h"

#include "solve/parts.h"
#include "support/infinity.h"

namespace evenhand {
namespace {

// Adds what a part asks for; its codes are places among the component's cells.
class Builder {
 public:
  Builder(Component& component, const Population& population)
      : component_(component), population_(population) {}

  void add(const Compared& compared) {
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
  std::size_t add_quantity(const Constraint& constraint) {
    Quantity quantity;
    const Row row = row_of(constraint, population_);
    for (const Coefficient& a : row.coefficients) {
      quantity.parts.push_back({a.cell, a.n / row.unit, a.n1 / row.unit});
    }
    component_.limits.quantities.push_back(std::move(quantity));
    return component_.limits.quantities.size() - 1;
  }

  Component& component_;
  const Population& population_;
};

}  // namespace

std::vector<Component> components_of(const System& system) {
  std::vector<Component> out;
  for (Part& part : parts_of(system)) {
    Component& component = out.emplace_back();
    Builder builder(component, part.system.population);
    for (const Compared& compared : part.system.comparisons) builder.add(compared);
    for (const Constraint& constraint : part.system.requirements) builder.add(constraint);
    for (const std::size_t k : part.comparisons) {
      component.comparisons.push_back(&system.comparisons[k]);
    }
    component.cells = std::move(part.cells);
  }
  return out;
}

}  // namespace evenhand
