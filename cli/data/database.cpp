#include "data/database.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <random>

#include <fmt/format.h>

#include "data/input.h"
#include "data/sql.h"
#include "error.h"
#include "output/progress.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct Config {
  Config() {
    if (duckdb_create_config(&handle) == DuckDBError) throw Failure("DuckDB has no configuration");
  }
  ~Config() { duckdb_destroy_config(&handle); }
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  void set(const char* name, const std::string& value) {
    if (duckdb_set_config(handle, name, value.c_str()) == DuckDBError) {
      throw UserError(fmt::format("--{} cannot be {}",
                                  name == std::string_view("memory_limit") ? "memory" : name,
                                  literal(value)));
    }
  }
  duckdb_config handle = nullptr;
};

// What DuckDB made, until this goes away.
template <class Handle, void (*destroy)(Handle*)>
struct Owned {
  Owned() = default;
  ~Owned() { destroy(&handle); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Handle handle{};
};
using Result = Owned<duckdb_result, duckdb_destroy_result>;
using Statement = Owned<duckdb_prepared_statement, duckdb_destroy_prepare>;
using Pending = Owned<duckdb_pending_result, duckdb_destroy_pending>;

}  // namespace

Cell text_at(duckdb_vector vector, idx_t row) {
  auto* const validity = duckdb_vector_get_validity(vector);
  if (validity && !duckdb_validity_row_is_valid(validity, row)) return std::nullopt;
  auto& text = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector))[row];
  return std::string(duckdb_string_t_data(&text), duckdb_string_t_length(text));
}

namespace {

void chunks_of(duckdb_result result, const std::function<void(duckdb_data_chunk)>& visit) {
  while (duckdb_data_chunk next = duckdb_fetch_chunk(result)) {
    const std::unique_ptr<duckdb_data_chunk, void (*)(duckdb_data_chunk*)> chunk(
        &next, duckdb_destroy_data_chunk);
    if (duckdb_data_chunk_get_size(next) == 0) return;
    visit(next);
  }
}

std::vector<Row> rows_of(duckdb_result result) {
  std::vector<Row> rows;
  const idx_t columns = duckdb_column_count(&result);
  for (idx_t c = 0; c < columns; ++c) {
    if (duckdb_column_type(&result, c) != DUCKDB_TYPE_VARCHAR) return rows;  // of COPY and SET
  }
  chunks_of(result, [&](duckdb_data_chunk chunk) {
    const idx_t count = duckdb_data_chunk_get_size(chunk);
    const std::size_t first = rows.size();
    rows.resize(first + count, Row(columns));
    for (idx_t c = 0; c < columns; ++c) {
      const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, c);
      for (idx_t r = 0; r < count; ++r) rows[first + r][c] = text_at(vector, r);
    }
  });
  return rows;
}

bool is_of_the_system(duckdb_error_type type, std::string_view message) {
  if (type == DUCKDB_ERROR_OUT_OF_MEMORY || type == DUCKDB_ERROR_INTERNAL) return true;
  const auto has = [&](std::string_view part) {
    return message.find(part) != std::string_view::npos;
  };
  return has("No space left on device") || has("Disk quota exceeded") ||
         has("Cannot allocate memory") || has("Resource temporarily unavailable");
}

// Threads share rows by the hundred thousand: more than one would only be started.
DatabaseOptions fitted_to(DatabaseOptions options, const Input& input) {
  constexpr std::uintmax_t little = std::uintmax_t{1} << 20U;
  if (options.threads > 0 || input.is_sql()) return options;
  std::uintmax_t size = 0;
  for (const std::string& file : input.files()) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(file, error);  // pipes have none
    if (error || (size += bytes) > little) return options;
  }
  options.threads = 1;
  return options;
}

}  // namespace

std::string plain_message(std::string_view message) {
  // "Invalid Input Error: ", "IO Error: ". Where there is none, `at` is larger.
  if (const auto at = message.find("Error: "); at < 32) {
    message.remove_prefix(at + 7);
  }
  for (const std::string_view extension : {"httpfs", "autoinstall", "INSTALL", "autoload"}) {
    if (message.find(extension) != std::string_view::npos) {
      return "this needs an extension of DuckDB; only CSV, JSON and Parquet files on this machine "
             "are read";
    }
  }
  std::string line;  // "CSV Error on Line: 7\nOriginal Line: ...\nwhat is wrong\n\nadvice"
  constexpr std::string_view on_line = "CSV Error on Line: ";
  if (message.starts_with(on_line)) {
    const auto end = message.find('\n');
    line = fmt::format("line {}: ", message.substr(on_line.size(), end - on_line.size()));
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
    if (message.starts_with("Original Line:")) {
      const auto next = message.find('\n');
      message.remove_prefix(next == std::string_view::npos ? message.size() : next + 1);
    }
  }
  if (message.find("No magic bytes") != std::string_view::npos ||
      message.find("too small to be a Parquet") != std::string_view::npos) {
    return "the Parquet file is cut off or damaged";
  }
  if (message.find("Invalid unicode") != std::string_view::npos ||
      message.find("not utf-8 encoded") != std::string_view::npos) {
    return line + "a text is not UTF-8; convert the file first";
  }
  if (message.find("state machine reached an invalid state") != std::string_view::npos) {
    return line + "its quotes or line ends do not fit together; all lines must end alike";
  }
  // DuckDB's advice names settings of its own, which our users cannot reach.
  for (const std::string_view advice :
       {"\nPossible", "\n  file = ", "\n\n", "\nLINE ", "\nCandidate", "\nDid you mean", " Try ",
        "Consider ", "increase ", "\tCandidate", "Candidate functions:"}) {
    if (const auto at = message.find(advice); at != std::string_view::npos) {
      message = message.substr(0, at);
    }
  }
  std::string out = line;
  for (const char c : message) {
    if (c != '\n' && c != '\r') {
      out += c;
    } else if (!out.empty() && !out.ends_with("; ")) {
      out += "; ";
    }
  }
  while (out.ends_with("; ") || out.ends_with(' ') || out.ends_with(';')) out.pop_back();
  return out;
}

