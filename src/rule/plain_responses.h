// Responses that need no fit.
#pragma once

#include <evenhand/response.h>

#include <cmath>

namespace evenhand {

// Yes from this turned score on (infinity: never).
inline Response from_score(double from) {
  Response out;
  if (std::isfinite(from)) out.points.push_back({from, 1});
  return out;
}

// The same probability for every score.
inline Response always(double q) {
  return {Response::Shape::steps, q, {}};
}

}  // namespace evenhand
