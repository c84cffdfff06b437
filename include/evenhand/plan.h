// plan: how many people it takes to bound a difference or a ratio of rates.
#pragma once

#include <evenhand/confidence.h>
#include <evenhand/solve.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace evenhand {

// Groups that are compared with each other. Under a criterion of two rates each of them has a
// stratum of its own, where only the rows with its outcome count.
struct PlannedStratum {
  double rate = 0;           // that the groups have in common, in [0, 1]
  std::vector<double> rows;  // of each group, above 0: as many as there are, or proportions
};

struct PlanOptions {
  // What is to be shown: that the largest difference is at most `tolerance`, above 0 and at most
  // 1, or that the smallest ratio is at least `ratio`, in (0, 1). One of the two.
  std::optional<double> tolerance = {};
  std::optional<double> ratio = {};
  double confidence = 0.95;
  BoundKind kind = BoundKind::same_rate;
  // Fresh rows show it with this probability, if the true difference (or ratio) is `actual`; none:
  // 0 (or 1).
  double power = 0.8;
  std::optional<double> actual = {};
};

// Every group of every stratum needs so many times its rows. Throws std::invalid_argument for
// options out of range, or when there is nothing to compare.
struct Plan {
  double fitted = 0;  // to bound a rule on the rows that it is fitted on
  double fresh = 0;   // on rows that it was not fitted on
  // What the rows at hand (those of the strata) would do for a fitted rule: the bound.
  double at_hand = 0;
};
Plan plan(std::span<const PlannedStratum> strata, const PlanOptions& options);

// The sizes of a tally's cells and the rates of a fit on it, stratum by stratum.
std::vector<PlannedStratum> planned_strata(const Tally& tally, const Solution& fit);
// The same by an exact fit of the criterion: where rates are equal, all of the tolerance is left
// for chance. Throws std::invalid_argument for weighted rows.
std::vector<PlannedStratum> planned_strata(const Tally& tally, Criterion criterion,
                                           const SolveOptions& options);
// So many strata of so many groups, all of one size. Throws std::invalid_argument for fewer than
// two groups, no stratum, and more than 100,000 ordered pairs.
std::vector<PlannedStratum> planned_strata(double rate, std::size_t groups, std::size_t strata);

// The ordered pairs of all strata, in the order of their groups.
std::vector<PairSizes> pairs_of(std::span<const PlannedStratum> strata);

}  // namespace evenhand
