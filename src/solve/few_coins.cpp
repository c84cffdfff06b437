#include "solve/few_coins.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lottery/fewest.h"
#include "solve/evaluate.h"
#include "solve/proof.h"
#include "solve/thresholds.h"

namespace evenhand {
namespace {

Points points_in(const Problem& problem, CellCode cell) {
  return points_of(problem.tally.data(), cell, problem.from_labels, problem.outlook,
                   problem.options.costs);
}

std::optional<Response> response_at(const Problem& problem, const Points& points, const At& at,
                                    double snap) {
  const std::optional<Mixture> mixture = fewest_coins(points, at, snap);
  if (!mixture) return std::nullopt;
  return response_of(points, *mixture, problem.tally.data().level);
}

std::size_t threshold_near(const Points& points, double n) {
  const auto above = std::lower_bound(points.n.begin(), points.n.end(), n);
  if (above == points.n.end()) return points.last();
  const auto k = static_cast<std::size_t>(above - points.n.begin());
  return k > 0 && n - points.n[k - 1] < points.n[k] - n ? k - 1 : k;
}

}  // namespace

std::optional<Response> fewest_response(const Problem& problem, CellCode cell, const At& at,
                                        double snap) {
  return response_at(problem, points_in(problem, cell), at, snap);
}

std::optional<Response> fewest_response(const Problem& problem, CellCode cell, double from,
                                        double to, double fraction, double snap) {
  const Points points = points_in(problem, cell);
  const Mixture mixture = {{threshold_near(points, from), 1 - fraction},
                           {threshold_near(points, to), fraction}};
  return response_at(problem, points, reached(points, mixture), snap);
}

void realise_with_few_coins(
    const Problem& problem, Solution& solution,
    const std::function<std::optional<Response>(CellCode, double snap)>& fewest,
    const std::function<Response(CellCode)>& usual, const std::function<void()>& prove) {
  const SolveOptions& options = problem.options;
  if (options.gamma == 0 && options.lottery != Lottery::least_chance) {
    constexpr double rounding = 1e-9;
    for (const double snap : {rounding, 0.0}) {
      solution.rule = make_rule(problem, [&](CellCode c) {
        const std::optional<Response> response = fewest(c, snap);
        return response ? *response : usual(c);
      });
      prove();
      if (solution.status == Status::optimal) return;
    }
  }
  solution.rule = make_rule(problem, usual);
  prove();
}

Solution with_few_coins(const Problem& problem, Solution solution) {
  const SolveOptions& options = problem.options;
  const bool none = options.lottery == Lottery::none;
  if (solution.status == Status::infeasible || (!none && !options.max_lottery)) return solution;
  // Between neighbouring scores the curve of benefits from scores is straight, and it is concave:
  // no more than one score has a coin.
  if (!none && !problem.from_labels && problem.criterion.require.empty()) return solution;
  const Thresholds thresholds(problem);
  const Chosen chosen = thresholds.choose(solution.magnitude, options.max_lottery);
  if (chosen.mixtures.empty()) {
    solution.status = Status::infeasible;
    solution.rule = {};
    solution.infeasibility.emplace();
    solution.infeasibility->for_lack_of_coins = true;
    solution.infeasibility->searched = !std::isfinite(chosen.bound);
    solution.infeasibility->clash = problem.criterion.require;
    return solution;
  }
  const std::optional<int> level = problem.tally.data().level;
  solution.rule = make_rule(problem, [&](CellCode c) {
    return response_of(thresholds.of(c), chosen.mixtures[c], level);
  });
  prove_again(problem, solution);
  conclude_search(solution, chosen.value, chosen.bound);
  return solution;
}

}  // namespace evenhand
