#include "data/collect.h"

#include <evenhand/advice.h>

#include <algorithm>
#include <limits>
#include <locale>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "data/sql.h"
#include "data/tally_function.h"
#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

// Everything that can be wrong with the numbers, in the order in which users would want to hear it.
void explain(Database& database, const Source& source, const Columns& columns,
             const Reading& reading) {
  const Column& score = source.column(columns.score, "--score");
  if (columns.decisions) {
    throw_if_bad(database, source, zero_or_one_check("decision", score));
  } else {
    throw_if_bad(database, source, score_check(score, reading));
  }
  if (columns.label) {
    throw_if_bad(database, source,
                 zero_or_one_check("label", source.column(*columns.label, "--label")));
  }
  if (columns.weight) {
    for (const ValueCheck& check : weight_checks(source.column(*columns.weight, "--weight"))) {
      throw_if_bad(database, source, check);
    }
  }
}

// What DuckDB may take: --memory, or most of what the machine has.
struct Allowed {
  std::string text;  // "286.1 MiB"
  std::size_t bytes;
};

Allowed allowed_memory(Database& database) {
  const std::string text =
      database.query("SELECT current_setting('memory_limit')")[0][0].value_or("");
  std::istringstream words(text);
  words.imbue(std::locale::classic());
  double size = 0;
  std::string unit;
  words >> size >> unit;
  for (const std::string_view known : {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"}) {
    if (unit == known) return {text, static_cast<std::size_t>(size)};
    size *= 1024;
  }
  return {text, std::numeric_limits<std::size_t>::max()};
}

[[noreturn]] void refuse_size(const Source& source, bool weighted, const Allowed& allowed) {
  throw UserError(fmt::format(
      "{}: {} need more memory than {}: {}, or allow more with --memory", source.name(),
      weighted ? "weighted rows, which are kept one by one," : "exact scores", allowed.text,
      weighted ? "tally parts of the rows, then merge them"
               : "--resolution 16 bounds it whatever the number of rows"));
}

}  // namespace

std::vector<std::string> Columns::attributes() const {
  std::vector<std::string> out = sensitive;
  out.insert(out.end(), within.begin(), within.end());
  out.insert(out.end(), also.begin(), also.end());
  return out;
}

