#include "data/positions.h"

#include <array>

#include <fmt/format.h>

#include "data/function.h"
#include "data/sql.h"

namespace evenhand::cli {
namespace {

using Starts = Positions::Starts;

// Null where some file has no count of its own, or two are the same one.
std::unique_ptr<Starts> starts_of(Database& database, const Input& input) {
  Starts rows;
  for (const Row& row : database.query(
           fmt::format("SELECT file_name, CAST(num_rows AS VARCHAR) FROM parquet_file_metadata({})",
                       list_literal(input.files())))) {
    rows[row[0].value_or("")] = std::stoll(row[1].value_or("0"));
  }
  auto out = std::make_unique<Starts>();
  std::int64_t first = 0;
  for (const std::string& file : input.files()) {
    const auto found = rows.find(file);
    if (found == rows.end() || !out->emplace(file, first).second) return nullptr;
    first += found->second;
  }
  return out;
}

void find_starts(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& starts = *static_cast<const Starts*>(duckdb_scalar_function_get_extra_info(info));
  auto* const files =
      static_cast<duckdb_string_t*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0)));
  auto* const out = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  try {
    std::string file;
    std::int64_t start = 0;
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
      const std::string_view name(duckdb_string_t_data(&files[row]),
                                  duckdb_string_t_length(files[row]));
      if (row == 0 || name != file) {
        file = name;
        start = starts.at(file);
      }
      out[row] = start;
    }
  } catch (const std::exception& error) {
    duckdb_scalar_function_set_error(info, error.what());
  }
}

}  // namespace

Positions::Positions(Database& database, const Input& input, const Source& source) {
  if (input.is_sql()) sql_ = "CAST(0 AS BIGINT)";
  if (input.is_sql() || input.format() != Format::parquet) return;
  // A column of the file hides what DuckDB would say under that name.
  if (source.has("file_row_number") || source.has("filename")) return;
  starts_ = starts_of(database, input);
  if (!starts_) return;
  std::string row = "file_row_number";
  if (input.files().size() > 1) {
    const std::array text = {DUCKDB_TYPE_VARCHAR};
    add_function(database, "evenhand_start", text, Type(DUCKDB_TYPE_BIGINT), find_starts,
                 starts_.get());
    row += " + evenhand_start(filename)";
  }
  column_ = source.free_name() + "_position";
  while (source.has(column_)) column_ += "_";
  sql_ = identifier(column_);
  relation_ = input.relation(fmt::format("*, {} AS {}", row, sql_));
}

}  // namespace evenhand::cli
