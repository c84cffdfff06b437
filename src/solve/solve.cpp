#include <evenhand/solve.h>

#include "solve/many.h"
#include "solve/one_rate.h"

namespace evenhand {
std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::optimal:
      return "optimal";
    case Status::inaccurate:
      return "inaccurate";
    case Status::approximate:
      return "approximate";
    case Status::infeasible:
      break;
  }
  return "infeasible";
}

std::string_view to_string(Bound bound) noexcept {
  return bound == Bound::none ? "none" : bound == Bound::lower ? "lower" : "upper";
}

Solution solve(const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
  const Problem problem = make_problem(tally, criterion, options);
  const bool one_rate =
      criterion.rates.size() == 1 && criterion.require.empty() &&
      (criterion.roles.across == Across::intersection || criterion.roles.sensitive.size() == 1);
  if (one_rate) {
    Solution solution = solve_one_rate(problem);
    // Should a very narrow ramp defeat the search, the general way may still find the proof.
    if (solution.status == Status::optimal || options.gamma == 0) return solution;
  }
  return solve_many(problem);
}

}  // namespace evenhand
