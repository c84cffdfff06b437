#include <evenhand/solve.h>

#include <fmt/format.h>

#include "solve/blind.h"
#include "solve/few_coins.h"
#include "solve/many.h"
#include "solve/one_rate.h"

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

// Labels of one kind say nothing of scores: such a cell is decided as a whole.
void note_cells_decided_as_one(const Problem& problem, Solution& solution) {
  if (!problem.from_labels || solution.status == Status::infeasible) return;
  constexpr double worth_a_note = 20;
  for (CellCode c = 0; c < solution.cells.size(); ++c) {
    const CellTotal& total = problem.tally.total(c);
    const bool one_kind = total.n1 == 0 || total.n1 == total.n;
    const Response& response = solution.rule.parts().responses[c];
    const bool alike = response.points.empty() && (response.start == 0 || response.start == 1);
    if (total.n < worth_a_note || !one_kind || !alike) continue;
    solution.notes.push_back(fmt::format(
        "{} has no {}favourable outcomes: its labels say nothing of its scores, and {} in it is "
        "selected{}",
        problem.tally.cells().name(c), total.n1 == 0 ? "" : "un",
        response.start == 0 ? "nobody" : "everybody",
        solution.cells[c].compared ? "" : "; it is not compared"));
  }
}

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

Solution solve(const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
  const Problem problem = make_problem(tally, criterion, options);
  if (options.blind) return solve_blind(problem);
  Solution solution = solve_with_groups(problem);
  note_cells_decided_as_one(problem, solution);
  return solution;
}

}  // namespace evenhand
