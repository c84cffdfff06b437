// fit --soft: groups known by their probabilities only.
#pragma once

#include <evenhand/fit_record.h>

#include <string>

#include "command.h"
#include "data/provenance.h"
#include "data/soft_rows.h"
#include "options.h"

namespace evenhand::cli {

struct SoftFitOptions {
  SoftColumnOptions columns;
  bool exhaustive = false;
  std::string check_with;  // the column with the true group

  bool wanted() const noexcept { return columns.given() || exhaustive || !check_with.empty(); }
};
void add_soft_options(Command& command, SoftFitOptions& options);

// The criterion for soft groups, statistical-parity by default. Throws UserError for one that they
// cannot have, and for what it does not take.
RecordedCriterion soft_criterion_of(const FairnessOptions& fair);

// All of `evenhand fit`, for these. Returns the exit status.
int run_soft_fit(const ProblemOptions& problem, const SoftFitOptions& options,
                 const std::string& output, bool json, const SourceOptions& from);

}  // namespace evenhand::cli
