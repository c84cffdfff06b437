// Criteria of one rate, each cell compared by itself: one search for each stratum.
#include "solve/one_rate.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "rule/plain_responses.h"
#include "solve/cell_shapes.h"
#include "solve/comparison.h"
#include "solve/evaluate.h"
#include "solve/few_coins.h"
#include "solve/label_hull.h"
#include "solve/pieces.h"
#include "solve/polyline.h"
#include "solve/proof.h"
#include "solve/realise.h"
#include "solve/search.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

class OneRate {
 public:
  OneRate(const Problem& problem, const Comparisons& comparisons)
      : problem_(problem),
        comparisons_(comparisons),
        data_(problem.tally.data()),
        gamma_(problem.options.gamma),
        rate_(problem.criterion.rates.front()),
        hulls_(data_.names.size()),
        pieces_(data_.names.size()),
        lines_(data_.names.size()),
        rates_(data_.names.size()),
        multipliers_(data_.names.size()) {}

  Solution run() {
    Solution solution;
    solution.criterion = problem_.criterion;
    solution.options = problem_.options;
    if (gamma_ > 0) {
      problem_.from_labels ? problem_.shapes->make_curves(problem_.options.threads)
                           : (void)data_.sorted();  // with all threads, before they split
    }
    const bool bins = !problem_.from_labels && gamma_ == 0 && data_.binned;
    parallel(pieces_.size(), bins ? 1 : problem_.options.threads,
             [&](std::size_t c) { make_pieces(static_cast<CellCode>(c)); });
    for (const Stratum& stratum : comparisons_.strata) {
      solution.strata.push_back({stratum.values, stratum.compared, 0, 1});
      StratumOutcome& outcome = solution.strata.back();
      if (stratum.compared.empty()) continue;
      if (!problem_.windows.empty()) {
        const auto k = static_cast<std::size_t>(&stratum - comparisons_.strata.data());
        stay_within(problem_.windows[k], stratum, outcome);
      } else if (problem_.criterion.relation == Relation::target) {
        stay_within({std::max(0.0, problem_.rho - problem_.criterion.tolerance),
                     std::min(1.0, problem_.rho + problem_.criterion.tolerance)},
                    stratum, outcome);
      } else {
        meet_each_other(stratum, outcome);
      }
    }
    std::vector<CellCode> alone;
    for (CellCode c = 0; c < pieces_.size(); ++c) {
      if (!compared(c) && !pieces_[c].list.empty()) alone.push_back(c);
    }
    settle(alone, [this](CellCode c) { return best_rate(lines_[c]); });
    realise_with_few_coins(
        problem_, solution, [this](CellCode c, double snap) { return fewest(c, snap); },
        [this](CellCode c) { return response(c); },
        [&] { conclude_with_proof(problem_, comparisons_, multipliers_, solution); });
    return solution;
  }

 private:
  bool compared(CellCode c) const { return comparisons_.reasons[c].empty(); }
  Rate rate_kind(CellCode c) const { return compared(c) ? rate_ : Rate::selection; }

  void make_pieces(CellCode c) {
    const Costs& costs = problem_.options.costs;
    const CellShapes& shapes = *problem_.shapes;
    if (by_hulls()) {
      hulls_[c] = shapes.hull(c).known();
      pieces_[c] = pieces_of_labels(hulls_[c]->chain.blocks, c, rate_kind(c), costs);
    } else if (problem_.from_labels) {
      pieces_[c] = pieces_of_labels(shapes.curve(c).chain(true).blocks, c, rate_kind(c), costs);
    } else {
      pieces_[c] = gamma_ == 0 ? shapes.lumps(c)
                               : pieces_of_scores(data_, c, problem_.outlook, costs, false);
    }
    make_line(c);
  }

  // A piece is an edge of the hull as far as it is known.
  bool by_hulls() const { return problem_.from_labels && gamma_ == 0; }

  void make_line(CellCode c) {
    if (pieces_[c].total > 0) {
      lines_[c] = line_of(pieces_[c], gamma_, rate_kind(c), problem_.options.costs);
    }
  }

  // Opens what bears on the cell's threshold; true if that may have moved it.
  bool refine(CellCode c, unsigned threads) {
    if (by_hulls()) {
      const auto [begin, end] = pieces_around(pieces_[c], rates_[c]);
      const LabelHull& hull = problem_.shapes->hull(c);
      if (begin == end || !hull.open_around(*hulls_[c], begin, end - 1, threads)) return false;
      make_pieces(c);
      return true;
    }
    if (!problem_.shapes->open_around(pieces_[c], rates_[c])) return false;
    make_line(c);
    return true;
  }

  // So that refining these cells finds its rows.
  void prepare_to_refine(const std::vector<CellCode>& cells) const {
    if (problem_.from_labels) return;
    std::vector<CellShapes::Around> around;
    for (const CellCode c : cells) around.emplace_back(&pieces_[c], rates_[c]);
    problem_.shapes->find_around(around, problem_.options.threads);
  }

