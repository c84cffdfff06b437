#include "data/provenance.h"

#include <evenhand/provenance.h>

#include <filesystem>

#include "data/database.h"
#include "data/files.h"

namespace evenhand::cli {
namespace {

FitSource::File file_of(const std::string& path) {
  // Streams, and files whose names DuckDB would not take, are read through a descriptor.
  if (is_descriptor(path)) return {"(stream)", {}};
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  FitSource::File out{path, {}};
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
  Provenance from{.command = options.command,
                  .sql = input.sql,
                  .versions = {{"DuckDB", duckdb_library_version()}},
                  .stamp = options.stamp};
  for (const std::string& file : files) from.files.push_back(file_of(file));
  return fit_source(from);
}

}  // namespace evenhand::cli
