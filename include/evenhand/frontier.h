// The frontier: what a stricter criterion costs.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/solve.h>

#include <optional>
#include <span>
#include <vector>

namespace evenhand {

struct FrontierPoint {
  double parameter;  // the tolerance; for four-fifths the ratio
  double objective;  // the best one there, exact
  // What one more unit of tolerance (one less of the ratio) is worth there. At a breakpoint the
  // objective has several slopes, and this is one of them.
  double slope;
  double gap;  // its proof, as in Solution
  double violation;
  double lottery_share;
  Figures figures;  // of everybody under the best rule: accuracy and more
  // Where labels tell these, but the rule maximises what the scores promise: that.
  std::optional<Figures> promised = {};
};

struct Frontier {
  Status status = Status::optimal;    // of the worst point
  std::vector<FrontierPoint> points;  // none if infeasible
  // Where the requirements cannot be met: why, at the first such parameter.
  std::optional<Infeasibility> infeasibility;
};

// At the given parameters, in their order. Throws std::invalid_argument for requirements alone.
Frontier frontier(const Tally& tally, const Criterion& criterion,
                  std::span<const double> parameters, const SolveOptions& options = {});

// All parameters between `from` and `to` where the slope changes, with both ends, ascending:
// between neighbours the objective is linear. For criteria of one rate with a tolerance, gamma = 0.
// Throws std::invalid_argument for others. Stops at `most` points, keeping the coarsest; `all` says
// whether there are no others.
std::vector<FrontierPoint> frontier_breakpoints(const Tally& tally, const Criterion& criterion,
                                                double from = 0, double to = 1,
                                                const SolveOptions& options = {},
                                                std::size_t most = 10000, bool* all = nullptr);

}  // namespace evenhand
