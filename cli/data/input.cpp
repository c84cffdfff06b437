#include "data/input.h"

#include <evenhand/text.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "data/sql.h"
#include "error.h"
#include "output/progress.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

constexpr std::size_t first_part = std::size_t{1} << 20U;  // of a file, to see what it is

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string without_compression(std::string_view name) {
  std::string out = lower(name);
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (out.ends_with(ending)) out.resize(out.size() - ending.size());
  }
  return out;
}

std::string first_bytes(const std::string& file) {
  std::vector<char> bytes(first_part);
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return {bytes.data(), static_cast<std::size_t>(stream.gcount())};
}

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

// The names in the first line of a CSV file.
std::vector<std::string> header_of(std::string_view start, char delimiter) {
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  std::vector<std::string> names(1);
  bool quoted = false;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const char c = start[i];
    if (c == '"' && quoted && i + 1 < start.size() && start[i + 1] == '"') {
      names.back() += start[++i];
    } else if (c == '"' && (quoted || names.back().empty())) {
      quoted = !quoted;
    } else if (!quoted && (c == '\n' || c == '\r')) {
      return names;
    } else if (!quoted && c == delimiter) {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return start.size() < first_part ? names : std::vector<std::string>{};  // a very long line
}

// The first part of what a gzip file holds. All of it is read: DuckDB takes one that was cut off
// for a whole one.
std::string checked_gzip(const std::string& file, const std::string& name) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), gzclose_r);
  if (!stream) throw Failure(fmt::format("{}: {}", name, std::strerror(errno)));
  std::vector<char> buffer(std::size_t{1} << 18U);
  std::string start;
  int got = 0;
  while ((got = gzread(stream.get(), buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    throw_if_interrupted();
    if (start.size() < first_part) start.append(buffer.data(), static_cast<std::size_t>(got));
  }
  int error = Z_OK;
  gzerror(stream.get(), &error);
  if (got < 0 || error != Z_OK) {
    throw UserError(fmt::format("{}: the compressed file is cut off or damaged", name));
  }
  start.resize(std::min(start.size(), first_part));
  return start;
}

// Compression by content: names lie.
std::string compression_of(std::string_view start) {
  if (start.starts_with("\x1f\x8b")) return "gzip";
  if (start.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  return "none";
}

bool looks_like_utf16(std::string_view start) {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) return true;
  if (start.size() < 4) return false;
  const auto zero = [&](std::size_t at) { return start[at] == '\0'; };
  return zero(0) == zero(2) && zero(1) == zero(3) && zero(0) != zero(1);
}

// What can be neither CSV nor JSON. Values may hold anything that DuckDB reads; the first line has
// the names.
void refuse_what_is_no_text(std::string_view start, Format format, const std::string& name) {
  using namespace std::string_view_literals;
  for (const auto& [magic, program] :
       {std::pair("\xFD"
                  "7zXZ\0"sv,
                  "xz"),
        std::pair("BZh"sv, "bzip2"), std::pair("\x04\x22\x4D\x18"sv, "lz4"),
        std::pair("7z\xBC\xAF\x27\x1C"sv, "7z")}) {
    if (!start.starts_with(magic)) continue;
    // Unlike the others, this could begin a name of a column.
    if (magic == "BZh" && start.substr(4, 6) != "1AY&SY") continue;
    throw UserError(fmt::format(
        "{}: it is compressed by {}, which cannot be read; decompress it first, or use gzip or "
        "zstd",
        name, program));
  }
  if (start.starts_with("PK\x03\x04")) {
    throw UserError(
        fmt::format("{}: it is a zip archive, as Excel writes, not UTF-8 text; save it as CSV, "
                    "JSON or Parquet",
                    name));
  }
  if (looks_like_utf16(start)) {
    throw UserError(fmt::format(
        "{}: it looks like UTF-16, not UTF-8; save it as UTF-8, or convert it with iconv -f UTF-16 "
        "-t UTF-8",
        name));
  }
  const std::string_view line = start.substr(0, start.find('\n'));
  if ((format == Format::json ? start : line).find('\0') != std::string_view::npos) {
    throw UserError(fmt::format("{}: it is not UTF-8 text; save it as CSV, JSON or Parquet", name));
  }
  constexpr std::size_t longest = 4;  // bytes of a character, which may be cut
  const std::size_t bad = first_invalid_utf8(line);
  if (format == Format::csv && bad != std::string_view::npos &&
      (line.size() < first_part || bad + longest <= line.size())) {
    throw UserError(fmt::format(
        "{}: its first line is not UTF-8 text; save it as UTF-8, or as JSON or Parquet", name));
  }
}

// What separates the names in the first line; none if it has one name only.
std::string delimiter_of(std::string_view start) {
  std::array<std::size_t, 4> counts{};
  constexpr std::string_view candidates = ",;\t|";
  bool quoted = false;
  for (const char c : start) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    if (const auto at = candidates.find(c); at != std::string_view::npos) ++counts[at];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return *most == 0 ? ","
                    : std::string(1, candidates[static_cast<std::size_t>(most - counts.begin())]);
}

void refuse_what_is_elsewhere(const std::string& data) {
  if (data.find("://") != std::string::npos) {
    throw UserError(shown(data) + ": only files on this machine are read; download it first");
  }
  for (const std::string_view ending :
       {".xlsx", ".xls", ".sqlite", ".duckdb", ".db", ".feather", ".arrow", ".avro", ".sas7bdat",
        ".dta", ".rds", ".pkl", ".pickle"}) {
    if (lower(data).ends_with(ending)) {
      throw UserError(
          fmt::format("{}: files of the kind {} cannot be read; save it as CSV, JSON or "
                      "Parquet",
                      shown(data), ending));
    }
  }
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

Format format_from(std::string_view name) {
  if (name == "csv") return Format::csv;
  if (name == "parquet") return Format::parquet;
  if (name == "json") return Format::json;
  throw UserError(
      fmt::format("there is no format {}: use auto, csv, parquet or json", shown(name)));
}

std::optional<Format> format_of_name(std::string_view name) {
  const std::string plain = without_compression(name);
  const auto ends = [&](std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(),
                       [&](std::string_view ending) { return plain.ends_with(ending); });
  };
  if (ends({".parquet", ".pq"})) return Format::parquet;
  if (ends({".json", ".ndjson", ".jsonl"})) return Format::json;
  if (ends({".csv", ".tsv", ".txt"})) return Format::csv;
  return std::nullopt;
}

std::string compression_of_name(std::string_view name) {
  const std::string plain = lower(name);
  return plain.ends_with(".gz") ? "gzip" : plain.ends_with(".zst") ? "zstd" : "none";
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

std::string temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

Descriptor nameless_file() {
  std::string pattern = temporary_folder() + "/evenhand-XXXXXX";
  const SignalsWait until_it_has_no_name;
  Descriptor file(mkostemp(pattern.data(), O_CLOEXEC));
  if (file.number() < 0) {
    throw Failure(fmt::format("no temporary file in {}: {}; set TMPDIR to another folder",
                              shown(temporary_folder()), std::strerror(errno)));
  }
  unlink(pattern.c_str());
  return file;
}

std::string path_of(const Descriptor& file) {
  return fmt::format("/proc/self/fd/{}", file.number());
}

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

std::vector<std::string> files_of(const std::string& data) {
  refuse_what_is_elsewhere(data);
  struct stat status {};
  if (stat(data.c_str(), &status) == 0) return {data};
  if (errno == ENOENT && data.find_first_of("*?[") != std::string::npos) {
    std::vector<std::string> found;
    glob_t matches{};
    if (glob(data.c_str(), 0, nullptr, &matches) == 0) {
      found.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    }
    globfree(&matches);
    if (found.empty()) throw UserError(fmt::format("{}: no file matches", shown(data)));
    return found;
  }
  if (errno == ENOENT) throw UserError(fmt::format("{}: there is no such file", shown(data)));
  throw UserError(fmt::format("{}: {}", shown(data), std::strerror(errno)));
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
