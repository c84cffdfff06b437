// FitRecord: how a rule was found, as the member `fit` of its file says it (docs/formats.md). It
// takes no part in deciding. One writer and one reader for the library, the tool and Python.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/confidence_bound.h>
#include <evenhand/criterion.h>
#include <evenhand/rule.h>
#include <evenhand/scale.h>
#include <evenhand/sgd.h>
#include <evenhand/soft.h>
#include <evenhand/soft_audit.h>
#include <evenhand/soft_rule.h>
#include <evenhand/solve.h>
#include <evenhand/tally_file.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace evenhand {

struct RecordedCriterion {
  std::string name;                       // "requirements": nothing but these
  std::vector<std::string> require = {};  // in the user's words
  std::vector<std::string> soft = {};     // columns of soft groups; empty for known ones
  std::optional<Roles> roles = {};        // none: only requirements
  std::optional<double> tolerance = {};   // of these three, those that the criterion takes
  std::optional<double> ratio = {};
  std::optional<Rho> rho = {};

  // The criterion itself. Throws std::invalid_argument for one that is not known, and of soft
  // groups.
  Criterion criterion() const;
  bool operator==(const RecordedCriterion&) const = default;
};

// The figures of a Solution or SoftSolution; NaN if the file does not say.
struct RecordedProof {
  Status status = Status::inaccurate;
  double primal = 0;
  double dual = 0;
  double gap = 0;
  double violation = 0;
  double magnitude = 0;
  double base = 0;
  double lottery_share = 0;
};

struct RecordedCell {
  std::string cell;  // its name
  double rate = 0;
  std::optional<double> multiplier = {};  // these two only where there are no constraints
  Bound bound = Bound::none;
  std::optional<std::string> not_compared = {};  // why
  double lottery_share = 0;
  Benefits benefits = Benefits::own;
};

struct RecordedConstraint {
  std::string text;
  double value = 0;
  double multiplier = 0;
};

struct RecordedMultiplier {
  std::string cell;
  double mean = 0;
  double last = 0;
  double lowest = 0;
  double highest = 0;
};

struct RecordedSgd {
  std::uint64_t steps = 0;
  double learning_rate = 0;
  Projection projection = Projection::corrected;
  std::uint64_t seed = 0;
  std::vector<RecordedMultiplier> multipliers = {};
};

struct RecordedStratum {  // of soft groups
  std::string stratum;    // its name
  double weight = 0;
  std::uint64_t distinct = 0;
  double lottery_share = 0;
  std::vector<SoftRate> columns = {};
};

// Columns of the data that the rule was fitted on; empty: not known.
struct RecordedColumns {
  std::string score = {};
  std::optional<std::vector<std::string>> soft = {};  // of soft groups
  std::vector<std::string> soft_favorable = {};       // of these, given either outcome
  std::vector<std::string> soft_unfavorable = {};
  std::optional<std::vector<std::string>> sensitive = {};  // of known ones
  std::vector<std::string> within = {};
  std::string label = {};
  std::string weight = {};
  std::string null = {};  // what was done with missing values: error, exclude, or a group's name
};

// Figures of everybody, of known groups or of soft ones.
struct SoftSummary {
  double selection_rate = 0;
  double accuracy = 0;
  double cost = 0;
  std::optional<double> largest_difference = {};

  static SoftSummary of(const SoftAudit& audit);
};
using RecordedFigures = std::variant<std::monostate, Figures, SoftSummary>;

// How the rule came to be: by which command or call, from which files. It is all that may differ
// between two fits of the same rule.
struct FitSource {
  struct File {
    std::string name;                         // without its folder
    std::optional<std::uint64_t> bytes = {};  // none of a stream
  };
  std::string command = {};  // as typed, or a call of the Python package
  std::vector<File> files = {};
  std::uint64_t further_files = 0;  // beside those listed
  std::string sql = {};
  // Of programs, such as {"DuckDB", "1.4.4"}; evenhand's own is FitRecord::version.
  std::vector<std::pair<std::string, std::string>> versions = {};
  std::string time = {};  // ISO 8601, UTC; empty unless asked for
};

