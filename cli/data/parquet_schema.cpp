#include "data/parquet_schema.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "data/sql.h"
#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct SchemaColumn {
  std::string name;
  std::string type;   // DuckDB's, for messages
  std::string whole;  // the same with all that is inside, to be compared
};
using Schema = std::vector<SchemaColumn>;

enum Field : std::size_t { file_name, name, type, children, precision };

// One name for all whole numbers: any of them fits a wider one exactly.
std::string comparable(const std::string& type) {
  constexpr std::array whole = {"TINYINT",  "SMALLINT",  "INTEGER",  "BIGINT",
                                "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"};
  return std::find(whole.begin(), whole.end(), type) == whole.end() ? type : "a whole number";
}

void refuse_long_decimal(const Row& row, const Input& input) {
  constexpr int most = 38;
  if (std::stoi(row[precision].value_or("0")) <= most) return;
  throw UserError(fmt::format(
      "{}: the column {} has decimals of {} digits, and {} can be read exactly; save it "
      "as text or with fewer digits",
      input.shown_name(row[file_name].value_or("")), shown(row[name].value_or("")),
      row[precision].value_or(""), most));
}

// The rows of a schema are depth first, each with the number of those directly inside.
Schema schema_of(std::span<const Row> rows) {
  Schema out;
  std::size_t at = 1;  // after the root
  while (at < rows.size()) {
    const std::string own_type = rows[at][type].value_or("");
    out.push_back({rows[at][name].value_or(""), own_type, {}});
    for (std::uint64_t left = 1; left > 0 && at < rows.size(); ++at) {
      const std::uint64_t inside = std::stoull(rows[at][children].value_or("0"));
      left += inside - 1;
      out.back().whole += fmt::format("{} {} {};", inside, comparable(rows[at][type].value_or("")),
                                      out.back().whole.empty() ? "" : rows[at][name].value_or(""));
    }
  }
  return out;
}

void compare(const Schema& first, const Schema& other, const std::string& first_name,
             const std::string& other_name) {
  const auto refuse_missing = [&](const Schema& one, const Schema& two, const std::string& in) {
    for (const SchemaColumn& column : one) {
      if (std::any_of(two.begin(), two.end(),
                      [&](const SchemaColumn& c) { return c.name == column.name; })) {
        continue;
      }
      throw UserError(fmt::format(
          "{} and {} do not have the same columns: only {} has {}; choose columns with --sql",
          first_name, other_name, in, shown(column.name)));
    }
  };
  refuse_missing(first, other, first_name);
  refuse_missing(other, first, other_name);
  for (const SchemaColumn& column : first) {
    const auto same = std::find_if(other.begin(), other.end(),
                                   [&](const SchemaColumn& c) { return c.name == column.name; });
    if (same->whole == column.whole) continue;
    throw UserError(fmt::format(
        "{} and {} do not have the same type in {}: {} and {}; cast one with --sql, or write them "
        "alike",
        first_name, other_name, shown(column.name), column.type, same->type));
  }
}

}  // namespace

std::vector<std::string> parquet_names(Database& database, const Input& input) {
  const std::vector<Row> rows = database.query(fmt::format(
      "SELECT file_name, name, duckdb_type, CAST(coalesce(num_children, 0) AS VARCHAR), "
      "CAST(coalesce(precision, 0) AS VARCHAR) FROM parquet_schema({})",
      list_literal(input.files())));
  for (const Row& row : rows) refuse_long_decimal(row, input);
  Schema first;
  std::string first_file;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(
        begin, rows.end(), [&](const Row& row) { return row[file_name] != (*begin)[file_name]; });
    const Schema schema = schema_of({begin, end});
    const std::string file = input.shown_name((*begin)[file_name].value_or(""));
    if (begin == rows.begin()) {
      first = schema;
      first_file = file;
    } else {
      compare(first, schema, first_file, file);
    }
    begin = end;
  }
  std::vector<std::string> names;
  for (const SchemaColumn& column : first) names.push_back(column.name);
  return names;
}

}  // namespace evenhand::cli
