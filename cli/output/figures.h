// Audits for people and for programs.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/audit_json.h>
#include <evenhand/fit_words.h>
#include <evenhand/solve.h>

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "output/terminal.h"

namespace evenhand::cli {

using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<double>& value);

// One line for each group of each stratum: people, then each of the rates before and after.
std::string group_table(const Roles& roles, const Audit& before, const Audit* after,
                        const std::vector<Rate>& rates, bool intervals);

// Figures of everybody: today's, or before and after.
class SummaryTable {
 public:
  explicit SummaryTable(bool compares);

  void add(std::string name, std::string before, std::string after, const std::string& note);
  void add_lottery(double share);
  // `expected` says what accuracy trusts; nothing if that is labels.
  std::string text(const std::string& expected) const;

 private:
  bool compares_;
  Table table_;
};

// Accuracy or cost, selection, the largest differences; before and after.
std::string summary_table(const Audit& before, const Audit* after, const Costs& costs,
                          const std::vector<Rate>& rates, std::optional<double> lottery_share,
                          const std::optional<Promise>& promise = {});

// How good a rule is (fit_words.h), with its first words in colour.
std::string judged(const std::string& text);
// The last lines of a fit: where its rule is, if anywhere.
std::string written_in_words(const std::string& file);

}  // namespace evenhand::cli
