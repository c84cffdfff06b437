// Benefits of cells that borrow outcomes (evenhand/benefits.h), worked out again.
#pragma once

#include "verify/model.h"

namespace evenhand::verifying {

// Gives the cells that the record says to borrow the benefits of their lenders' outcomes. A cell
// that has outcomes of both kinds lacks none, whatever the record says.
void borrow_benefits(const FitRecord& record, Model& model);

}  // namespace evenhand::verifying
