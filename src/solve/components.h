// The parts of a problem as the search for rules without coins sees them.
#pragma once

#include <evenhand/tally.h>

#include <vector>

#include "lottery/limits.h"
#include "solve/constraints.h"

namespace evenhand {

struct Component {
  std::vector<CellCode> cells;  // ascending
  std::vector<const Compared*> comparisons;
  bool required = false;  // something besides these comparisons
  Limits limits;          // all of it; cells by their position in `cells`
};

// Cells that nothing ties to others are in none of them. The components refer to the system.
std::vector<Component> components_of(const System& system);

}  // namespace evenhand
