#include "data/csv.h"

#include <algorithm>
#include <array>

#include "data/content.h"

namespace evenhand::cli {

std::string delimiter_of(std::string_view start) {
  std::array<std::size_t, 4> counts{};
  constexpr std::string_view candidates = ",;\t|";
  bool quoted = false;
  for (const char c : start) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    if (const auto at = candidates.find(c); at != std::string_view::npos) ++counts[at];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return *most == 0 ? ","
                    : std::string(1, candidates[static_cast<std::size_t>(most - counts.begin())]);
}

std::vector<std::string> header_of(std::string_view start, char delimiter) {
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  std::vector<std::string> names(1);
  bool quoted = false;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const char c = start[i];
    if (c == '"' && quoted && i + 1 < start.size() && start[i + 1] == '"') {
      names.back() += start[++i];
    } else if (c == '"' && (quoted || names.back().empty())) {
      quoted = !quoted;
    } else if (!quoted && (c == '\n' || c == '\r')) {
      return names;
    } else if (!quoted && c == delimiter) {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return start.size() < first_part ? names : std::vector<std::string>{};  // a very long line
}

}  // namespace evenhand::cli
