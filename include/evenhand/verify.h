// verify: what the record of a fit claims, worked out again from the data by plain sums over the
// tally's entries. None of the code that fits takes part: a rule that was edited, or data that
// changed, show here.
#pragma once

#include <evenhand/fit_record.h>
#include <evenhand/rule.h>
#include <evenhand/soft_rule.h>
#include <evenhand/tally_file.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

enum class Verdict {
  yes,
  no,
  unchecked,  // there is nothing to check it by: `words` say why
};
std::string_view to_string(Verdict verdict) noexcept;  // "yes", "no", "not checked"

// One claim.
struct Check {
  std::string name;  // "objective"
  Verdict verdict = Verdict::unchecked;
  std::string words;                    // what was compared, for people
  std::optional<double> recorded = {};  // figures, where there is one on each side
  std::optional<double> found = {};
};

struct Verification {
  std::vector<Check> checks;

  bool passed() const noexcept;         // none says no
  std::size_t failed() const noexcept;  // how many do
  std::string to_text() const;          // a line for each
  std::string to_json() const;          // an object on one line
};

// Figures agree if they differ by at most this share of the whole (of the sum of n |h|, or of 1 for
// rates): sums are made in another order here.
inline constexpr double verify_tolerance = 1e-9;

// Checks the rule itself, the data's fingerprint, rows, objective, violation, the upper bound that
// the multipliers prove, whether that makes the rule optimal, all figures of the record, and its
// bound for people not met yet. Throws std::invalid_argument if the record says too little to check
// anything (no criterion or no status), and for a tally that lacks what the criterion names.
Verification verify(const StoredTally& data, const Rule& rule, const FitRecord& record);

// The same for soft groups, from the rows; `weight` is empty if all count alike.
Verification verify(const SoftRows& rows, std::span<const double> weight, const SoftRule& rule,
                    const FitRecord& record);

// Adds a check that says no if the record in the file of a rule has members that no fit writes, or
// not so: a word or a type of value that does not exist would otherwise count as not recorded. Of
// records of other versions that was not checked. Nothing is added if all is well.
void check_members(std::string_view rule_file, Verification& found);

}  // namespace evenhand
