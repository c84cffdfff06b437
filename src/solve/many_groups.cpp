#include <evenhand/many_groups.h>
#include <evenhand/text.h>

#include <algorithm>

#include <fmt/format.h>

#include "rule/grouping.h"

namespace evenhand {

std::string doubt_about_groups(const Tally& tally, const std::vector<std::string>& sensitive,
                               std::optional<std::uint64_t> rows) {
  constexpr std::size_t many = 50;
  constexpr double few_each = 10;
  if (!rows && !tally.unit_weights()) return "";
  const double people = rows ? static_cast<double>(*rows) : tally.total().n;
  const std::vector<std::string>& known = tally.cells().attributes();
  for (const std::string& attribute : sensitive) {
    if (std::find(known.begin(), known.end(), attribute) == known.end()) continue;
    std::size_t values = 0;
    for (const CellGroup& group : group_cells(tally.cells(), {attribute})) {
      const bool somebody = std::any_of(group.cells.begin(), group.cells.end(),
                                        [&](CellCode c) { return tally.total(c).n > 0; });
      values += somebody ? 1 : 0;
    }
    const double each = people / static_cast<double>(std::max<std::size_t>(1, values));
    if (values > many && each < few_each) {
      return fmt::format(
          "the sensitive attribute {} has {} values with {:.1f} rows each on average",
          quoted_if_needed(attribute, 60), values, each);
    }
  }
  return "";
}

}  // namespace evenhand
