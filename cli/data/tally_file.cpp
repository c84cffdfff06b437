#include "data/tally_file.h"

#include <evenhand/bad_row.h>
#include <evenhand/text.h>

#include <map>
#include <memory>

#include <fmt/format.h>
#include <strings.h>

#include "data/sql.h"
#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

constexpr std::string_view shape =
    "a tally has one row for each cell and score: the attributes' columns, score, n and n1";

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw UserError(fmt::format("{} is not a tally: {}", name, what));
}

// --- Writing: a table function that walks through the tally.

struct Walk {
  const Tally& tally;
  CellCode next_cell = 0;
  std::vector<Entry> entries = {};  // of the cell before
  std::size_t next = 0;

  bool advance() {  // to an entry; false at the end
    while (next == entries.size()) {
      if (next_cell == tally.cells().size()) return false;
      entries = tally.entries(next_cell++);
      next = 0;
    }
    return true;
  }
};

void bind_table(duckdb_bind_info info) {
  const Tally& tally = static_cast<Walk*>(duckdb_bind_get_extra_info(info))->tally;
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
  duckdb_logical_type whole = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
  for (const std::string& attribute : tally.cells().attributes()) {
    duckdb_bind_add_result_column(info, attribute.c_str(), text);
  }
  duckdb_bind_add_result_column(info, "score", number);
  duckdb_logical_type count = tally.unit_weights() ? whole : number;
  duckdb_bind_add_result_column(info, "n", count);
  if (tally.labelled()) duckdb_bind_add_result_column(info, "n1", count);
  duckdb_destroy_logical_type(&text);
  duckdb_destroy_logical_type(&number);
  duckdb_destroy_logical_type(&whole);
}

void fill_table(duckdb_function_info info, duckdb_data_chunk out) {
  Walk& walk = *static_cast<Walk*>(duckdb_function_get_extra_info(info));
  const Tally& tally = walk.tally;
  const idx_t attributes = tally.cells().attributes().size();
  const Reading& reading = tally.reading();
  const idx_t room = duckdb_vector_size();
  const auto column = [&](idx_t i) { return duckdb_data_chunk_get_vector(out, i); };
  const auto put = [&](idx_t i, idx_t row, double value) {
    void* const data = duckdb_vector_get_data(column(attributes + i));
    if (i > 0 && tally.unit_weights()) {
      static_cast<std::int64_t*>(data)[row] = static_cast<std::int64_t>(value);
    } else {
      static_cast<double*>(data)[row] = value;
    }
  };
  try {
    idx_t row = 0;
    for (; row < room && walk.advance(); ++row) {
      const Entry& entry = walk.entries[walk.next++];
      for (idx_t a = 0; a < attributes; ++a) {
        const std::string& value = tally.cells().values(walk.next_cell - 1)[a];
        duckdb_vector_assign_string_element_len(column(a), row, value.data(), value.size());
      }
      put(0, row, reading.turn(entry.score));
      put(1, row, entry.n);
      if (tally.labelled()) {
        put(2, row, reading.favorable == Favorable::low ? entry.n - entry.n1 : entry.n1);
      }
    }
    duckdb_data_chunk_set_size(out, row);
  } catch (const std::exception& error) {
    duckdb_function_set_error(info, error.what());
  }
}

void register_table(Database& database, Walk& walk) {
  duckdb_table_function function = duckdb_create_table_function();
  duckdb_table_function_set_name(function, "evenhand_tally_rows");
  duckdb_table_function_set_extra_info(function, &walk, nullptr);
  duckdb_table_function_set_bind(function, bind_table);
  duckdb_table_function_set_init(
      function, [](duckdb_init_info info) { duckdb_init_set_max_threads(info, 1); });
  duckdb_table_function_set_function(function, fill_table);
  const duckdb_state state = duckdb_register_table_function(database.connection(), function);
  duckdb_destroy_table_function(&function);
  if (state == DuckDBError) throw Failure("DuckDB does not take the function evenhand_tally_rows");
}

