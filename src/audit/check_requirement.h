// Whether requirements hold for decisions that were counted.
#pragma once

#include <evenhand/audit_report.h>

#include <string>
#include <vector>

#include "audit/totals.h"

namespace evenhand {

struct CheckedDecisions {
  const Tally& tally;
  const std::vector<Totals>& totals;  // of each cell, under the decisions
  const std::vector<Totals>& base;    // and under the base decisions
  bool knows_outcomes;                // from labels, or as the scores expect them
  Costs costs;

  // One for each combination of the attributes of "for each". People that it speaks of may be
  // missing from these data: then it has no value.
  std::vector<CheckedRequirement> check(const Requirement& requirement) const;
};

bool mentions_base(const Requirement& requirement);

}  // namespace evenhand
