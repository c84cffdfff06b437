#include "data/csv.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "error.h"

namespace evenhand::cli {
namespace {

// Where the first line ends; npos if it does not. A quote opens only where a value begins.
std::size_t end_of_line(std::string_view text, std::string_view delimiters, bool& quoted) {
  quoted = false;
  bool begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      quoted = c != '"';
      begins = false;
      continue;
    }
    if (c == '\n' || c == '\r') return i;
    // A quote right after one that closed is a doubled one.
    quoted = c == '"' && (begins || text[i - 1] == '"');
    begins = delimiters.find(c) != std::string_view::npos;
  }
  return std::string_view::npos;
}

std::string delimiter_of(std::string_view line) {
  constexpr std::string_view candidates = ",;\t|";
  std::array<std::size_t, candidates.size()> counts{};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (const auto at = candidates.find(c); at != std::string_view::npos) ++counts[at];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return *most == 0 ? ","
                    : std::string(1, candidates[static_cast<std::size_t>(most - counts.begin())]);
}

std::vector<std::string> names_in(std::string_view line, char delimiter) {
  std::vector<std::string> names(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      names.back() += line[++i];
    } else if (c == '"' && (quoted || names.back().empty())) {
      quoted = !quoted;
    } else if (!quoted && c == delimiter) {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

}  // namespace

CsvDialect csv_dialect(std::string_view start, bool whole, const std::string& name) {
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  bool quoted = false;
  const std::size_t end = end_of_line(start, ",;\t|", quoted);
  if (end == std::string_view::npos && quoted) {
    throw UserError(fmt::format("{}: a quote in its first line is not closed", name));
  }
  if (end == std::string_view::npos && !whole) {
    throw UserError(
        fmt::format("{}: its first line, with the names of columns, does not end "
                    "within a megabyte",
                    name));
  }
  const std::string_view line = start.substr(0, end);
  if (line.empty()) {
    throw UserError(
        fmt::format("{}: its first line is empty; it must have the names of columns", name));
  }
  CsvDialect out;
  out.delimiter = delimiter_of(line);
  out.header = names_in(line, out.delimiter[0]);
  out.line_end = "\n";
  if (end != std::string_view::npos && start[end] == '\r') {
    out.line_end = start.substr(end, 2) == "\r\n" ? "\r\n" : "\r";
  }
  return out;
}

}  // namespace evenhand::cli
