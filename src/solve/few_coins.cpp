#include "solve/few_coins.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "lottery/fewest.h"
#include "solve/cell_shapes.h"
#include "solve/evaluate.h"
#include "solve/proof.h"
#include "solve/thresholds.h"

namespace evenhand {
namespace {

// The thresholds of a cell near some weight. With integer weights the hull knows where each of its
// edges begins, so that only the scores nearby need adding up.
class Nearby {
 public:
  Nearby(const Problem& problem, CellCode cell)
      : shapes_(*problem.shapes),
        data_(problem.tally.data()),
        cell_(cell),
        by_hull_(problem.from_labels && data_.integer_weights) {}

  const Points& operator()(double n, double mass) {
    if (!by_hull_) return shapes_.points(cell_);
    if (points_.size() == 0 || n - mass < low_ || n + mass > high_) make(n, mass);
    return points_;
  }

  // About as wide as the narrowest chord of the hull around a point that it lies above.
  double likely_mass(const At& at) const {
    if (!by_hull_) return 0;
    const Chain& hull = shapes_.curve(cell_).chain(true);
    const double whole = hull.s0.back();
    const double rounding = 1e-11 * hull.s1.back();
    double mass = 0;
    for (double reach = whole / 2048; reach < whole; reach *= 1.25) {
      const double a = std::max(0.0, at.n - reach);
      const double b = std::min(whole, at.n + reach);
      const double share = (at.n - a) / (b - a);
      mass = b - a;
      if ((1 - share) * height(hull, a) + share * height(hull, b) <= at.y + rounding) break;
    }
    return mass;
  }

 private:
  // The edge that holds this weight.
  static std::size_t edge_at(const Chain& hull, double n) {
    const auto after = std::upper_bound(hull.s0.begin(), hull.s0.end() - 1, n);
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after - hull.s0.begin())) - 1;
  }
  static double height(const Chain& hull, double n) {
    const std::size_t edge = edge_at(hull, n);
    return hull.s1[edge] + (n - hull.s0[edge]) * hull.x[edge];
  }

  void make(double n, double mass) {
    const Chain& hull = shapes_.curve(cell_).chain(true);
    const At whole{hull.s0.back(), hull.s1.back()};
    const double reach = std::max(mass, whole.n / 512);
    low_ = n - reach;
    high_ = n + reach;
    const std::size_t edge = edge_at(hull, low_);
    const At from{hull.s0[edge], hull.s1[edge]};
    points_ = points_between(data_, cell_, better_than(hull, edge), from, high_, whole);
  }

  // How many scores lie above an edge.
  std::size_t better_than(const Chain& hull, std::size_t edge) const {
    const Sorted& sorted = data_.sorted();
    const auto begin = sorted.score.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(sorted.start[cell_ + 1]);
    const auto above = std::upper_bound(begin + static_cast<std::ptrdiff_t>(sorted.start[cell_]),
                                        end, hull.blocks[edge].high);
    return static_cast<std::size_t>(end - above);
  }

  const CellShapes& shapes_;
  const Tally::Data& data_;
  CellCode cell_;
  bool by_hull_;
  Points points_;
  double low_ = 0, high_ = 0;
};

std::size_t threshold_near(const Points& points, double n) {
  const auto above = std::lower_bound(points.n.begin(), points.n.end(), n);
  if (above == points.n.end()) return points.last();
  const auto k = static_cast<std::size_t>(above - points.n.begin());
  return k > 0 && n - points.n[k - 1] < points.n[k] - n ? k - 1 : k;
}

}  // namespace

std::optional<Response> fewest_response(const Problem& problem, CellCode cell, const At& at,
                                        double snap) {
  Nearby nearby(problem, cell);
  const std::optional<Mixture> mixture =
      fewest_coins(std::ref(nearby), at, snap, nearby.likely_mass(at));
  if (!mixture) return std::nullopt;
  return response_of(nearby(at.n, 0), *mixture, problem.tally.data().level);
}

std::optional<Response> fewest_response(const Problem& problem, CellCode cell, std::size_t block,
                                        double fraction, double snap) {
  const Chain& hull = problem.shapes->curve(cell).chain(true);
  At at{(1 - fraction) * hull.s0[block] + fraction * hull.s0[block + 1],
        (1 - fraction) * hull.s1[block] + fraction * hull.s1[block + 1]};
  if (!problem.tally.data().integer_weights) {  // the hull's sums are rounded, in another order
    const Points& points = problem.shapes->points(cell);
    at = reached(points, {{threshold_near(points, hull.s0[block]), 1 - fraction},
                          {threshold_near(points, hull.s0[block + 1]), fraction}});
  }
  return fewest_response(problem, cell, at, snap);
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
