// audit: what decisions mean for each cell, before or after a rule; those of the scores alone, of a
// rule, or made elsewhere. audit_report.h compares the groups.
#pragma once

#include <evenhand/calibrate.h>
#include <evenhand/criterion.h>
#include <evenhand/rule.h>
#include <evenhand/scale.h>
#include <evenhand/tally.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// Sums of squared weights in a cell, of all rows and of those with a favourable outcome.
struct SquaredWeights {
  double n = 0;
  double n1 = 0;
};

struct AuditOptions {
  Costs costs = {};
  std::optional<double> base_threshold = {};  // as in SolveOptions
  double confidence = 0.95;                   // of the intervals, in (0, 1)
  // What the scores say of outcomes; none: the rule's calibrator, or else their scale.
  std::optional<Calibrator> calibrator = {};
  std::size_t calibration_bins = 0;  // 0: do not measure calibration; it needs labels
  Unseen unseen = Unseen::error;     // for people in cells that the rule does not know
  // The scores are decisions made elsewhere, 0 or 1 (not with a rule). Without labels nothing is
  // known about being right.
  bool decisions = false;
  // Outcomes are what the scores promise, even where labels tell: what a rule maximises that trusts
  // them. Rates that need labels are then not known.
  bool by_scores = false;
  double min_group = 0;  // groups of less weight are shown, but not compared; finite, >= 0
  // Of each cell, where rows have weights, for intervals by effective sizes; empty: not known, and
  // there are none.
  std::vector<SquaredWeights> squared_weights = {};
};

// Where a rate lies in the population that the rows were drawn from, for one rate at a time: the
// interval of Wilson, for decisions that were not chosen by looking at these rows.
struct Interval {
  double low = 0;
  double high = 1;
};

// Expected figures under the probabilities of a rule; for base decisions they are 0 or 1.
struct Figures {
  double weight = 0;                          // of the rows; their number when unit_weights
  std::optional<double> selection_rate;       // none without rows
  std::optional<double> true_positive_rate;   // these need labels, and
  std::optional<double> false_positive_rate;  // rows in their denominator
  std::optional<double> precision;
  // With labels; without, what to expect if the scores are calibrated (Audit::expected), and none
  // for raw scores without a calibrator.
  std::optional<double> accuracy;
  std::optional<double> cost;  // mean cost of a decision
  // Of the rates above; of weighted rows only with AuditOptions::squared_weights.
  std::optional<Interval> selection_interval;
  std::optional<Interval> true_positive_interval;
  std::optional<Interval> false_positive_interval;
};

// One rate compared between the groups of a stratum that have it; none if fewer than two do.
struct Spread {
  double difference = 0;  // largest - smallest
  double ratio = 1;       // smallest / largest, 1 if both are 0
};

struct AuditedGroup {
  std::vector<std::string> values;  // of the sensitive attributes
  Figures figures;
  // Of the decision and of belonging to this group, inside the stratum: Definition 1 of the paper,
  // |X_k|^-1 sum (1_S - rho_k) q. Zero for every group means conditional statistical parity.
  double covariance = 0;
  bool compared = true;  // its weight is at least AuditOptions::min_group
};

struct Comparison {
  std::vector<std::string> values;  // of the `within` attributes; empty for `overall`
  Figures figures;                  // of all groups together
  std::vector<AuditedGroup> groups;
  std::optional<Spread> selection_rate;
  std::optional<Spread> true_positive_rate;
  std::optional<Spread> false_positive_rate;
  double bias = 0;  // largest |covariance| of a group
};

struct AuditedCell {
  CellCode cell = 0;
  Figures figures;
  double covariance = 0;  // of its group, in its stratum
};

struct Audit {
  bool labelled = false;
  bool expected = false;  // accuracy, precision and cost trust the scores: there were no labels
  std::vector<AuditedCell> cells;
  std::vector<Comparison> strata;
  Comparison overall;                            // of the groups, over all strata
  std::optional<CalibrationReport> calibration;  // if asked for
  double lottery_share = 0;                      // of the weight that a coin decides
  std::vector<CellCode> unseen;  // cells that the rule does not know, decided by the option
};

// Groups are the combinations of the sensitive attributes' values; attributes without a role are
// added up, so that one attribute at a time can be audited under a rule that tells more apart.
// Of the base decisions (or those made elsewhere), and of a rule. Throws std::out_of_range that
// names the cells that the rule lacks, unless AuditOptions::unseen decides about them.
Audit audit(const Tally& tally, const Roles& roles, const AuditOptions& options = {});
Audit audit(const Tally& tally, const Roles& roles, const Rule& rule,
            const AuditOptions& options = {});

// Where an audit has a rate, and what it is called.
struct RateOf {
  Rate rate;
  std::string_view name;   // "selection_rate", in JSON and frames
  std::string_view words;  // "selection rate"
  std::string_view title;  // "selected", of a column
  std::optional<double> Figures::*value;
  std::optional<Interval> Figures::*interval;
  std::optional<Spread> Comparison::*spread;
};
std::span<const RateOf> all_rates() noexcept;
const RateOf& rate_of(Rate rate) noexcept;

// Between the groups of a stratum, over all strata; none if nothing can be compared.
std::optional<double> largest_difference(const Audit& audit, Rate rate);
std::optional<double> smallest_ratio(const Audit& audit, Rate rate);

}  // namespace evenhand
