// Rules as files.
#pragma once

#include <evenhand/fit_record.h>

#include <string>
#include <vector>

#include "options.h"

namespace evenhand::cli {

struct RuleFile : RecordedRule {
  std::string path;
  std::string text;  // of the file

  bool soft() const noexcept { return std::holds_alternative<SoftRule>(rule); }
  // The rule of known groups; throws UserError that says what to do instead if it is soft.
  const Rule& hard() const;
  const Reading& reading() const noexcept;
  const CellNames& cells() const noexcept;  // of a soft rule: the strata
  std::vector<std::string> soft_columns() const;

  // From the record; empty if it does not say.
  RecordedColumns columns() const { return fit.columns.value_or(RecordedColumns()); }
  // Columns that were not named are the record's; scale and direction are the rule's.
  void fill(RowOptions& rows, ColumnsIfThere& if_there) const;
  // What the rule was fitted for, unless told otherwise.
  void fill(ObjectiveOptions& options) const;
};

// The same for several rules about the same people: the first says who is compared, and by what
// weights; any may say which column has labels.
void fill_from(const std::vector<RuleFile>& rules, RowOptions& rows, ColumnsIfThere& if_there);

// Throws UserError that says what is wrong with the file.
RuleFile read_rule(const std::string& path);

}  // namespace evenhand::cli
