// Cells that constraints tie to each other, and to no others, are a part: a problem of its own,
// usually a stratum. Cells that no constraint names are in none.
#pragma once

#include <optional>
#include <vector>

#include "solve/constraints.h"

namespace evenhand {

struct Part {
  std::vector<CellCode> cells;  // ascending; inside the part a cell's code is its place here
  System system;                // comparisons, requirements and population, in the part's codes
  std::vector<std::size_t> comparisons;  // the numbers that these have in the whole
};

// In the order of their first cells. Cells that are `alike` share a rule, and so a part.
std::vector<Part> parts_of(const System& system,
                           const std::vector<std::vector<CellCode>>& alike = {});

// Adds a part's constraints, in the codes of the whole.
void add_constraints(const Part& part, std::vector<Constraint> constraints,
                     std::vector<Constraint>& whole);

// The violations of parts add up, and one slack must serve them all.
void add_infeasibility(const Part& part, Infeasibility why, std::optional<Infeasibility>& whole);

}  // namespace evenhand
