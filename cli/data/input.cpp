#include "data/input.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/content.h"
#include "data/csv.h"
#include "data/sql.h"
#include "error.h"
#include "output/progress.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

// Where the last character is that is neither blank nor in a comment; npos if there is none.
std::size_t last_significant(std::string_view sql) {
  std::size_t last = std::string_view::npos;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (sql.substr(i, 2) == "--") {
      i = std::min(sql.find('\n', i), sql.size());
    } else if (sql.substr(i, 2) == "/*") {
      i = std::min(sql.find("*/", i + 2), sql.size() - 2) + 1;
    } else if (sql[i] == '\'' || sql[i] == '"') {
      i = last = std::min(sql.find(sql[i], i + 1), sql.size() - 1);
    } else if (std::isspace(static_cast<unsigned char>(sql[i])) == 0) {
      last = i;
    }
  }
  return last;
}

std::string without_final_semicolon(std::string sql) {
  std::size_t last = last_significant(sql);
  while (last != std::string::npos && sql[last] == ';') {
    sql[last] = ' ';
    last = last_significant(sql);
  }
  return last == std::string::npos ? std::string() : sql;
}

void refuse_what_is_elsewhere_in(const std::string& sql) {
  const auto at = sql.find("://");
  if (at == std::string::npos) return;
  constexpr std::string_view ends = " '\"(),;";
  const auto before = sql.find_last_of(ends, at);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  refuse_what_is_elsewhere(sql.substr(first, sql.find_first_of(ends, at) - first));
}

}  // namespace

Input::Input(const InputOptions& options) {
  if (!options.sql.empty()) {
    if (!options.data.empty()) throw UserError("give either DATA or --sql, not both");
    refuse_what_is_elsewhere_in(options.sql);
    sql_ = without_final_semicolon(options.sql);
    if (sql_.empty()) throw UserError("--sql is empty");
    name_ = "the result of --sql";
    return;
  }
  if (options.data.empty()) {
    throw UserError("DATA is missing: a file, '-' for standard input, or --sql \"SELECT ...\"");
  }
  if (options.data == "-") {
    name_ = "standard input";
    if (isatty(STDIN_FILENO) == 1) say("reading from the keyboard; end with Ctrl-D");
    take_stream(STDIN_FILENO);
  } else {
    take_files(options.data);
  }
  find_format(options.format);
}

// DuckDB reads a pipe once only; the names of columns have to be known before the rows are read.
void Input::take_stream(int descriptor) {
  Descriptor spooled = nameless_file();
  std::vector<char> buffer(std::size_t{1} << 20U);
  while (true) {
    throw_if_interrupted();
    const ssize_t got = read(descriptor, buffer.data(), buffer.size());
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR) continue;
      throw UserError(fmt::format("{}: {}", name_, std::strerror(errno)));
    }
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          write(spooled.number(), buffer.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw Failure(fmt::format("copying {}: {}", name_, std::strerror(errno)));
      done += put;
    }
  }
  files_.push_back(path_of(spooled));
  given_.resize(files_.size());
  opened_.push_back(std::move(spooled));
}

void Input::take_files(const std::string& data) {
  name_ = shown(data);
  struct stat status {};
  for (const std::string& file : files_of(data)) {
    Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (opened.number() < 0 || fstat(opened.number(), &status) != 0) {
      throw UserError(fmt::format("{}: {}", shown(file), std::strerror(errno)));
    }
    if (S_ISDIR(status.st_mode)) {
      throw UserError(fmt::format("{} is a folder; name its files, for example {}", shown(file),
                                  shown(file + "/*.parquet")));
    }
    if (!S_ISREG(status.st_mode)) {
      take_stream(opened.number());
      continue;
    }
    if (status.st_size == 0) throw UserError(fmt::format("{} is empty", shown(file)));
    std::error_code error;
    files_.push_back(std::filesystem::canonical(file, error).string());
    given_.push_back(file);
    // DuckDB would take such a name for a pattern, and nothing but UTF-8 for a name.
    if (error || files_.back().find_first_of("*?[") != std::string::npos ||
        first_invalid_utf8(files_.back()) != std::string::npos) {
      files_.back() = path_of(opened);
      opened_.push_back(std::move(opened));
    }
  }
}

