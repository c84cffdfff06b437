#include "data/input.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <tuple>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/content.h"
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
  find_parts(options.format);
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
  partitions_.resize(files_.size());
  opened_.push_back(std::move(spooled));
}

void Input::take_files(const std::string& data) {
  name_ = shown(data);
  struct stat status {};
  const FileSet found = files_of(data);
  for (const std::string& file : found.files) {
    Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (opened.number() < 0 || fstat(opened.number(), &status) != 0) {
      throw UserError(fmt::format("{}: {}", shown(file), std::strerror(errno)));
    }
    if (!S_ISREG(status.st_mode)) {
      take_stream(opened.number());
      continue;
    }
    if (status.st_size == 0) throw UserError(fmt::format("{} is empty", shown(file)));
    std::error_code error;
    files_.push_back(std::filesystem::canonical(file, error).string());
    given_.push_back(file);
    // A file by its own name is just that; folders are columns where there may be several.
    partitions_.push_back(found.open_from
                              ? partition_of(std::string_view(file).substr(*found.open_from))
                              : Partition{});
    // DuckDB would take such a name for a pattern, and nothing but UTF-8 for a name.
    if (error || files_.back().find_first_of("*?[") != std::string::npos ||
        first_invalid_utf8(files_.back()) != std::string::npos) {
      files_.back() = path_of(opened);
      opened_.push_back(std::move(opened));
    }
  }
}

bool Input::Part::takes(const Part& other) const {
  return compression == other.compression && csv == other.csv && json_array == other.json_array &&
         partition == other.partition;
}

std::string Input::shown_name(std::string_view file) const {
  const auto at = std::find(files_.begin(), files_.end(), file);
  if (at == files_.end()) return name_;
  const std::string& given = given_[static_cast<std::size_t>(at - files_.begin())];
  return given.empty() ? name_ : shown(given);
}

std::vector<std::string> Input::partition_names() const {
  std::vector<std::string> out;
  if (parts_.empty()) return out;
  for (const auto& [name, value] : parts_.front().partition) out.push_back(name);
  return out;
}

Input::Part Input::part_of(std::size_t file, const std::string& asked) {
  const std::string start = first_bytes(files_[file]);
  const std::string name = shown_name(files_[file]);
  if (start.empty()) throw UserError(fmt::format("{} is empty", name));
  Part out{.files = {files_[file]},
           .compression = compression_of(start),
           .partition = partitions_[file]};
  const std::string content = checked_start(files_[file], out.compression, name);
  if (content.empty()) throw UserError(fmt::format("{} is empty", name));
  const auto first = content.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const char begins = first == std::string::npos ? ' ' : content[first];
  const auto by_name = format_of_name(given_[file]);
  Format format = begins == '{' || begins == '[' ? Format::json : Format::csv;
  if (asked != "auto" && !asked.empty()) {
    format = format_from(asked);
  } else if (start.starts_with("PAR1")) {
    format = Format::parquet;
  } else if (by_name) {
    format = *by_name;
  }
  if (format == Format::parquet && !start.starts_with("PAR1")) {
    throw UserError(fmt::format("{} is not a Parquet file", name));
  }
  if (format != Format::parquet) refuse_what_is_no_text(content, format, name);
  if (format == Format::csv) out.csv = csv_dialect(content, content.size() < first_part, name);
  out.json_array = format == Format::json && begins == '[';
  if (file > 0 && format != format_) {
    throw UserError(fmt::format("{}: the files are not all of one kind", name_));
  }
  format_ = format;
  return out;
}

// Several files have the same columns, in whatever order, and folders of the same kind.
void Input::check_against_first(const Part& part, std::size_t file) const {
  const auto sorted = [](std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names;
  };
  const auto compare = [&](const std::vector<std::string>& one,
                           const std::vector<std::string>& other, std::string_view what) {
    if (sorted(one) == sorted(other)) return;
    for (const auto& [names, others, in_first] :
         {std::tuple(&one, &other, true), std::tuple(&other, &one, false)}) {
      for (const std::string& column : *names) {
        if (std::find(others->begin(), others->end(), column) != others->end()) continue;
        throw UserError(fmt::format(
            "{} and {} do not have the same {}: only {} has {}; choose columns with --sql",
            shown_name(files_.front()), shown_name(files_[file]), what,
            shown_name(files_[in_first ? 0 : file]), shown(column)));
      }
    }
    throw UserError(fmt::format("{} and {} do not have the same {}", shown_name(files_.front()),
                                shown_name(files_[file]), what));
  };
  const Part& first = parts_.front();
  compare(first.csv.header, part.csv.header, "columns");
  const auto names = [](const Partition& partition) {
    std::vector<std::string> out;
    for (const auto& [name, value] : partition) out.push_back(name);
    return out;
  };
  compare(names(first.partition), names(part.partition), "folders");
}

void Input::find_parts(const std::string& asked) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    Part part = part_of(i, asked);
    if (i > 0) check_against_first(part, i);
    if (i > 0 && parts_.back().takes(part)) {
      parts_.back().files.push_back(files_[i]);
    } else {
      parts_.push_back(std::move(part));
    }
  }
}

std::string Input::relation(std::string_view columns, std::string_view inner) const {
  // A line of its own: SQL may end in a comment.
  if (!sql_.empty()) return fmt::format("(\n{}\n)", sql_);
  std::vector<std::string> selects;
  for (const Part& part : parts_) {
    std::string rows = table(part);
    if (!inner.empty()) rows = fmt::format("(SELECT {} FROM {})", inner, rows);
    std::string select = fmt::format("SELECT {}", columns);
    for (const auto& [name, value] : part.partition) {
      select += fmt::format(", {} AS {}", value ? literal(*value) : "CAST(NULL AS VARCHAR)",
                            identifier(name));
    }
    selects.push_back(select + " FROM " + rows);
  }
  if (selects.size() == 1 && columns == "*" && parts_.front().partition.empty()) {
    return table(parts_.front());
  }
  return fmt::format("({})", joined(selects, " UNION ALL BY NAME "));
}

std::string Input::table(const Part& part) const {
  const std::string files = list_literal(part.files);
  switch (format_) {
    case Format::parquet:
      return fmt::format("read_parquet({}, hive_partitioning = false{})", files,
                         part.files.size() > 1 ? ", union_by_name = true" : "");
    case Format::json:
      return fmt::format("read_json_objects({}, format = '{}', compression = '{}')", files,
                         part.json_array ? "array" : "unstructured",
                         part.compression == "none" ? "uncompressed" : part.compression);
    case Format::csv:
      break;
  }
  std::string names;
  for (std::size_t i = 0; i < part.csv.header.size(); ++i) {
    const std::string& name = part.csv.header[i];
    names += fmt::format("{}{}: 'VARCHAR'", i > 0 ? ", " : "",
                         literal(name.empty() ? fmt::format("column{}", i) : name));
  }
  const std::string_view line_end = part.csv.line_end == "\n"   ? "\\n"
                                    : part.csv.line_end == "\r" ? "\\r"
                                                                : "\\r\\n";
  // As text, so that what only passes through is not rewritten, and "" is not a missing value.
  return fmt::format(
      "read_csv({}, header = true, all_varchar = true, allow_quoted_nulls = false, comment = '', "
      "quote = '\"', escape = '\"', compression = '{}', hive_partitioning = false, delim = {}, "
      "new_line = '{}', auto_detect = false, columns = {{{}}})",
      files, part.compression, literal(part.csv.delimiter), line_end, names);
}

}  // namespace evenhand::cli
