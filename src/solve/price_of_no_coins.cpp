#include <evenhand/lottery.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <tuple>

#include "solve/blind.h"
#include "solve/problem.h"
#include "solve/thresholds.h"

namespace evenhand {
namespace {

// How loose the criterion must be for a rule without coins to do this well. Bisection; whatever
// rule is found replaces the upper end by what it takes itself, so that the end is exact.
std::optional<double> smallest(const Thresholds& thresholds, double from,
                               const std::function<bool(double)>& enough) {
  const auto found_at = [&](double apart) -> std::optional<double> {
    const Chosen chosen = thresholds.choose_within(apart);
    if (chosen.mixtures.empty() || !enough(chosen.value)) return std::nullopt;
    return std::min(apart, chosen.apart);
  };
  if (const auto found = found_at(from)) return from;
  constexpr double loosest = 1 - 1e-9;  // a ratio of 0 would allow everything
  std::optional<double> best = found_at(loosest);
  if (!best) return std::nullopt;
  double low = from;
  constexpr double close = 1e-10;
  while (*best - low > close) {
    const double middle = low + (*best - low) / 2;
    if (const auto found = found_at(middle)) {
      best = found;
    } else {
      low = middle;
    }
  }
  return best;
}

}  // namespace

std::optional<PriceOfNoCoins> price_of_no_coins(const Tally& tally, const Solution& solution) {
  if (solution.options.gamma > 0 || solution.status == Status::infeasible) return std::nullopt;
  const Criterion& criterion = solution.criterion;
  const Problem problem = make_problem(tally, criterion, solution.options);
  if (solution.options.blind) return blind_price_of_no_coins(problem, solution);
  const Thresholds thresholds(problem);
  if (!thresholds.exact()) return std::nullopt;
  const Chosen chosen = thresholds.choose(solution.magnitude, std::nullopt);
  if (chosen.mixtures.empty()) return std::nullopt;
  PriceOfNoCoins out;
  out.objective = chosen.value;
  const std::optional<int> level = tally.data().level;
  out.rule = make_rule(problem, [&](CellCode c) {
    return response_of(thresholds.score(c), chosen.mixtures[c], level);
  });
  out.constant = thresholds.best_constant();
  // Each of some seventy searches looks at every point once for each group.
  constexpr std::size_t most_points = 200'000;
  constexpr std::size_t most_work = 4'000'000;
  const std::size_t points = thresholds.points();
  if (points > most_points || points * thresholds.most_together() > most_work) return out;
  const bool by_ratio = criterion.relation == Relation::ratio;
  const double strict = by_ratio ? 1 - criterion.ratio : criterion.tolerance;
  const double rounding = 1e-12 * std::max(1.0, solution.magnitude);
  const auto in_its_terms = [&](std::optional<double> apart) {
    if (apart && by_ratio) apart = 1 - *apart;
    return apart;
  };
  out.useful = in_its_terms(
      smallest(thresholds, strict, [&](double value) { return value > out.constant + rounding; }));
  out.as_good = in_its_terms(smallest(
      thresholds, strict, [&](double value) { return value >= solution.dual - rounding; }));
  return out;
}

std::vector<CoinRange> coin_ranges(const Tally& tally, const Rule& rule) {
  std::vector<CoinRange> out;
  const Sorted& sorted = tally.data().sorted();
  const std::vector<CellCode> in_rule = translate(tally.cells(), rule.cells());
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    const auto q = [&](double x) { return rule.probability(in_rule[c], tally.reading().turn(x)); };
    const auto scores =
        std::span(sorted.score).subspan(sorted.start[c], sorted.start[c + 1] - sorted.start[c]);
    // Chances rise with the score.
    const auto first =
        std::partition_point(scores.begin(), scores.end(), [&](double x) { return !(q(x) > 0); });
    const auto last = std::partition_point(first, scores.end(), [&](double x) { return q(x) < 1; });
    if (first == last) continue;
    CoinRange range;
    range.cell = c;
    std::tie(range.lowest, range.highest) =
        std::minmax({tally.reading().turn(*first), tally.reading().turn(*(last - 1))});
    const std::size_t begin = sorted.start[c] + static_cast<std::size_t>(first - scores.begin());
    const std::size_t end = begin + static_cast<std::size_t>(last - first);
    for (std::size_t i = begin; i < end; ++i) range.people += sorted.n(i);
    out.push_back(range);
  }
  return out;
}

}  // namespace evenhand
