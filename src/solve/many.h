// Everything that is not one rate: exact equalized odds on the hulls, linear programs for gamma =
// 0, Newton's method for gamma > 0.
#pragma once

#include <evenhand/solve.h>

#include <optional>
#include <vector>

#include "solve/chain.h"
#include "solve/problem.h"

namespace evenhand {

Solution solve_many(const Problem& problem);

using KnownVertices = std::vector<std::vector<Reach>>;  // of each cell

// One criterion after another for the same cells and benefits, those of a problem: what rules can
// reach in a cell takes most of the time, and is worked out once.
class ManyPrograms {
 public:
  explicit ManyPrograms(const Problem& problem)  // refers to it
      : problem_(problem), known_(problem.tally.cells().size()) {}

  // gamma = 0: what the best rule reaches in each cell, without the rule and its proof; none if the
  // requirements cannot be met. Where groups have exactly the same odds, without benefits.
  std::optional<std::vector<Reach>> best_reach(const Criterion& criterion);
  Solution solve(const Criterion& criterion);

 private:
  const Problem& problem_;
  KnownVertices known_;
};

}  // namespace evenhand
