// Rules as files.
#pragma once

#include <evenhand/rule.h>
#include <evenhand/soft_rule.h>

#include <string>
#include <variant>
#include <vector>

#include "options.h"
#include "output/figures.h"

namespace evenhand::cli {

// Of known groups, or of soft attributes.
using AnyRule = std::variant<Rule, SoftRule>;

struct RuleFile {
  std::string path;
  AnyRule rule;
  Json fit;  // an object; how the rule was found

  bool soft() const noexcept { return std::holds_alternative<SoftRule>(rule); }
  // The rule of known groups; throws UserError that says what to do instead if it is soft.
  const Rule& hard() const;
  const Reading& reading() const noexcept;
  const CellNames& cells() const noexcept;  // of a soft rule: the strata
  std::vector<std::string> soft_columns() const;

  // From the record; empty if it does not say.
  std::string score_column() const;
  std::string null_policy() const;
  std::vector<std::string> recorded_soft_columns() const;  // --soft of the fit
  // Columns that were not named are the record's; scale and direction are the rule's.
  void fill(RowOptions& rows, ColumnsIfThere& if_there) const;
};

// Throws UserError that says what is wrong with the file.
RuleFile read_rule(const std::string& path);

}  // namespace evenhand::cli
