#include "lottery/limits.h"

#include <algorithm>
#include <limits>

namespace evenhand {

std::vector<double> values_at(const Limits& limits, const std::vector<At>& at) {
  std::vector<double> out;
  for (const Quantity& quantity : limits.quantities) {
    double sum = 0;
    for (const Quantity::Part& part : quantity.parts) {
      sum += part.n * at[part.cell].n + part.y * at[part.cell].y;
    }
    out.push_back(sum);
  }
  return out;
}

double total_violation(const Limits& limits, const std::vector<double>& values) {
  double sum = 0;
  for (const Between& between : limits.between) {
    const double value = values[between.quantity];
    sum += std::max({0.0, value - between.high, between.low - value});
  }
  for (const Together& together : limits.together) {
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    for (const std::size_t q : together.quantities) {
      lowest = std::min(lowest, values[q]);
      highest = std::max(highest, values[q]);
    }
    sum +=
        std::max(0.0, together.relation == Relation::ratio ? together.ratio * highest - lowest
                                                           : highest - lowest - together.tolerance);
  }
  return sum;
}

}  // namespace evenhand
