#include <evenhand/solve.h>

#include "solve/blind.h"
#include "solve/few_coins.h"
#include "solve/many.h"
#include "solve/one_rate.h"
#include "solve/whose_benefits.h"
#include "support/parallel.h"

namespace evenhand {
std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::optimal:
      return "optimal";
    case Status::feasible:
      return "feasible";
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

namespace {

Solution solve_with_groups(const Problem& problem) {
  if (has_one_rate(problem.criterion)) {
    Solution solution = solve_one_rate(problem);
    // Should a very narrow ramp defeat the search, the general way may still find the proof.
    if (solution.status == Status::optimal || problem.options.gamma == 0) {
      return with_few_coins(problem, std::move(solution));
    }
  }
  return with_few_coins(problem, solve_many(problem));
}

}  // namespace

Solution solve(const Problem& problem) {
  const Team team;
  Solution solution = problem.options.blind ? solve_blind(problem) : solve_with_groups(problem);
  say_whose_benefits(problem, solution);
  return solution;
}

Solution solve(const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
  return solve(make_problem(tally, criterion, options));
}

}  // namespace evenhand
