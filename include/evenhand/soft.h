// Criteria for soft attributes: columns say with what probability somebody belongs to each group,
// P(S = s | x), instead of who does. Of all rules that see scores and columns, the one with the
// largest objective whose rates are the same for those who belong and those who do not, up to the
// tolerance, in expectation, for every column and inside each stratum:
//
//   sum n g q / sum n g   =   sum n (1 - g) q / sum n (1 - g)           selection rates
//
// True-positive rates have p n in place of n, false-positive ones (1 - p) n: p is the probability
// of the favourable outcome, by the score. No labels are used. All this assumes that among people
// with the same score and columns each column is the share who belong; of true- and false-positive
// rates also that group and outcome are independent among them, unless there are columns for either
// outcome (SoftRows::favorable, unfavorable). Columns of 0 and 1 make it the parity of known
// groups. There is no confidence bound for it.
#pragma once

#include <evenhand/criterion.h>
#include <evenhand/scale.h>
#include <evenhand/soft_rule.h>
#include <evenhand/solve.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evenhand {

struct SoftOptions {
  std::span<const double> weight = {};  // finite and >= 0, not all 0; none: 1 each
  Scale scale = Scale::probability;
  Favorable favorable = Favorable::high;
  Costs costs = {};
  double gamma = 0;  // width of randomization, >= 0
  // The columns, at least two, are all the groups there are: they must add up to 1 in every row,
  // within 1e-6. The last then says nothing new, and the rule does without it (where rates are
  // equal; with a tolerance or a ratio it needs all).
  bool exhaustive = false;
  unsigned threads = 0;  // 0: as many as there are cores. The result does not depend on it.
  // statistical-parity, equal-opportunity, false-positive-parity, equalized-odds or four-fifths, by
  // any of their names (criterion.h); each column is compared with the rest of the people.
  std::string criterion = "statistical-parity";
  double tolerance = 0;  // of differences, in [0, 1]; above 0 with gamma = 0 only
  double ratio = 0.8;    // of four-fifths, in (0, 1]; gamma = 0 only
};

struct SoftRate {
  std::string column;
  double mean = 0;        // expected share of the rows that belong
  bool compared = false;  // false: nobody belongs, everybody does, or all to the same degree
  double rate = 0;        // expected rate of those who belong
  double others = 0;      // and of those who do not
  double multiplier = 0;  // what one unit of (column - mean) costs a positive decision
  Rate of = Rate::selection;
};

struct SoftStratumOutcome {
  std::vector<std::string> values;  // of the `within` attributes
  double weight = 0;
  std::size_t distinct = 0;       // rows that differ in score or columns
  std::vector<SoftRate> columns;  // for each rate that is compared
  double lottery_share = 0;       // share of the weight with 0 < q < 1
};

struct SoftSolution {
  Status status = Status::inaccurate;  // `optimal` if gap and violation are below 1e-9
  double primal = 0;                   // these are as in Solution: sum n (h q - gamma/2 q^2)
  double dual = 0;                     // from the multipliers alone: sum n xi(z)
  double gap = 0;
  double violation = 0;  // by which |rate - others|, or the ratio, misses what was asked for
  double magnitude = 0;
  double base = 0;  // sum n h over the decisions by benefit alone
  double lottery_share = 0;
  std::vector<SoftStratumOutcome> strata;
  SoftRule rule;
  std::string criterion;  // its name
  double tolerance = 0;
  std::optional<double> ratio = {};  // of four-fifths

  // The rule's file, with this solution as the record of the fit.
  std::string to_json() const;
};

// Throws std::invalid_argument for columns and options out of range (naming the row), columns of
// different lengths, no rows, or when there is nothing to compare. The order of rows does not show
// in the result.
SoftSolution solve_soft(const SoftRows& rows, const SoftOptions& options = {});

}  // namespace evenhand
