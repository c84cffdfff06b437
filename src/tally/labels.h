// Labels as 0 and 1, 1 being the favourable outcome.
#pragma once

#include <evenhand/column.h>
#include <evenhand/scale.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace evenhand {

// Those of rows `begin` and after; whether all of them are 0 or 1.
bool turn_labels(const Numbers& column, Favorable favorable, std::size_t begin,
                 std::span<std::uint8_t> out);

// Throws BadRow for the first that is neither 0 nor 1.
void check_labels(const Numbers& column);

}  // namespace evenhand
