// Windows of rates that are certified: of the smallest rate t up to the largest one, phi(t), that
// keeps the bound of all pairs within the goal. They depend on sizes alone.
#pragma once

#include <evenhand/certify.h>

#include <span>
#include <vector>

namespace evenhand {

struct RateWindow {
  double low = 0;
  double high = 1;
};

// phi as a table of a rising step function: between two points the lower one's window holds, which
// is the narrower. Empty if no rate can be certified.
std::vector<RateWindow> certified_windows(const PairBounds& bounds,
                                          std::span<const std::size_t> pairs, const Goal& goal);

}  // namespace evenhand
