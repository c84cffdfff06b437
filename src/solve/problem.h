// What is being solved, checked and complete; and the rule that a solution becomes.
#pragma once

#include <evenhand/solve.h>

#include <functional>
#include <memory>

#include "calibrate/outlook.h"
#include "calibrate/tabulate.h"

namespace evenhand {

class CellShapes;

// Where the rates of a stratum must lie.
struct Window {
  double low = 0;
  double high = 1;
};

// As all ways of solving see it.
struct Problem {
  Tally tally;  // entries of cells that borrow outcomes have those (calibrate/borrowed.h)
  const Criterion& criterion;
  const SolveOptions& options;
  bool from_labels;                  // the benefit comes from pooled labels, else from the scores
  double base_from;                  // base decisions are positive from this turned score on
  Outlook outlook;                   // where benefits from scores come from
  double rho = 0;                    // for Relation::target
  std::vector<Window> windows = {};  // of each stratum, in place of the relation; else empty
  std::vector<Benefits> benefits = {};            // of each cell; empty: all have their own
  std::shared_ptr<const CellShapes> shapes = {};  // of the tally's cells, made on demand

  bool borrows(CellCode c) const { return !benefits.empty() && benefits[c] != Benefits::own; }
  // All people of a cell that borrows have the outcome that the rate is about.
  Rate rate_in(CellCode c, Rate rate) const { return borrows(c) ? Rate::selection : rate; }
};

// One rate, groups by combination, no requirements: a price for each cell is proof enough.
bool has_one_rate(const Criterion& criterion);

// Checks what is asked, and works out rho and the base decision. The problem refers to criterion
// and options.
// Throws std::invalid_argument as solve does.
Problem make_problem(const Tally& tally, const Criterion& criterion, const SolveOptions& options);

// The same cells and benefits under another criterion of the same rates; options differ in their
// threads alone.
Problem alike(const Problem& problem, const Criterion& criterion, const SolveOptions& options);

Solution solve(const Problem& problem);  // solve.cpp

// Sums between cuts of each cell, `p` as benefits from scores expect it (calibrate/tabulate.h).
std::vector<std::vector<Sums>> tabulate(const Problem& problem,
                                        const std::vector<std::vector<double>>& cuts);

// The rule with these responses, found on several threads; cells without rows are decided by the
// score's own benefit.
Rule make_rule(const Problem& problem, const std::function<Response(CellCode)>& respond);

}  // namespace evenhand
