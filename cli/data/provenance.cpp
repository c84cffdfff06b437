#include "data/provenance.h"

#include <evenhand/text.h>

#include <chrono>
#include <ctime>
#include <filesystem>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "data/database.h"
#include "data/files.h"

namespace evenhand::cli {
namespace {

// JSON is UTF-8.
std::string as_utf8(const std::string& text) {
  return first_invalid_utf8(text) == std::string::npos ? text : printable(text);
}

FitSource::File file_of(const std::string& path) {
  // Streams, and files whose names DuckDB would not take, are read through a descriptor.
  if (is_descriptor(path)) return {"(stream)", {}};
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  FitSource::File out{as_utf8(std::filesystem::path(path).filename().string()), {}};
  if (!error) out.bytes = bytes;
  return out;
}

}  // namespace

void add_source_options(Command& command, SourceOptions& options) {
  command.add_flag("--no-source", options.none,
                   "Leave out of the rule's record how it came to be: command, files, versions");
  command.add_flag("--stamp", options.stamp, "Add the time to that record");
}

std::optional<FitSource> source_of(const SourceOptions& options, const InputOptions& input,
                                   const std::vector<std::string>& files) {
  if (options.none) return std::nullopt;
  FitSource out{.command = as_utf8(options.command), .sql = as_utf8(input.sql)};
  constexpr std::size_t most = 100;
  for (const std::string& file : files) {
    if (out.files.size() == most) break;
    out.files.push_back(file_of(file));
  }
  out.further_files = files.size() - out.files.size();
  out.versions.emplace_back("DuckDB", duckdb_library_version());
  if (options.stamp) {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    out.time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  }
  return out;
}

}  // namespace evenhand::cli
