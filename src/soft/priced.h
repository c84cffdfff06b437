// The rows of a stratum with what has a price: sums of factor * (column - mean) * q.
#pragma once

#include <span>
#include <vector>

#include "soft/atoms.h"
#include "soft/plan.h"

namespace evenhand::soft {

// low <= sum n scale * priced * q / weight <= high
struct Limits {
  double scale = 1;  // above 0
  double low = 0;
  double high = 0;
};

struct Priced {
  const Atoms& atoms;
  std::vector<SoftPrice> prices;
  std::vector<double> means;   // of each price
  std::vector<bool> compared;  // whether a price says anything about these rows
  std::vector<Limits> limits;  // of each price
  bool bounded = false;        // else all sums are 0
  std::vector<double> p;       // of each atom, if a price asks for it

  double of(std::size_t i, std::size_t price) const noexcept {
    const double away = atoms.of(i)[prices[price].column] - means[price];
    if (prices[price].given == Given::everyone) return away;
    return (prices[price].given == Given::favorable ? p[i] : 1 - p[i]) * away;
  }
};

Priced price(const Atoms& atoms, const Plan& plan, const Costs& costs);

}  // namespace evenhand::soft
