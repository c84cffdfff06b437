// solve: the rule with the largest objective among all that meet the criterion, with its proof.
//
// Maximises  sum n (h q - gamma/2 q^2)  over the probabilities q of a positive decision, where h is
// the benefit of a positive decision, subject to the criterion (docs/method.md).
#pragma once

#include <evenhand/benefits.h>
#include <evenhand/calibrator.h>
#include <evenhand/criterion.h>
#include <evenhand/requirement.h>
#include <evenhand/rule.h>
#include <evenhand/scale.h>
#include <evenhand/tally.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// Who is decided by a coin (gamma = 0).
enum class Lottery {
  fewest,        // the optimum's rates, with coins for as few people as reach them
  least_chance,  // the optimum's rates, with little chance in all: the least sum of n q (1 - q) of
                 // a few candidates, often many people with a q near 0 or 1
  none,          // nobody: the best rule with one threshold for each cell
};
std::string_view to_string(Lottery lottery) noexcept;
Lottery lottery_from(std::string_view name);  // throws std::invalid_argument

struct SolveOptions {
  double gamma = 0;  // width of randomization, >= 0; 0: at the thresholds alone
  Lottery lottery = Lottery::fewest;
  // The largest share of each cell that coins may decide, in [0, 1]; one score always may. With
  // this, as with Lottery::none, the rule may do worse than the optimum. It goes with
  // Lottery::fewest, and both with gamma = 0 only.
  std::optional<double> max_lottery = {};
  Costs costs = {};
  // Where benefits come from (calibrator.h), fitted on the tally's labels. Criteria of label rates
  // always pool each cell's labels: they refuse platt, temperature and one curve for all.
  Calibration calibrate = Calibration::none;
  CalibrateBy calibrate_by = CalibrateBy::cell;
  // Or one that was fitted before, perhaps on other data (calibrate.h).
  std::optional<Calibrator> calibrator = {};
  // The base decision, before any rule, is positive from this score on (up to it, where low scores
  // are favourable); none: when its benefit is above zero, by the curve of all cells if calibrated.
  std::optional<double> base_threshold = {};
  // One rule for all groups, that sees the score and the stratum only: groups are used to find it,
  // not to apply it. The rule's cells are the strata. gamma must be 0.
  bool blind = false;
  unsigned threads = 0;  // 0: as many as there are cores. The result does not depend on it.
};

enum class Status {
  optimal,      // gap and violation below 1e-9
  feasible,     // few coins or none: the rule meets the criterion, but its gap is open
  inaccurate,   // a rule, but without that proof
  approximate,  // a rule of the stochastic solver (sgd.h), which never claims more
  infeasible,   // no rule meets the requirements; there is none in the solution
};
std::string_view to_string(Status status) noexcept;

// Which side of what its stratum allows holds a cell's rate back.
enum class Bound { none, lower, upper };
std::string_view to_string(Bound bound) noexcept;

struct CellOutcome {
  bool compared = false;
  std::string reason = {};  // why not compared
  double rate = 0;  // the (first) compared rate under the rule; selection rate if not compared
  // Price of one unit of that rate, in units of the objective; criteria of one rate, intersectional
  // and without requirements, have these, all others `Solution::constraints`.
  double multiplier = 0;
  Bound bound = Bound::none;
  double lottery_share = 0;           // share of the cell's weight with 0 < q < 1
  Benefits benefits = Benefits::own;  // whose outcomes say what its decisions are worth
};

struct StratumOutcome {
  std::vector<std::string> values;  // of the `within` attributes
  std::vector<CellCode> compared;   // fewer than two: not constrained (see CellOutcome::reason)
  double lowest = 0;                // the rates that the criterion allows here lie
  double highest = 0;               // between these two
};

// A measure of all rows of some cells together.
struct Pooled {
  Measure measure = Measure::rate;
  std::vector<CellCode> cells;
  std::vector<CellCode> whole = {};  // of a share: among all selected of these
};

struct Term {
  double factor = 1;
  Pooled of;
  double value = 0;  // of that measure under the rule; NaN if it divides by nobody
};

// sum of factor * measure (<=, = or >=) bound. A ratio (precision, npv, share) stands alone and is
// meant as multiplied by what it divides by, relative to all people it is about: precision >= c as
// sum (n1 - c n) q / sum n >= 0, which is what its multiplier is the price of.
struct Constraint {
  std::string text;  // a requirement as the user wrote it, or a comparison in the same language
  bool required = false;       // by a requirement; else by the criterion
  std::size_t comparison = 0;  // of the criterion: those of the same number compare the same rates
  std::vector<Term> terms;
  Sense sense = Sense::at_most;
  double bound = 0;
  double value = 0;       // of the sum under the rule
  double multiplier = 0;  // >= 0 for at_most, <= 0 for at_least: what one unit of bound is worth
};

// Why there is no rule. The multipliers of the certificate prove it: over all nondecreasing rules
// the sum of multiplier * (value - bound) is above zero, so that some constraint must be violated.
struct Infeasibility {
  // There are rules, but none with so few coins; then there is no certificate. `searched` is false
  // if the search ended before it was certain.
  bool for_lack_of_coins = false;
  bool searched = true;
  std::vector<Constraint> certificate;
  std::vector<std::string> clash;  // the requirements among these, in the user's words
  // Least possible sum of violations of requirements, each in units of a rate: divided by its
  // largest factor (times the people, of `selected`; times the larger cost, of `cost`).
  double total_violation = 0;
  double common_slack = 0;  // smallest number that, added to every bound, would do
  // Sets of cells that share a rule, if it is blind; none: each cell has its own.
  std::vector<std::vector<CellCode>> alike;
};

struct Solution {
  Status status = Status::inaccurate;
  double primal = 0;  // objective of `rule`, recomputed from the tally
  double dual = 0;    // upper bound on any rule that meets the criterion, from the multipliers
  // No rule of the kind asked for has a larger objective: the dual; with Lottery::none or
  // max_lottery the bound of the search, which no arithmetic on multipliers repeats.
  double bound = 0;
  double gap = 0;        // (bound - primal) / magnitude
  double violation = 0;  // largest violation of the criterion by `rule`, in units of a rate
  double magnitude = 0;  // sum n |h|
  double base = 0;       // sum n h over the base decisions: what no criterion at all would give
  double lottery_share = 0;
  std::vector<CellOutcome> cells;  // one for each cell of the tally
  CellNames names;                 // of these; only if blind, else they are the rule's
  std::vector<StratumOutcome> strata;
  std::vector<Constraint> constraints;  // those that were needed: others hold by themselves
  std::optional<Infeasibility> infeasibility;
  std::vector<std::string> notes;   // what a user should know of the requirements: say it
  std::optional<double> certified;  // the confidence, of a fit by `certify`
  Rule rule;
  Criterion criterion;
  SolveOptions options;

  // The rule's file: its JSON, with this solution as the record of the fit. Throws
  // std::invalid_argument if there is no rule.
  std::string to_json() const;
};

// Criteria of one rate and exact equalized odds, of several optima: the smallest common rate, then
// for each cell the smallest rate that is best. Throws std::invalid_argument for options out of
// range, missing labels, requirements that name no cell, or when there is nothing to compare.
Solution solve(const Tally& tally, const Criterion& criterion, const SolveOptions& options = {});

// Checks a certificate by arithmetic on the tally, without trusting any solver. The options are
// those of the fit: costs, and without labels what the scores say, matter to some measures.
bool proves_infeasible(const Tally& tally, const Infeasibility& infeasibility,
                       const SolveOptions& options = {});

}  // namespace evenhand
