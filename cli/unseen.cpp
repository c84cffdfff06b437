#include "unseen.h"

#include <fmt/format.h>

#include "terminal.h"

namespace evenhand::cli {

void throw_unseen(const std::string& data, const std::vector<std::string>& attributes,
                  const UnseenCells& cells, const std::string& advice) {
  constexpr std::size_t named = 3;
  std::string found;
  for (std::size_t i = 0; i < cells.size() && i < named; ++i) {
    std::string cell;
    for (std::size_t a = 0; a < attributes.size(); ++a) {
      cell +=
          fmt::format("{}{}={}", a > 0 ? ", " : "", shown(attributes[a]), shown(cells[i].first[a]));
    }
    found += fmt::format("{}{} ({})", i > 0 ? "; " : "", cell, counted(cells[i].second, "row"));
  }
  if (cells.size() > named) {
    found += fmt::format("; and {} more", counted(cells.size() - named, "cell"));
  }
  throw UserError(fmt::format("{}: the rule has never seen {}; {}", data, found, advice));
}

}  // namespace evenhand::cli
