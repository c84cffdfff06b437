// From multipliers to a solution with all its figures.
#pragma once

#include <evenhand/sgd.h>

#include "sgd/descent.h"
#include "sgd/plan.h"

namespace evenhand::sgd {

// What a trace keeps while steps go on; its figures come later, from the tally.
struct Mark {
  std::uint64_t step = 0;
  std::vector<double> mean;
  std::vector<double> last;
};

std::vector<SgdMultiplier> multipliers(const Plan& plan, const std::vector<Descent>& descents);

SgdResult finish(const Problem& problem, const Plan& plan, const std::vector<Descent>& descents,
                 const std::vector<Mark>& marks);

}  // namespace evenhand::sgd
