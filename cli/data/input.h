// Where rows come from: files, standard input, or the user's own SQL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/files.h"

namespace evenhand::cli {

struct InputOptions {
  std::string data;    // a file, a glob, "-", or empty where there is SQL
  std::string sql;     // a SELECT
  std::string format;  // "auto" or a Format
};

// What was given, found: all its files are there, and their format is known.
class Input {
 public:
  // Throws UserError for what is not there, not readable, or not of a kind that can be read.
  explicit Input(const InputOptions& options);

  const std::vector<std::string>& files() const noexcept { return files_; }
  bool is_sql() const noexcept { return !sql_.empty(); }
  const std::string& sql() const noexcept { return sql_; }
  const std::string& name() const noexcept { return name_; }  // for messages
  Format format() const noexcept { return format_; }

  // What goes after FROM.
  std::string relation() const;
  // SQL for the names of columns as they are written, which DuckDB changes when two are alike: a
  // row for each, or for Parquet its schema. Empty where there is none.
  std::string names_query() const;

 private:
  std::string csv_relation(std::string_view header) const;
  void take_files(const std::string& data);
  void take_stream(int descriptor);
  void find_format(const std::string& asked);

  std::string name_;
  std::string sql_;
  std::vector<std::string> files_;  // as DuckDB shall open them
  std::vector<std::string> given_;  // the same by the user's names; empty for a stream
  Format format_ = Format::csv;
  std::string compression_ = "none";
  std::string delimiter_;            // of CSV, where its first line shows it,
  std::vector<std::string> header_;  // and the names in that line
  std::vector<Descriptor> opened_;
};

}  // namespace evenhand::cli
