#include "data/unseen.h"

#include <algorithm>

#include <fmt/format.h>

#include "data/values.h"
#include "output/terminal.h"

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

void refuse_unseen(const std::string& data, const CellNames& found,
                   const std::vector<std::uint64_t>& counts, const CellNames& known,
                   const std::string& advice) {
  UnseenCells cells;
  const std::vector<CellCode> codes = translate(found, known);
  for (CellCode c = 0; c < codes.size(); ++c) {
    if (codes[c] != unseen_cell) continue;
    std::vector<std::string> values;
    for (const std::string& attribute : known.attributes()) {
      values.push_back(found.values(c)[found.attribute(attribute)]);
    }
    cells.emplace_back(values, counts[c]);
  }
  if (cells.empty()) return;
  std::stable_sort(cells.begin(), cells.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  throw_unseen(data, known.attributes(), cells, advice);
}

void refuse_missing_groups(Database& database, const Source& source, const CellNames& known) {
  if (known.attributes().empty()) return;
  throw_if_missing(database, source, known.attributes(),
                   "name them with --null NAME, or choose --unseen score or reject");
}

void refuse_bad_numbers(Database& database, const Source& source, const RuleFile& file,
                        const Column& score) {
  throw_if_missing(database, source, {score.name}, "nobody can be decided without a score");
  throw_if_bad(database, source, score_check(score, file.reading()));
  for (const std::string& name : file.soft_columns()) {
    const Column& column = source.column(name, "a soft column of the rule");
    throw_if_missing(database, source, {column.name},
                     "nobody can be decided without the columns of --soft");
    throw_if_bad(database, source, probability_check(column));
  }
}

}  // namespace evenhand::cli
