// How solvers see cells that borrow outcomes (evenhand/benefits.h).
#pragma once

#include <evenhand/benefits.h>

namespace evenhand {

// All labels of a cell are of one kind, and the criterion has a rate that divides by the other.
bool lacks_outcomes(const CellTotal& total, const Criterion& criterion);

// The entries of cells that borrow have the outcomes of others, which count for benefits alone. The
// totals stay those of the rows: what is compared are rates of people, not of benefits.
Tally with_borrowed_benefits(const Tally& tally, const Criterion& criterion);

}  // namespace evenhand
