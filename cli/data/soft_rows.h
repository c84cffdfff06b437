// Rows whose groups are known by probabilities only.
#pragma once

#include <evenhand/fit_record.h>
#include <evenhand/soft_rule.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/rows.h"
#include "data/rule_file.h"
#include "options.h"

namespace evenhand::cli {

// Columns of probabilities: of belonging, or of that given either outcome.
struct SoftColumnOptions {
  std::string any;
  std::string favorable;
  std::string unfavorable;

  bool given() const noexcept { return !(any.empty() && favorable.empty() && unfavorable.empty()); }
};
void add_soft_columns(Command& command, SoftColumnOptions& options, const std::string& help);

// Throws UserError for options that need groups: those of rows, a base threshold, and the given
// ones among `others`.
void refuse_beside_soft(const RowOptions& rows, const ObjectiveOptions& objective,
                        std::initializer_list<std::pair<bool, const char*>> others);

struct SoftWanted {
  SoftColumnOptions columns;
  // Without these: those of the record, as far as the data have them, and the rule's own.
  RecordedColumns recorded = {};
  bool exhaustive = false;  // they add up to 1
  std::string truth = {};   // the column with the true group, of --check-with
  bool decisions = false;   // the score is a decision, 0 or 1
  ColumnsIfThere if_there = {};
  // A rule that is to decide: its columns and attributes are read as well.
  const SoftRule* rule = nullptr;
  // Rules of any kind that are to decide the same rows, side by side.
  std::vector<const RuleFile*> rules = {};
};

class SoftTable {
 public:
  // Throws UserError.
  static SoftTable read(const DataOptions& data, const RowOptions& rows, const SoftWanted& wanted);

  const std::string& name() const noexcept { return name_; }  // of the data, for messages
  const std::vector<std::string>& files() const noexcept { return files_; }
  const Columns& columns() const noexcept { return columns_; }
  const std::vector<std::string>& soft() const noexcept { return soft_; }  // all of these columns
  // Those of --soft, --soft-favorable and --soft-unfavorable.
  const std::vector<std::string>& any() const noexcept { return lists_[0]; }
  const std::vector<std::string>& favorable() const noexcept { return lists_[1]; }
  const std::vector<std::string>& unfavorable() const noexcept { return lists_[2]; }
  std::size_t size() const noexcept { return table_.size; }
  std::uint64_t excluded() const noexcept { return excluded_; }

  // The columns of --soft, in the strata of --within.
  SoftRows rows() const;
  std::span<const double> score() const noexcept { return table_.numbers[0]; }
  std::span<const double> label() const noexcept;   // empty: none
  std::span<const double> weight() const noexcept;  // empty: 1 each
  // The true group of each row, empty where it has the name of missing values.
  const std::vector<std::string>& truth() const noexcept { return truth_; }

  // What the rule does to everybody. Throws UserError that counts people in strata it never saw.
  std::vector<double> decided_by(const SoftRule& rule) const;
  // The same for that one of the rules side by side.
  std::vector<double> decided_by(const std::vector<const RuleFile*>& rules, std::size_t i) const;

 private:
  void choose_columns(const Source& source, const SoftWanted& wanted);
  Cells cells_of(const std::vector<std::string>& attributes, Rows& rows) const;
  void refuse_unknown(const Cells& cells, const CellNames& known) const;
  std::vector<double> decided_by(const SoftRule& rule, const Cells* strata) const;

  std::string name_;
  std::vector<std::string> files_;
  Columns columns_;
  std::array<std::vector<std::string>, 3> lists_;
  std::vector<std::string> soft_;           // all of these
  std::vector<std::string> probabilities_;  // all that were read: those first, then a rule's others
  std::vector<std::string> attributes_;     // those of --within, then a rule's others
  RowTable table_;                          // score, probabilities, label and weight
  std::optional<Cells> strata_;             // of --within
  std::optional<Cells> of_rule_;            // of the rule's attributes
  std::vector<std::optional<Cells>>
      beside_;  // of those of rules side by side; none: they have none
  std::vector<std::string> truth_;
  std::uint64_t excluded_ = 0;
};

}  // namespace evenhand::cli