// --- Reading.

std::optional<TallyMetadata> metadata_in(Database& database, const Input& input) {
  if (input.is_sql() || input.format() != Format::parquet) return std::nullopt;
  const auto rows = database.query(
      fmt::format("SELECT decode(value) FROM parquet_kv_metadata({}) WHERE key = 'evenhand'::BLOB "
                  // Also where the key is corrupt: without it, counts would be read as plain.
                  "OR starts_with(hex(value), hex('{{\"tally\":'::BLOB))",
                  list_literal(input.files())));
  if (rows.empty()) return std::nullopt;
  if (rows.size() > 1) throw UserError(input.name() + ": use evenhand merge for several tallies");
  return TallyMetadata::from_json(rows[0][0].value_or(""));
}

// Columns of the file in memory; texts as codes, since they repeat.
struct CountedColumns {
  struct Texts {
    std::map<std::string, std::uint32_t> known;
    std::vector<std::string> dictionary;
    std::vector<std::uint32_t> codes;
  };
  std::vector<Texts> attributes;
  std::vector<double> score, n, n1;
};

void take_chunk(duckdb_data_chunk chunk, bool labelled, const std::string& name,
                CountedColumns& out) {
  const idx_t rows = duckdb_data_chunk_get_size(chunk);
  const idx_t attributes = out.attributes.size();
  for (idx_t a = 0; a < attributes; ++a) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, a);
    CountedColumns::Texts& texts = out.attributes[a];
    for (idx_t row = 0; row < rows; ++row) {
      const Cell text = text_at(vector, row);
      if (!text) fail(name, "a value of an attribute is missing");
      const auto [at, is_new] =
          texts.known.try_emplace(*text, static_cast<std::uint32_t>(texts.dictionary.size()));
      if (is_new) texts.dictionary.push_back(*text);
      texts.codes.push_back(at->second);
    }
  }
  const auto take = [&](idx_t i, std::string_view column, std::vector<double>& to) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, attributes + i);
    auto* const validity = duckdb_vector_get_validity(vector);
    const auto* const data = static_cast<const double*>(duckdb_vector_get_data(vector));
    for (idx_t row = 0; row < rows; ++row) {
      if (validity && !duckdb_validity_row_is_valid(validity, row)) {
        fail(name, fmt::format("a value of {} is missing", column));
      }
      to.push_back(data[row]);
    }
  };
  take(0, "score", out.score);
  take(1, "n", out.n);
  if (labelled) take(2, "n1", out.n1);
}

bool is_whole(const std::string& type) {
  return type.find("INT") != std::string::npos;
}

