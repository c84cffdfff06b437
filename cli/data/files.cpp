#include "data/files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/database.h"
#include "data/sql.h"
#include "error.h"
#include "output/progress.h"
#include "output/terminal.h"

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
    if (out.ends_with(ending)) out.erase(out.size() - ending.size());
  }
  return out;
}

// All files in a folder and in those inside it.
std::vector<std::string> files_under(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || name.starts_with('_')) {  // _SUCCESS, .part-0.crc
      at.disable_recursion_pending();
    } else if (at->is_regular_file(error)) {
      out.push_back(at->path().string());
    }
  }
  if (error) throw UserError(fmt::format("{}: {}", shown(folder), error.message()));
  return out;
}

// %20 and its like are how a folder's name holds what a name cannot.
std::string without_percents(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto end = digits.data() + digits.size();
    if (text[i] == '%' && digits.size() == 2 &&
        std::from_chars(digits.data(), end, byte, 16).ptr == end) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
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

FileSet files_of(const std::string& data) {
  refuse_what_is_elsewhere(data);
  struct stat status {};
  const bool there = stat(data.c_str(), &status) == 0;
  if (there && !S_ISDIR(status.st_mode)) return {{data}, std::nullopt};
  FileSet out;
  if (there) {
    out = {files_under(data), data.size()};
    if (out.files.empty()) throw UserError(fmt::format("{}: there is no file in it", shown(data)));
  } else if (errno == ENOENT && data.find_first_of("*?[") != std::string::npos) {
    // DuckDB's, so that a pattern means the same here and in --sql.
    Database database({.threads = 1, .memory = {}});
    for (const Row& row : database.query("SELECT file FROM glob(" + literal(data) + ")")) {
      const std::string file = row[0].value_or("");
      out.files.push_back(file.starts_with("./") && !data.starts_with("./") ? file.substr(2)
                                                                            : file);
    }
    if (out.files.empty()) throw UserError(fmt::format("{}: no file matches", shown(data)));
    const auto folder = data.rfind('/', data.find_first_of("*?["));
    out.open_from = folder == std::string::npos ? 0 : folder + 1;
  } else if (errno == ENOENT) {
    throw UserError(fmt::format("{}: there is no such file", shown(data)));
  } else {
    throw UserError(fmt::format("{}: {}", shown(data), std::strerror(errno)));
  }
  std::sort(out.files.begin(), out.files.end());
  return out;
}

Partition partition_of(std::string_view path) {
  Partition out;
  for (std::size_t end = 0; (end = path.find('/')) != std::string_view::npos;) {
    const std::string_view folder = path.substr(0, end);
    path.remove_prefix(end + 1);
    const auto equals = folder.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    std::string value = without_percents(folder.substr(equals + 1));
    const bool missing = value == "__HIVE_DEFAULT_PARTITION__";
    out.emplace_back(without_percents(folder.substr(0, equals)),
                     missing ? std::nullopt : std::optional(std::move(value)));
  }
  return out;
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

bool is_descriptor(std::string_view path) {
  return path.starts_with("/proc/self/fd/");
}

}  // namespace evenhand::cli