Collected collect(Database& database, const Source& source, const Columns& columns,
                  const CellRowsOptions& options, const NullPolicy& nulls) {
  const Allowed allowed = allowed_memory(database);
  TallyFunction function{.options = options};
  // Any other resolution bounds the memory itself.
  if (options.weighted || options.resolution == Resolution::exact()) {
    function.most_bytes = allowed.bytes;
  }
  function.add_to(database);
  std::vector<std::string> groups;
  std::vector<std::string> texts;
  for (const std::string& attribute : columns.attributes()) {
    groups.push_back(identifier(attribute));
    texts.push_back(as_text(attribute, nulls));
  }
  std::vector<std::string> numbers = {
      as_number(source.column(columns.score, "--score"), columns.decisions)};
  if (columns.label) {
    const std::string label = as_number(source.column(*columns.label, "--label"), true);
    numbers.push_back(columns.label_is_harm ? fmt::format("1 - ({})", label) : label);
  }
  if (columns.weight) {
    numbers.push_back(as_number(source.column(*columns.weight, "--weight"), false));
  }
  // Grouped as they are, and turned into text when there are few.
  const std::string state = identifier(source.free_name());
  texts.push_back(fmt::format("CAST({} AS VARCHAR)", state));
  const std::string by = groups.empty() ? "" : " GROUP BY " + joined(groups);
  groups.push_back(fmt::format("evenhand_tally({}) AS {}", joined(numbers), state));
  std::vector<Row> rows;
  try {
    rows = database.query(fmt::format("SELECT {} FROM (SELECT {} FROM {}{})", joined(texts),
                                      joined(groups), source.relation(), by),
                          "reading");
  } catch (const UserError& error) {
    if (function.too_large()) refuse_size(source, options.weighted, allowed);
    source.rethrow_named([&] { explain(database, source, columns, options.reading); });
    throw UserError(fmt::format("{}: {}", source.name(), error.what()));
  }
  std::map<std::vector<std::string>, std::vector<TallyPart*>> cells;
  std::uint64_t missing = 0;
  for (const Row& row : rows) {
    TallyPart* const part = function.finished.at(std::stoull(row.back().value())).get();
    if (!part) continue;
    missing += part->missing;
    const bool unnamed =
        std::any_of(row.begin(), row.end(), [](const Cell& text) { return !text; });
    if (unnamed) {
      missing += part->rows.rows();
    } else if (part->rows.rows() > 0) {
      std::vector<std::string> values;
      for (std::size_t i = 0; i + 1 < row.size(); ++i) values.push_back(*row[i]);
      cells[values].push_back(part);
    }
  }
  if (missing > 0 && nulls.kind != NullPolicy::Kind::exclude) {
    std::vector<std::string> used = columns.attributes();
    if (nulls.kind == NullPolicy::Kind::name) used.clear();
    used.push_back(columns.score);
    if (columns.label) used.push_back(*columns.label);
    if (columns.weight) used.push_back(*columns.weight);
    throw_if_missing(database, source, used,
                     "leave such rows out with --null exclude, or name missing groups with --null "
                     "NAME");
  }
  std::vector<std::vector<std::string>> values;
  std::vector<CellRows> all;
  std::uint64_t counted = 0;
  for (auto& [cell, parts] : cells) {  // several where different values have the same text
    for (std::size_t i = 1; i < parts.size(); ++i) {
      parts[0]->rows.absorb(std::move(parts[i]->rows));
    }
    counted += parts[0]->rows.rows();
    values.push_back(cell);
    all.push_back(std::move(parts[0]->rows));
  }
  if (counted == 0) {
    throw UserError(fmt::format("{} has no rows{}", source.name(),
                                missing > 0 ? " without missing values" : ""));
  }
  Tally tally = [&] {
    try {
      return tally_of(CellNames(columns.attributes(), values), all, options);
    } catch (const std::invalid_argument& error) {
      throw UserError(fmt::format("{}: {}", source.name(), error.what()));
    }
  }();
  const bool only_ends = only_zero_and_one(tally);
  if (columns.decisions && !only_ends) explain(database, source, columns, options.reading);
  if (!columns.decisions && only_ends) {
    warn(
        fmt::format("every {} is 0 or 1, a decision rather than a score; the model's "
                    "probabilities tell more",
                    shown(columns.score)));
  }
  return {std::move(tally), counted, missing};
}

std::vector<SquaredWeights> squared_weights(Database& database, const Source& source,
                                            const Columns& columns, const Tally& tally,
                                            const NullPolicy& nulls) {
  std::vector<std::string> selected;
  for (const std::string& attribute : columns.attributes()) {
    selected.push_back(as_text(attribute, nulls));
  }
  const std::string weight = as_number(source.column(*columns.weight, "--weight"), false);
  const std::string square = fmt::format("({0}) * ({0})", weight);
  std::string rows = fmt::format("{} IS NOT NULL", identifier(columns.score));
  selected.push_back(fmt::format("CAST(sum({}) AS VARCHAR)", square));
  if (columns.label) {
    const bool harm = columns.label_is_harm || tally.reading().favorable == Favorable::low;
    const std::string label = as_number(source.column(*columns.label, "--label"), true);
    rows += fmt::format(" AND {} IS NOT NULL", identifier(*columns.label));
    selected.push_back(fmt::format("CAST(coalesce(sum({}) FILTER (({}) = {}), 0) AS VARCHAR)",
                                   square, label, harm ? 0 : 1));
  } else {
    selected.emplace_back("'0'");
  }
  const CellNames& names = tally.cells();
  std::map<std::vector<std::string>, CellCode> codes;
  for (CellCode c = 0; c < names.size(); ++c) {
    const auto values = names.values(c);
    codes[{values.begin(), values.end()}] = c;
  }
  std::vector<SquaredWeights> out(names.size());
  for (const Row& row : database.query(
           fmt::format("SELECT {} FROM {} WHERE {}{}", joined(selected), source.relation(), rows,
                       columns.attributes().empty() ? "" : " GROUP BY ALL"),
           "reading")) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i + 2 < row.size(); ++i) {
      if (row[i]) values.push_back(*row[i]);
    }
    const auto found = codes.find(values);
    if (found == codes.end() || !row[row.size() - 2]) continue;
    out[found->second].n += std::stod(*row[row.size() - 2]);
    out[found->second].n1 += std::stod(*row.back());
  }
  return out;
}

}  // namespace evenhand::cli
