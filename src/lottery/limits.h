// Linear constraints on the points that some cells reach.
#pragma once

#include <evenhand/criterion.h>

#include <vector>

#include "lottery/points.h"

namespace evenhand {

// sum over cells of n * (weight selected) + y * (favourable outcomes selected).
struct Quantity {
  struct Part {
    std::size_t cell;  // by position
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

struct Limits {
  std::vector<Quantity> quantities;
  std::vector<Between> between;
  std::vector<Together> together;
};

// Values of the quantities when each cell reaches a point of the plane.
std::vector<double> values_at(const Limits& limits, const std::vector<At>& at);

// The sum of all violations.
double total_violation(const Limits& limits, const std::vector<double>& values);

}  // namespace evenhand