Database::Database(const DatabaseOptions& options) {
  // Only made when needed, and removed by DuckDB when it closes. Nobody else has this name.
  std::random_device random;
  spill_ = fmt::format("{}/evenhand-{:08x}{:08x}", temporary_folder(), random(), random());
  Config config;
  config.set("autoload_known_extensions", "false");
  config.set("autoinstall_known_extensions", "false");
  config.set("extension_directory", "/dev/null/none");
  config.set("temp_directory", spill_);
  if (options.threads > 0) config.set("threads", std::to_string(options.threads));
  if (!options.memory.empty()) config.set("memory_limit", options.memory);
  char* error = nullptr;
  if (duckdb_open_ext(":memory:", &database_, config.handle, &error) == DuckDBError) {
    const std::string message = error ? error : "DuckDB does not start";
    duckdb_free(error);
    refuse(message.c_str(), DUCKDB_ERROR_INVALID);
  }
  if (duckdb_connect(database_, &connection_) == DuckDBError) {
    duckdb_close(&database_);
    throw Failure("DuckDB does not connect");
  }
  query("SET TimeZone = 'UTC'");  // the text of a time is the same on every machine
  if (on_terminal(stderr)) {      // the bar is ours; its figures cost DuckDB some work
    query("SET enable_progress_bar = true");
    query("SET enable_progress_bar_print = false");
  }
}

Database::Database(const DatabaseOptions& options, const Input& input,
                   std::span<const std::string> also)
    : Database(fitted_to(options, input)) {
  if (input.is_sql()) {
    allow_local_files();
    return;
  }
  std::vector<std::string> files = input.files();
  files.insert(files.end(), also.begin(), also.end());
  allow_only(files);
}

Database::~Database() {
  duckdb_disconnect(&connection_);
  duckdb_close(&database_);
  std::error_code ignored;
  std::filesystem::remove_all(spill_, ignored);
}

void Database::allow_only(std::span<const std::string> files) {
  query("SET allowed_paths = " + list_literal(files));
  query("SET enable_external_access = false");
  lock();
}

void Database::allow_local_files() {
  query("SET disabled_filesystems = 'HTTPFileSystem,S3FileSystem,HuggingFaceFileSystem'");
  lock();
}

void Database::lock() {
  query("SET lock_configuration = true");
}

std::vector<Row> Database::query(const std::string& sql) {
  return query(sql, {});
}

std::vector<Row> Database::query(const std::string& sql, std::string_view name) {
  std::vector<Row> rows;
  run(sql, name, [&](duckdb_result result) { rows = rows_of(result); });
  return rows;
}

void Database::for_each_chunk(const std::string& sql, std::string_view name,
                              const std::function<void(duckdb_data_chunk)>& visit) {
  run(sql, name, [&](duckdb_result result) { chunks_of(result, visit); });
}

void Database::run(const std::string& sql, std::string_view name,
                   const std::function<void(duckdb_result)>& take) {
  Result result;
  const WorkInProgress work(connection_, name);
  const duckdb_state state = duckdb_query(connection_, sql.c_str(), &result.handle);
  work.throw_if_interrupted();
  if (state == DuckDBError) {
    refuse(duckdb_result_error(&result.handle), duckdb_result_error_type(&result.handle));
  }
  take(result.handle);
}

void Database::refuse(const char* text, duckdb_error_type type) {
  const std::string message = text ? text : "unknown error of DuckDB";
  for (const char* const words : {"std::bad_alloc", "bad allocation", "Allocation failure"}) {
    if (message.find(words) != std::string::npos) throw std::bad_alloc();
  }
  if (is_of_the_system(type, message)) throw Failure(plain_message(message));
  throw UserError(plain_message(message));
}

void Database::stream_chunks(const std::string& sql, std::string_view name,
                             const std::function<void(duckdb_data_chunk)>& visit) {
  const WorkInProgress work(connection_, name);
  Statement prepared;
  if (duckdb_prepare(connection_, sql.c_str(), &prepared.handle) == DuckDBError) {
    refuse(duckdb_prepare_error(prepared.handle), DUCKDB_ERROR_INVALID);
  }
  Pending pending;
  if (duckdb_pending_prepared_streaming(prepared.handle, &pending.handle) == DuckDBError) {
    refuse(duckdb_pending_error(pending.handle), DUCKDB_ERROR_INVALID);
  }
  Result result;
  const duckdb_state state = duckdb_execute_pending(pending.handle, &result.handle);
  work.throw_if_interrupted();
  if (state == DuckDBError) {
    refuse(duckdb_result_error(&result.handle), duckdb_result_error_type(&result.handle));
  }
  chunks_of(result.handle, [&](duckdb_data_chunk chunk) {
    work.throw_if_interrupted();
    visit(chunk);
  });
  work.throw_if_interrupted();
  // The chunks also end where something is wrong with the next one.
  if (const char* const text = duckdb_result_error(&result.handle)) {
    refuse(text, duckdb_result_error_type(&result.handle));
  }
}

std::size_t Database::statements(const std::string& sql) {
  duckdb_extracted_statements extracted = nullptr;
  const idx_t count = duckdb_extract_statements(connection_, sql.c_str(), &extracted);
  duckdb_destroy_extracted(&extracted);
  return count;
}

}  // namespace evenhand::cli
