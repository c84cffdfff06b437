// How a rule came to be, for its record.
#pragma once

#include <evenhand/fit_record.h>

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "data/input.h"

namespace evenhand::cli {

struct SourceOptions {
  bool none = false;
  bool stamp = false;
  std::string command;  // as typed
};
void add_source_options(Command& command, SourceOptions& options);

// None if it is not wanted. `files` are those that were read.
std::optional<FitSource> source_of(const SourceOptions& options, const InputOptions& input,
                                   const std::vector<std::string>& files);

}  // namespace evenhand::cli
