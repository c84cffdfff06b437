// Who is compared with whom: a criterion's roles, worked out for the cells of a tally.
#pragma once

#include <evenhand/criterion.h>
#include <evenhand/tally.h>

#include <string>
#include <vector>

#include "rule/grouping.h"

namespace evenhand {

struct Stratum {
  std::vector<std::string> values;  // of the `within` attributes
  std::vector<CellCode> cells;
  std::vector<CellCode> compared;  // of these; empty if there is nobody to compare with
};

struct Comparisons {
  std::vector<Stratum> strata;       // in the order of their values
  std::vector<std::string> reasons;  // for each cell why it is not compared; empty if it is
};

// Throws std::invalid_argument unless every attribute is there, and named once.
void check_named(const CellNames& cells, const Roles& roles);
// The same, and unless sensitive and within are together the tally's attributes.
void check_roles(const CellNames& cells, const Roles& roles);

// What the rate of a cell is relative to: its rows, or those with one of the outcomes.
double denominator(Rate rate, const CellTotal& total) noexcept;

// Throws std::invalid_argument if nothing is left to compare.
Comparisons compare(const Tally& tally, const Criterion& criterion);

}  // namespace evenhand
