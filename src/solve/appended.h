// Columns of a linear program, to be appended together.
#pragma once

#include <limits>
#include <vector>

#include <ClpSimplex.hpp>

namespace evenhand {

struct Appended {
  std::vector<double> lower, upper, cost, value;
  std::vector<CoinBigIndex> start = {0};
  std::vector<int> row;

  void put(int where, double what) {
    row.push_back(where);
    value.push_back(what);
  }
  // Ends a column, which is at least `low` and has this price in the objective.
  void finish(double low, double price) {
    lower.push_back(low);
    upper.push_back(std::numeric_limits<double>::infinity());
    cost.push_back(price);
    start.push_back(static_cast<CoinBigIndex>(row.size()));
  }
  void append_to(ClpSimplex& model) const {
    model.addColumns(static_cast<int>(cost.size()), lower.data(), upper.data(), cost.data(),
                     start.data(), row.data(), value.data());
  }
};

}  // namespace evenhand
