// People in cells that a rule does not know.
#pragma once

#include <evenhand/cells.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "error.h"

namespace evenhand::cli {

// Cells by the values of the rule's attributes, with their rows, most rows first.
using UnseenCells = std::vector<std::pair<std::vector<std::string>, std::uint64_t>>;

// Names the first of them and counts their rows.
[[noreturn]] void throw_unseen(const std::string& data, const std::vector<std::string>& attributes,
                               const UnseenCells& cells, const std::string& advice);

// Throws so if any of the cells that were found is not among those known; counts[c] is the rows of
// cell c.
void refuse_unseen(const std::string& data, const CellNames& found,
                   const std::vector<std::uint64_t>& counts, const CellNames& known,
                   const std::string& advice);

}  // namespace evenhand::cli
