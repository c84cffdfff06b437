#include "solve/whose_benefits.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "calibrate/borrowed.h"

namespace evenhand {
namespace {

void note_decided_as_one(const Problem& problem, Solution& solution) {
  constexpr double worth_a_note = 20;
  for (CellCode c = 0; c < solution.cells.size(); ++c) {
    if (problem.borrows(c)) continue;
    const CellTotal& total = problem.tally.total(c);
    const bool one_kind = total.n1 == 0 || total.n1 == total.n;
    const Response& response = solution.rule.parts().responses[c];
    const bool alike = response.points.empty() && (response.start == 0 || response.start == 1);
    if (!one_kind || !alike) continue;
    if (total.n < worth_a_note && !lacks_outcomes(total, problem.criterion)) continue;
    solution.notes.push_back(fmt::format(
        "{} has no {}favourable outcomes: its labels say nothing of its scores, and {} in it is "
        "selected{}",
        problem.tally.cells().name(c), total.n1 == 0 ? "" : "un",
        response.start == 0 ? "nobody" : "everybody",
        solution.cells[c].compared ? "" : "; it is not compared"));
  }
}

}  // namespace

void say_whose_benefits(const Problem& problem, Solution& solution) {
  if (!problem.from_labels || solution.status == Status::infeasible) return;
  for (CellCode c = 0; c < problem.benefits.size(); ++c) {
    solution.cells[c].benefits = problem.benefits[c];
  }
  for (std::string& note : borrowing_in_words(problem.tally, problem.criterion)) {
    solution.notes.push_back(std::move(note));
  }
  if (!problem.options.blind) note_decided_as_one(problem, solution);
}

}  // namespace evenhand
