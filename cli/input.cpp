#include "input.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "progress.h"
#include "sql.h"
#include "terminal.h"

namespace evenhand::cli {
namespace {

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
  std::array<char, 512> bytes{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(stream.gcount())};
}

void refuse_what_is_elsewhere(const std::string& data) {
  if (data.find("://") != std::string::npos) {
    throw UserError(shown(data) + ": only files on this machine are read; download it first");
  }
  for (const std::string_view ending : {".xlsx", ".xls", ".sqlite", ".duckdb", ".db", ".feather",
                                        ".arrow", ".avro", ".sas7bdat", ".dta", ".rds"}) {
    if (lower(data).ends_with(ending)) {
      throw UserError(
          fmt::format("{}: files of the kind {} cannot be read; save it as CSV, JSON or "
                      "Parquet",
                      shown(data), ending));
    }
  }
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

Descriptor nameless_file() {
  std::string pattern = (std::filesystem::temp_directory_path() / "evenhand-XXXXXX").string();
  Descriptor file(mkstemp(pattern.data()));
  if (file.number() < 0) {
    throw Failure(fmt::format("no temporary file in {}: {}",
                              std::filesystem::temp_directory_path().string(),
                              std::strerror(errno)));
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
    sql_ = options.sql;
    name_ = "the result of --sql";
    return;
  }
  if (options.data.empty()) {
    throw UserError("DATA is missing: a file, '-' for standard input, or --sql \"SELECT ...\"");
  }
  if (options.data == "-") {
    take_standard_input();
  } else {
    take_files(options.data);
  }
  find_format(options.format);
}

// DuckDB reads a pipe once only; the names of columns have to be known before the rows are read.
void Input::take_standard_input() {
  name_ = "standard input";
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) != 0) throw UserError("there is no standard input");
  if (S_ISDIR(status.st_mode)) throw UserError("standard input is a folder");
  if (isatty(STDIN_FILENO) == 1) {
    fmt::print(stderr, "reading from the keyboard; end with Ctrl-D\n");
  }
  spooled_ = nameless_file();
  std::vector<char> buffer(std::size_t{1} << 20U);
  while (true) {
    throw_if_interrupted();
    const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR) continue;
      throw Failure(fmt::format("standard input: {}", std::strerror(errno)));
    }
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          write(spooled_.number(), buffer.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw Failure(fmt::format("copying standard input: {}", std::strerror(errno)));
      done += put;
    }
  }
  files_ = {path_of(spooled_)};
}

void Input::take_files(const std::string& data) {
  name_ = shown(data);
  refuse_what_is_elsewhere(data);
  if (std::filesystem::exists(data)) {
    files_ = {data};
  } else if (data.find_first_of("*?[") != std::string::npos) {
    glob_t found{};
    if (glob(data.c_str(), 0, nullptr, &found) == 0) {
      files_.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    globfree(&found);
    if (files_.empty()) throw UserError(fmt::format("{}: no file matches", name_));
  } else {
    throw UserError(fmt::format("{}: there is no such file", name_));
  }
  for (std::string& file : files_) {
    if (std::filesystem::is_directory(file)) {
      throw UserError(fmt::format("{} is a folder; name its files, for example {}", shown(file),
                                  shown(file + "/*.parquet")));
    }
    if (access(file.c_str(), R_OK) != 0) {
      throw UserError(fmt::format("{}: {}", shown(file), std::strerror(errno)));
    }
    file = std::filesystem::canonical(file).string();
  }
}

void Input::find_format(const std::string& asked) {
  compression_ = compression_of_name(files_.front());
  const std::string start = first_bytes(files_.front());
  if (start.starts_with("\x1f\x8b")) compression_ = "gzip";
  if (start.starts_with("\x28\xb5\x2f\xfd")) compression_ = "zstd";
  if (asked != "auto" && !asked.empty()) {
    format_ = format_from(asked);
  } else if (const auto by_name = format_of_name(files_.front())) {
    format_ = *by_name;
  } else if (start.starts_with("PAR1")) {
    format_ = Format::parquet;
  } else {
    const auto first = start.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const bool json = first != std::string::npos && (start[first] == '{' || start[first] == '[');
    format_ = json ? Format::json : Format::csv;
  }
  if (start.empty()) throw UserError(fmt::format("{} is empty", name_));
  if (format_ == Format::parquet && !start.starts_with("PAR1")) {
    throw UserError(fmt::format("{} is not a Parquet file", name_));
  }
}

std::string Input::relation() const {
  // A line of its own: SQL may end in a comment.
  if (!sql_.empty()) return fmt::format("(\n{}\n)", sql_);
  const std::string files = list_literal(files_);
  const std::string_view by_name = files_.size() > 1 ? ", union_by_name = true" : "";
  switch (format_) {
    case Format::parquet:
      return fmt::format("read_parquet({}{})", files, by_name);
    case Format::json:
      return fmt::format("read_json({}, auto_detect = true, compression = '{}'{})", files,
                         compression_, by_name);
    case Format::csv:
      break;
  }
  // As text, so that what only passes through is not rewritten, and "" is not a missing value.
  return fmt::format(
      "read_csv({}, header = true, all_varchar = true, allow_quoted_nulls = false, "
      "compression = '{}'{})",
      files, compression_, by_name);
}

}  // namespace evenhand::cli
