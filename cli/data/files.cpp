#include "data/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (out.ends_with(ending)) out.resize(out.size() - ending.size());
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

}  // namespace evenhand::cli
