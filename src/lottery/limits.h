// What a criterion asks of the cells that it ties together, in terms of their points.
#pragma once

#include <evenhand/criterion.h>
#include <evenhand/tally.h>

#include <vector>

#include "lottery/points.h"
#include "solve/constraints.h"

namespace evenhand {

// sum over cells of n * (weight selected) + y * (favourable outcomes selected).
struct Quantity {
  struct Part {
    std::size_t cell;  // its position in Component::cells
    double n, y;
  };
  std::vector<Part> parts;
};

struct Between {
  std::size_t quantity;
  double low, high;
};

struct Together {
  Relation relation;  // difference or ratio
  double tolerance, ratio;
  std::vector<std::size_t> quantities;
};

// Cells that constraints tie to each other, and to no others.
struct Component {
  std::vector<CellCode> cells;
  std::vector<const Compared*> comparisons;
  std::vector<Quantity> quantities;
  std::vector<Between> between;
  std::vector<Together> together;
  bool required = false;  // by requirements as well
};

// Cells that nothing ties to others are in none of them. The components refer to the system.
std::vector<Component> components_of(const System& system, const Tally& tally);

// Values of the quantities when each cell reaches a point of the plane.
std::vector<double> values_at(const Component& component, const std::vector<At>& at);

// The sum of all violations.
double total_violation(const Component& component, const std::vector<double>& values);

}  // namespace evenhand
