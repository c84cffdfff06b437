// Whether a sensitive column tells groups apart, or single people.
#pragma once

#include <evenhand/tally.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evenhand {

// What is odd about the first of these attributes that has more than 50 values with fewer than 10
// rows each on average: scores, ids or ages that were taken for groups, most likely. Empty if none
// does. `rows` is their number where it is known; else it is that of a tally without weights, and a
// tally of weights is not doubted.
std::string doubt_about_groups(const Tally& tally, const std::vector<std::string>& sensitive,
                               std::optional<std::uint64_t> rows = {});

}  // namespace evenhand
