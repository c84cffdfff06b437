#pragma once

#include <evenhand/tally.h>

#include <cstddef>

namespace evenhand {

// The same rows with at most so many distinct scores in each cell; the tally itself if no cell has
// more.
Tally coarsened(const Tally& tally, std::size_t most);

}  // namespace evenhand