void Input::find_format(const std::string& asked) {
  const bool told = asked != "auto" && !asked.empty();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const std::string start = first_bytes(files_[i]);
    if (start.empty()) throw UserError(fmt::format("{} is empty", name_));
    const std::string compression = compression_of(start);
    const auto by_name = format_of_name(given_[i]);
    Format format = Format::csv;
    if (told) {
      format = format_from(asked);
    } else if (start.starts_with("PAR1")) {
      format = Format::parquet;
    } else if (by_name) {
      format = *by_name;
    } else {
      const auto first = start.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
      const bool json = first != std::string::npos && (start[first] == '{' || start[first] == '[');
      format = json ? Format::json : Format::csv;
    }
    if (format == Format::parquet && !start.starts_with("PAR1")) {
      throw UserError(fmt::format("{} is not a Parquet file", name_));
    }
    const std::string content =
        compression == "gzip" ? checked_gzip(files_[i], name_) : std::string();
    if (format != Format::parquet && compression != "zstd") {
      refuse_what_is_no_text(compression == "gzip" ? content : start, format,
                             given_[i].empty() ? name_ : shown(given_[i]));
    }
    if (i > 0 && (format != format_ || compression != compression_)) {
      throw UserError(fmt::format("{}: the files are not all of one kind", name_));
    }
    format_ = format;
    compression_ = compression;
    if (i == 0 && compression == "none" && format == Format::csv) {
      delimiter_ = delimiter_of(start);
      header_ = header_of(start, delimiter_[0]);
    }
  }
}

std::string Input::relation() const {
  // A line of its own: SQL may end in a comment.
  if (!sql_.empty()) return fmt::format("(\n{}\n)", sql_);
  const std::string files = list_literal(files_);
  // Folders called year=2025 are not columns.
  const std::string_view shared = files_.size() > 1
                                      ? ", hive_partitioning = false, union_by_name = true"
                                      : ", hive_partitioning = false";
  switch (format_) {
    case Format::parquet:
      return fmt::format("read_parquet({}{})", files, shared);
    case Format::json:
      return fmt::format("read_json({}, auto_detect = true, compression = '{}'{})", files,
                         compression_ == "none" ? "uncompressed" : compression_, shared);
    case Format::csv:
      break;
  }
  return csv_relation("true");
}

std::string Input::csv_relation(std::string_view header) const {
  // With names and delimiter known DuckDB guesses nothing, and says which line is wrong. Several
  // files may have their columns in different order.
  std::string names;
  if (files_.size() == 1 && !header_.empty()) {
    for (std::size_t i = 0; i < header_.size(); ++i) {
      const std::string name = header_[i].empty() ? fmt::format("column{}", i) : header_[i];
      names += fmt::format("{}{}: 'VARCHAR'", i > 0 ? ", " : "", literal(name));
    }
    names = fmt::format(", auto_detect = false, columns = {{{}}}", names);
  }
  // As text, so that what only passes through is not rewritten, and "" is not a missing value.
  return fmt::format(
      "read_csv({}, header = {}, all_varchar = true, allow_quoted_nulls = false, comment = '', "
      "quote = '\"', escape = '\"', compression = '{}', hive_partitioning = false{}{}{})",
      list_literal(files_), header, compression_,
      delimiter_.empty() ? "" : fmt::format(", delim = {}", literal(delimiter_)),
      files_.size() > 1 && header == "true" ? ", union_by_name = true" : "", names);
}

std::string Input::names_query() const {
  if (is_sql() || format_ == Format::json) return {};
  if (files_.size() == 1 && !header_.empty()) {
    return fmt::format("SELECT unnest({})", list_literal(header_));
  }
  if (format_ == Format::csv) {
    return fmt::format("SELECT unnest([*COLUMNS(*)]) FROM (FROM {} LIMIT 1)",
                       csv_relation("false"));
  }
  return fmt::format(
      "SELECT name, CAST(coalesce(num_children, 0) AS VARCHAR) FROM parquet_schema({})",
      literal(files_.front()));
}

}  // namespace evenhand::cli
