// The search for what the cells of a stratum have in common.
#pragma once

#include <span>
#include <vector>

#include "solve/polyline.h"

namespace evenhand {

struct Common {
  double at = 0;               // the smallest parameter in [0, 1] beyond which the sum only falls
  std::vector<double> slopes;  // for each line one of its slopes there; together they make 0
};

Common find_common(std::span<const Polyline> lines);

}  // namespace evenhand
