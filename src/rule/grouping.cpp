#include "rule/grouping.h"

#include <map>
#include <numeric>

namespace evenhand {

std::vector<CellGroup> group_cells(const CellNames& cells, const std::vector<std::string>& by) {
  std::vector<CellCode> all(cells.size());
  std::iota(all.begin(), all.end(), CellCode{0});
  return group_cells(cells, by, all);
}

std::vector<CellGroup> group_cells(const CellNames& cells, const std::vector<std::string>& by,
                                   std::span<const CellCode> among) {
  std::vector<std::size_t> position;
  position.reserve(by.size());
  for (const std::string& name : by) position.push_back(cells.attribute(name));
  std::map<std::vector<std::string>, std::vector<CellCode>> groups;
  for (const CellCode c : among) {
    std::vector<std::string> values;
    values.reserve(position.size());
    for (const std::size_t p : position) values.push_back(cells.values(c)[p]);
    groups[values].push_back(c);
  }
  std::vector<CellGroup> out;
  for (auto& [values, members] : groups) out.push_back({values, std::move(members)});
  return out;
}

}  // namespace evenhand
