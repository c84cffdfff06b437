// Cells that have values in common.
#pragma once

#include <evenhand/cells.h>

#include <span>
#include <string>
#include <vector>

namespace evenhand {

// Cells that share the values of the given attributes, in the order of these values.
struct CellGroup {
  std::vector<std::string> values;
  std::vector<CellCode> cells;
};
std::vector<CellGroup> group_cells(const CellNames& cells, const std::vector<std::string>& by);
std::vector<CellGroup> group_cells(const CellNames& cells, const std::vector<std::string>& by,
                                   std::span<const CellCode> among);

}  // namespace evenhand
