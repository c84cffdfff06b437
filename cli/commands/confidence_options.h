// What fit says of people not met yet, and how it is asked.
#pragma once

#include <evenhand/certify.h>
#include <evenhand/confidence_bound.h>

#include <optional>
#include <string>

#include "command.h"
#include "options.h"
#include "output/figures.h"

namespace evenhand::cli {

struct ConfidenceOptions {
  std::optional<double> confidence;
  std::string bound;  // empty: the one that suits the fit
  std::optional<double> certify;
  bool certify_partial = false;

  // Throws UserError for what is wrong whatever the data.
  void check(const ProblemOptions& problem, bool soft, bool stochastic) const;
  BoundOptions build() const;
};
void add_confidence_options(Command& command, ConfidenceOptions& options);

}  // namespace evenhand::cli
