// DuckDB, shut off from everything but the files it is told about.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <duckdb.h>

namespace evenhand::cli {

class Input;

struct DatabaseOptions {
  unsigned threads = 0;  // 0: as many as there are cores, and one for little input
  std::string memory;    // "2GB"; empty: DuckDB's default, most of what the machine has
};

// A value as text; none is NULL.
using Cell = std::optional<std::string>;
using Row = std::vector<Cell>;

class Database {
 public:
  explicit Database(const DatabaseOptions& options);
  // Opens the files of `input`, those of `also`, and nothing else; any local file for a user's own
  // SQL.
  Database(const DatabaseOptions& options, const Input& input,
           std::span<const std::string> also = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // From now on DuckDB opens these files only, and nobody can change that. No extension is ever
  // loaded or fetched, so there is no network either way.
  void allow_only(std::span<const std::string> files);

  // Runs one statement whose columns are texts (cast them). Throws UserError for what DuckDB has
  // against it, Failure for what the system has, Interrupted after a signal.
  std::vector<Row> query(const std::string& sql);
  // The same for work that lasts: shows its progress under `name` on a terminal.
  std::vector<Row> query(const std::string& sql, std::string_view name);

  // The same for rows that are not texts, chunk by chunk.
  void for_each_chunk(const std::string& sql, std::string_view name,
                      const std::function<void(duckdb_data_chunk)>& visit);

  // The same as rows come, in their order and without keeping them: for data that do not fit.
  void stream_chunks(const std::string& sql, std::string_view name,
                     const std::function<void(duckdb_data_chunk)>& visit);

  // How many statements there are in `sql`; 0 if it does not parse.
  std::size_t statements(const std::string& sql);

  duckdb_connection connection() const noexcept { return connection_; }

 private:
  void allow_local_files();
  void lock();
  void run(const std::string& sql, std::string_view name,
           const std::function<void(duckdb_result)>& take);
  [[noreturn]] static void refuse(const char* text, duckdb_error_type type);

  std::string spill_;  // folder for what does not fit in memory
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

// A text in a vector of texts.
Cell text_at(duckdb_vector vector, idx_t row);

// The message of a DuckDB error in one line, without its "Invalid Input Error: ".
std::string plain_message(std::string_view message);

}  // namespace evenhand::cli
