// fit --soft: groups known by their probabilities only.
#pragma once

#include <string>

#include "options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace evenhand::cli {

struct SoftFitOptions {
  std::string columns;
  bool exhaustive = false;

  bool wanted() const noexcept { return !columns.empty() || exhaustive; }
};
void add_soft_options(CLI::App& command, SoftFitOptions& options);

// All of `evenhand fit`, for these. Returns the exit status.
int run_soft_fit(const ProblemOptions& problem, const SoftFitOptions& options,
                 const std::string& output, bool json);

}  // namespace evenhand::cli