  // Each cell by itself at the rate that it has after it was refined there.
  void settle(const std::vector<CellCode>& cells, const std::function<double(CellCode)>& rate_of) {
    for (bool moved = true; moved;) {
      for (const CellCode c : cells) rates_[c] = rate_of(c);
      prepare_to_refine(cells);
      moved = false;
      for (const CellCode c : cells) moved = refine(c, problem_.options.threads) || moved;
    }
  }

  // Lumped bins have about the right slopes, so the search soon comes near; once the pieces around
  // every threshold are single scores, the slopes there are exact, and so is the answer.
  void meet_each_other(const Stratum& stratum, StratumOutcome& outcome) {
    const Criterion& criterion = problem_.criterion;
    Common common;
    std::vector<Polyline> lines(stratum.compared.size());
    std::vector<char> fresh(lines.size(), 1);
    constexpr double large_bins = 1e7;
    const bool little = !by_hulls() && data_.weight() < large_bins;
    const unsigned threads = little ? 1 : problem_.options.threads;
    for (bool moved = true; moved;) {
      parallel(lines.size(), threads, [&](std::size_t i) {
        if (fresh[i] == 0) return;
        lines[i] = relate(lines_[stratum.compared[i]], criterion.relation, criterion.tolerance,
                          criterion.ratio);
      });
      common = find_common(lines);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        rates_[stratum.compared[i]] = rate_at(lines[i], common.at);
      }
      prepare_to_refine(stratum.compared);
      parallel(lines.size(), threads,
               [&](std::size_t i) { fresh[i] = refine(stratum.compared[i], threads) ? 1 : 0; });
      moved = std::any_of(fresh.begin(), fresh.end(), [](char one) { return one != 0; });
    }
    const bool by_ratio = criterion.relation == Relation::ratio;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double slope = common.slopes[i];
      multipliers_[stratum.compared[i]] = by_ratio && slope < 0 ? slope / criterion.ratio : slope;
    }
    outcome.lowest = by_ratio ? criterion.ratio * common.at : common.at;
    outcome.highest = by_ratio ? common.at : std::min(1.0, common.at + criterion.tolerance);
  }

  void stay_within(const Window& window, const Stratum& stratum, StratumOutcome& outcome) {
    outcome.lowest = window.low;
    outcome.highest = window.high;
    settle(stratum.compared, [&](CellCode c) {
      return std::clamp(best_rate(lines_[c]), outcome.lowest, outcome.highest);
    });
    for (const CellCode c : stratum.compared) {
      const double best = best_rate(lines_[c]);
      multipliers_[c] = best < outcome.lowest    ? slope_left_of(lines_[c], rates_[c])
                        : best > outcome.highest ? slope_right_of(lines_[c], rates_[c])
                                                 : 0;
    }
  }

  // A coin for a block of pooled labels need not concern all of it: other thresholds may lie on the
  // same edge of the hull.
  std::optional<Response> fewest(CellCode c, double snap) const {
    const Pieces& pieces = pieces_[c];
    const std::optional<Split> split = split_at(pieces, rates_[c]);
    if (!split) return std::nullopt;
    if (!problem_.from_labels) {
      // Two cells may be off in opposite directions, and the proof allows 1e-9 in all.
      return steps_at(pieces, snapped_rate(pieces, rates_[c], 0.4 * snap), data_.level);
    }
    return fewest_response(problem_, c, hulls_[c]->chain, split->piece, split->fraction, snap);
  }

  Response response(CellCode c) const {
    const Pieces& pieces = pieces_[c];
    const Costs& costs = problem_.options.costs;
    if (gamma_ == 0) return steps_at(pieces, rates_[c], data_.level);
    const Ramp ramp = ramp_at(pieces, lines_[c], rates_[c], gamma_);
    if (problem_.from_labels || !problem_.outlook.linear()) {
      return response_of(pieces, ramp);
    }
    if (rates_[c] <= 0 || rates_[c] >= 1) return always(rates_[c] <= 0 ? 0 : 1);
    const double theta = ramp.price / pieces.total;
    return linear_response(theta, gamma_, data_.reading, costs).value_or(response_of(pieces, ramp));
  }

  const Problem& problem_;
  const Comparisons& comparisons_;
  const Tally::Data& data_;
  double gamma_;
  Rate rate_;
  std::vector<std::shared_ptr<const LabelHull::Known>> hulls_;
  std::vector<Pieces> pieces_;
  std::vector<Polyline> lines_;
  std::vector<double> rates_;
  std::vector<double> multipliers_;
};

}  // namespace

Solution solve_one_rate(const Problem& problem) {
  const Comparisons comparisons = compare(problem.tally, problem.criterion);
  return OneRate(problem, comparisons).run();
}

}  // namespace evenhand
