// Where rows come from: files, standard input, or the user's own SQL.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand::cli {

enum class Format { csv, parquet, json };
Format format_from(std::string_view name);  // throws UserError

// By the ending of a file's name, before .gz or .zst; none if it says nothing.
std::optional<Format> format_of_name(std::string_view name);
// "gzip", "zstd" or "none", by the last ending.
std::string compression_of_name(std::string_view name);

// The file of that name, or those that match a glob. Throws UserError if there is none.
std::vector<std::string> files_of(const std::string& data);

struct InputOptions {
  std::string data;    // a file, a glob, "-", or empty where there is SQL
  std::string sql;     // a SELECT
  std::string format;  // "auto" or a Format
};

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const noexcept { return number_; }

 private:
  int number_;
};

std::string temporary_folder();  // $TMPDIR, or /tmp

// A file without a name, which is gone when the program ends, however it ends.
Descriptor nameless_file();
std::string path_of(const Descriptor& file);

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
