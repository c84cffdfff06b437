// Where rows come from: files, standard input, or the user's own SQL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/csv.h"
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

  // The names in the first line of CSV, and those of columns that folders are called after.
  const std::vector<std::string>& header() const noexcept { return parts_.front().csv.header; }
  std::vector<std::string> partition_names() const;
  // A file's name as the user knows it, for messages, by the one of `files`.
  std::string shown_name(std::string_view file) const;

  // What goes after FROM: `columns` of all files, with those of their folders. Each file of JSON
  // has one column, `json`, a row's object as it is written; `inner` are columns made of that.
  std::string relation(std::string_view columns = "*", std::string_view inner = {}) const;

 private:
  // Neighbouring files that are alike.
  struct Part {
    std::vector<std::string> files;
    std::string compression = "none";
    CsvDialect csv = {};
    bool json_array = false;  // or objects, one after the other
    Partition partition = {};

    bool takes(const Part& other) const;  // all but the files are the same
  };
  std::string table(const Part& part) const;
  void take_files(const std::string& data);
  void take_stream(int descriptor);
  void find_parts(const std::string& asked);
  Part part_of(std::size_t file, const std::string& asked);
  void check_against_first(const Part& part, std::size_t file) const;

  std::string name_;
  std::string sql_;
  std::vector<std::string> files_;     // as DuckDB shall open them
  std::vector<std::string> given_;     // the same by the user's names; empty for a stream
  std::vector<Partition> partitions_;  // of each file
  std::vector<Part> parts_;
  Format format_ = Format::csv;
  std::vector<Descriptor> opened_;
};

}  // namespace evenhand::cli
