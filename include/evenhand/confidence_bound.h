// What a rule means for people not met yet: a bound of the largest difference (or smallest ratio)
// of the compared rates in the population, with a stated confidence (confidence.h).
#pragma once

#include <evenhand/confidence.h>
#include <evenhand/criterion.h>
#include <evenhand/solve.h>

#include <optional>
#include <string>
#include <vector>

namespace evenhand {

struct BoundOptions {
  double confidence = 0.95;  // in (0, 1)
  // None: same_rate where the criterion ties the rates (exact fits, gamma = 0, no requirements),
  // else any.
  std::optional<BoundKind> kind = {};
};

struct BoundedGroup {
  std::string name;  // "sex=F, race=Black"
  double rows = 0;   // that the rate is observed on: for label rates, those with the outcome
};

// The pair that the bound of a stratum comes from.
struct StratumBound {
  std::vector<std::string> values;  // of the `within` attributes
  double value = 0;                 // difference at most, or ratio at least
  double observed = 0;              // the largest difference, or the smallest ratio, in the data
  Rate rate = Rate::selection;
  BoundedGroup over, under;  // the difference is that of over less under
};

struct SmallGroup {
  BoundedGroup group;
  Rate rate = Rate::selection;
};

struct ConfidenceBound {
  std::optional<double> value;  // over all strata; none: see reason
  std::string reason;           // why there is none, as the end of a sentence
  double confidence = 0.95;
  bool is_ratio = false;          // the value is a ratio at least, else a difference at most
  std::optional<BoundKind> kind;  // none: rows count as fresh, by exact limits
  double observed = 0;
  // The other side, with the same confidence: the largest difference is at least this, or the
  // smallest ratio at most this; 0, or 1, where nothing is shown. None without a value.
  std::optional<double> shown;
  std::vector<StratumBound> strata;  // in the order of their values
  std::vector<SmallGroup> small;     // fewer than 50 rows: too few to learn much from

  // "On new people like these, the largest difference is at most 3.4 % (95 % confidence). In these
  // data it is 0.", then the widest pair, strata that differ, and small groups with advice: a line
  // each.
  std::vector<std::string> in_words() const;
  // All of the above, for records; `within` names the attributes of strata.
  std::string to_json(const std::vector<std::string>& within) const;
};

// Of a rule on the rows that it was fitted on. There is none for weighted rows, for groups by
// single attributes (Across::marginal), for requirements alone, and for more than 100,000 ordered
// pairs of groups. Throws std::invalid_argument for a confidence outside of (0, 1), and for
// BoundKind::same_rate where nothing ties the rates.
ConfidenceBound confidence_bound(const Tally& tally, const Solution& solution,
                                 const BoundOptions& options = {});

// Of a rule on rows that it was not fitted on. `strict`: by limits whose error never exceeds what
// is stated.
ConfidenceBound fresh_bound(const Tally& tally, const Criterion& criterion, const Rule& rule,
                            double confidence = 0.95, bool strict = false);

}  // namespace evenhand
