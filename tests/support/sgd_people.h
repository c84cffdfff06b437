#pragma once

#include <evenhand/evenhand.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/problems.h"

namespace evenhand::testing::sgd {

// People of two groups, in strata of unequal size, whose scores are distributed differently.
struct People {
  CellNames names;
  std::vector<CellCode> code;
  std::vector<double> score;

  Tally tally(const TallyOptions& options = {}) const {
    return Tally::of(score, names, code, options);
  }
};

inline People make_people(std::size_t rows, int strata, int groups, std::uint64_t seed) {
  People people;
  std::vector<std::vector<std::string>> cells;
  for (int g = 0; g < groups; ++g) {
    for (int k = 0; k < strata; ++k) cells.push_back({std::to_string(g), std::to_string(k)});
  }
  people.names = CellNames({"group", "stratum"}, cells);
  Random random(seed);
  for (std::size_t i = 0; i < rows; ++i) {
    const int k = std::min(random.below(strata), random.below(strata));
    const int g = std::min(random.below(groups), random.below(groups));
    people.code.push_back(static_cast<CellCode>(g * strata + k));
    people.score.push_back(std::pow(random.unit(), 0.7 + 0.6 * g + 0.2 * k));
  }
  return people;
}

inline Criterion parity() {
  return statistical_parity({.sensitive = {"group"}, .within = {"stratum"}});
}

}  // namespace evenhand::testing::sgd
