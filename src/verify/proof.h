// The upper bound that recorded multipliers prove.
#pragma once

#include <string>

#include "verify/model.h"

namespace evenhand::verifying {

struct Proof {
  bool known = false;   // there are multipliers
  double bound = 0;     // no rule that meets the criterion has a larger objective
  std::string trouble;  // what is wrong with them; then there is no bound
};
// Whatever the multipliers are, the bound holds: at any prices of what the criterion limits, no
// rule is worth more than its best net of these, plus what the limits themselves are worth.
Proof proof_by(const Model& model, const FitRecord& record);

}  // namespace evenhand::verifying
