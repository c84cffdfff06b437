// Rules side by side: one table, of known groups and of soft ones.
#pragma once

#include <evenhand/fit_record.h>

#include <optional>
#include <string>
#include <vector>

#include "report/table.h"

namespace evenhand::report {

struct RuleRow {
  std::string name, criterion;
  bool needs_group = false;
  Json figures;                                   // selection_rate, accuracy, cost, lottery_share
  Json held;                                      // largest_difference, smallest_ratio
  std::optional<double> to_yes = {}, to_no = {};  // against the first rule
};
Json rules_table(const std::vector<RuleRow>& rows);

// The criterion of a rule's record, in words.
std::string fitted_for(const FitRecord& fit);
// "statistical-parity for those who belong, by p_f, tolerance 0.02"
std::string for_those_who_belong(const RecordedCriterion& criterion,
                                 const std::vector<std::string>& columns);

}  // namespace evenhand::report
