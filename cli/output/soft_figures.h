// Audits of soft groups, for people and for programs.
#pragma once

#include <evenhand/soft_audit.h>

#include <optional>
#include <string>
#include <vector>

#include "output/figures.h"

namespace evenhand::cli {

// Accuracy or cost, selection, the largest difference; before and after.
std::string summary_table(const SoftAudit& before, const SoftAudit* after, const Costs& costs,
                          std::optional<double> lottery_share);

// One line for each column of each stratum: those who belong and the others, before and after.
std::string pair_table(const std::vector<std::string>& within, const SoftAudit& before,
                       const SoftAudit* after, bool given_outcome);

// Several rules: a column for each, then who is decided unlike the first.
struct SoftRulesBeside {
  const std::vector<std::string>& within;
  const SoftAudit& before;  // by the score alone
  const std::vector<SoftBeside>& rules;
  const std::vector<std::string>& names;
  const std::vector<bool>& need_group;
};
std::string side_by_side_tables(const SoftRulesBeside& beside);

}  // namespace evenhand::cli
