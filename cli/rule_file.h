// Rules as files.
#pragma once

#include <evenhand/rule.h>

#include <string>

#include "figures.h"

namespace evenhand::cli {

struct RuleFile {
  Rule rule;
  Json fit;  // an object; how the rule was found

  // From the record; empty if it does not say.
  std::string score_column() const;
  std::string null_policy() const;
};

// Throws UserError that says what is wrong with the file.
RuleFile read_rule(const std::string& path);

}  // namespace evenhand::cli