struct FitRecord {
  std::string version = {};  // of the library that fitted
  std::optional<RecordedCriterion> criterion = {};
  std::optional<double> gamma = {};
  std::optional<bool> blind = {};  // true if the rule sees no group
  std::optional<double> cost_fp = {};
  std::optional<double> cost_fn = {};
  std::optional<Calibration> calibrate = {};
  std::optional<CalibrateBy> calibrate_by = {};  // if the rule has a calibrator
  bool calibrator_given = false;                 // fitted before, not on these data
  std::optional<Lottery> lottery = {};
  std::optional<double> max_lottery = {};
  std::optional<double> base_threshold = {};
  std::optional<double> certified = {};  // the confidence of a certified fit
  std::string rule_fingerprint = {};     // of the rule that was found
  std::optional<RecordedProof> proof = {};
  std::optional<std::vector<RecordedCell>> cells = {};
  std::vector<RecordedConstraint> constraints = {};
  std::optional<std::vector<RecordedStratum>> strata = {};
  std::optional<RecordedSgd> sgd = {};
  std::optional<ConfidenceBound> bound = {};  // for people not met yet
  // From here on, the data.
  std::optional<RecordedColumns> columns = {};
  std::optional<Reading> reading = {};
  std::optional<Resolution> resolution = {};  // exact if there is none
  double min_count = 0;                       // no entry of the tally has fewer rows
  std::optional<std::uint64_t> rows = {};     // not known of a tally with weights
  std::optional<double> weight = {};          // of all rows
  std::uint64_t excluded = 0;                 // rows left out for a missing value
  std::optional<bool> labelled = {};
  std::string fingerprint = {};         // of the tally (tally_file.h)
  std::vector<std::string> parts = {};  // of what was merged, if anything was
  std::vector<std::string> notes = {};  // what a user should know of the requirements
  RecordedFigures before = {};          // by the base decisions
  RecordedFigures after = {};           // by the rule
  std::optional<FitSource> source = {};

  // What the solution says, without the data. Throw std::invalid_argument if there is no rule.
  static FitRecord of(const Solution& solution);
  static FitRecord of(const SgdResult& result);
  static FitRecord of(const SoftSolution& solution);

  // Adds the data: columns, reading, rows, weight, labels.
  void add(const StoredTally& data);
  // The same, with figures before and after, of all people by the costs and base decisions of the
  // fit.
  void add(const StoredTally& data, const Solution& solution);

  // The same for soft groups, whose columns are given. Labels and figures are left to the caller.
  void add(const TallySource& from, const std::vector<std::string>& soft,
           const SoftSolution& solution);

  // Whether the rule was fitted on these very rows: their tallies have one fingerprint. False if
  // the record says nothing of its data.
  bool fitted_on(const StoredTally& data) const;

  // A JSON object on one line.
  std::string to_json() const;
  // Members that are missing, or not of the type that they ought to have, are not known: records of
  // later versions may have others. Throws std::invalid_argument for anything but a JSON object.
  static FitRecord from_json(std::string_view json);
};

// SHA-256 of the rule's JSON without a record, as 64 lower-case hexadecimal digits.
std::string fingerprint(const Rule& rule);
std::string fingerprint(const SoftRule& rule);

// How a fit is audited on its own rows.
AuditOptions auditing_of(const Solution& solution);

// The rule's file: the rule with its record.
std::string rule_file(const Rule& rule, const FitRecord& record);
std::string rule_file(const SoftRule& rule, const FitRecord& record);

using AnyRule = std::variant<Rule, SoftRule>;  // of known groups, or of soft ones

// A file of either kind of rule, read at once.
struct RecordedRule {
  AnyRule rule;
  FitRecord fit;

  // Throws std::invalid_argument for anything but a well-formed rule of a version it knows.
  static RecordedRule from_json(std::string_view json);
};

}  // namespace evenhand