StoredTally read_with(Database& database, const Source& source,
                      const std::optional<TallyMetadata>& metadata,
                      const PlainTallyOptions& options) {
  const auto need = [&](const std::string& column) -> const Column& {
    if (!source.has(column)) {
      fail(source.name(), fmt::format("it has no column {}; {}", shown(column), shape));
    }
    return source.column(column, "a tally");
  };
  const std::string score = metadata ? "score" : options.score;
  std::vector<std::string> attributes = options.attributes;
  if (metadata) attributes = metadata->attributes;
  const bool sums = !metadata && !source.has("n") && source.has("weight");
  const std::string count = sums ? "weight" : "n";
  const std::string n1_name = count + "1";
  const bool labelled = metadata ? metadata->labelled : source.has(n1_name);
  std::vector<std::string> wanted;
  std::vector<std::string> all;
  std::vector<std::string> others;
  for (const Column& column : source.columns()) {
    const bool number = column.name == score || column.name == count || column.name == n1_name;
    all.push_back(column.name);
    if (!number) others.push_back(column.name);
  }
  if (attributes.empty() && !metadata) attributes = others;

  for (std::string& attribute : attributes) {
    attribute = need(attribute).name;
    wanted.push_back(fmt::format("CAST({} AS VARCHAR)", identifier(attribute)));
  }
  const Column& n = need(count);
  std::vector<std::string> numbers = {need(score).name, n.name};
  if (labelled) numbers.push_back(need(n1_name).name);
  if (metadata) metadata->check_columns(std::move(all));
  for (const std::string& number : numbers) {
    wanted.push_back(fmt::format("CAST({} AS DOUBLE)", identifier(number)));
  }
  CountedColumns columns;
  columns.attributes.resize(attributes.size());
  database.for_each_chunk(
      fmt::format("SELECT {} FROM {}", joined(wanted), source.relation()), "reading",
      [&](duckdb_data_chunk chunk) { take_chunk(chunk, labelled, source.name(), columns); });
  if (columns.score.empty()) throw UserError(source.name() + " has no rows");
  std::vector<Attribute> coded;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    coded.push_back({.name = attributes[a],
                     .values = {},
                     .codes = columns.attributes[a].codes,
                     .dictionary = columns.attributes[a].dictionary});
  }
  CountedOptions counted{.scale = options.reading.scale,
                         .favorable = options.reading.favorable,
                         .resolution = options.resolution,
                         .weighted = sums || (!is_whole(n.type) && n.type != "VARCHAR")};
  if (metadata) counted = metadata->options();
  if (options.decisions) {
    // 1 is the favourable decision; the label alone may be of a harm.
    for (std::size_t i = 0; i < columns.score.size(); ++i) {
      if (columns.score[i] != 0 && columns.score[i] != 1) {
        throw BadRow(i, fmt::format("the decision {} is neither 0 nor 1", columns.score[i]));
      }
      if (labelled && options.reading.favorable == Favorable::low) {
        columns.n1[i] = columns.n[i] - columns.n1[i];
      }
    }
    counted.favorable = Favorable::high;
    counted.scale = Scale::probability;
    counted.resolution = Resolution::exact();
  }
  if (labelled) counted.positives = columns.n1;
  Cells cells;
  if (coded.empty()) {
    cells = {CellNames({}, {{}}), std::vector<CellCode>(columns.score.size(), 0)};
  } else {
    cells = Cells::from(coded);
  }
  StoredTally out{.tally = Tally::counted(columns.score, columns.n, cells, counted)};
  if (metadata) {
    metadata->check(out.tally);
    out.source = metadata->source;
  }
  return out;
}

}  // namespace

void write_tally(Database& database, const StoredTally& stored, Output& output) {
  for (const std::string& attribute : stored.tally.cells().attributes()) {
    for (const char* taken : {"score", "n", "n1"}) {
      if (strcasecmp(attribute.c_str(), taken) == 0) {
        throw UserError(
            fmt::format("an attribute is called {} like another column of a tally; "
                        "rename it with --sql",
                        shown(attribute)));
      }
    }
  }
  Walk walk{stored.tally};
  register_table(database, walk);
  output.write_by(database,
                  fmt::format("COPY (SELECT * FROM evenhand_tally_rows()) TO {} (FORMAT parquet, "
                              "USE_TMP_FILE false, KV_METADATA {{evenhand: {}}})",
                              literal(output.staged()), literal(stored.metadata())),
                  "writing");
  output.complete();
}

bool has_decisions(Database& database, const Input& input) {
  if (metadata_in(database, input)) return false;
  const Source source(database, input);
  return source.has("decision") && !source.has("score");
}

StoredTally read_tally(Database& database, const Input& input, const PlainTallyOptions& options) {
  try {
    const std::optional<TallyMetadata> metadata = metadata_in(database, input);
    const Source source(database, input);
    return read_with(database, source, metadata, options);
  } catch (const BadRow& bad) {  // people count from 1
    fail(input.name(), fmt::format("row {}: {}", with_commas(bad.row() + 1), bad.problem()));
  } catch (const std::invalid_argument& error) {
    fail(input.name(), error.what());
  } catch (const UserError& error) {
    const std::string message = error.what();
    if (message.starts_with(input.name())) throw;
    fail(input.name(), message);
  }
}

}  // namespace evenhand::cli
