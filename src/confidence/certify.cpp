// Certified fits of one rate by windows; the repeated linear program for odds and for cells of
// unequal size is in certify_pairs.cpp.
#include <evenhand/certify.h>
#include <evenhand/plan.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "confidence/certify_pairs.h"
#include "confidence/check.h"
#include "confidence/compared.h"
#include "confidence/window.h"
#include "solve/cell_shapes.h"
#include "solve/one_rate.h"
#include "solve/pieces.h"
#include "solve/problem.h"
#include "solve/whose_benefits.h"
#include "support/infinity.h"

namespace evenhand {
namespace {

void check(const Tally& tally, const Criterion& criterion, const SolveOptions& options,
           const CertifyOptions& certificate) {
  check_confidence(certificate.confidence);
  const auto refuse = [](const std::string& why) {
    throw std::invalid_argument("cannot certify: " + why);
  };
  if (const std::string reason = out_of_reach(tally, criterion); !reason.empty()) refuse(reason);
  if (!criterion.require.empty()) {
    refuse("requirements move the rates of groups by more than the criterion's window");
  }
  if (options.gamma > 0) {
    refuse("gamma above 0 spreads the coin over many scores; certified rules are thresholds");
  }
  if (options.blind) refuse("a blind rule has one threshold for several cells");
  if (options.lottery == Lottery::none || options.max_lottery) {
    refuse("without coins, or with few, rates cannot be held inside its window");
  }
  if (criterion.relation == Relation::target) {
    refuse("a target rate is met by each cell alone; use rho best, or statistical-parity");
  }
  if (criterion.relation == Relation::difference && criterion.tolerance == 0) {
    refuse("tolerance 0; no number of people shows that a difference is exactly 0");
  }
  if (criterion.relation == Relation::ratio && criterion.ratio == 1) {
    refuse("ratio 1; no number of people shows that rates are exactly equal");
  }
}

Goal goal_of(const Criterion& criterion) {
  const bool is_ratio = criterion.relation == Relation::ratio;
  return {is_ratio, is_ratio ? criterion.ratio : criterion.tolerance};
}

// The pairs whose bounds are widest, of which there are few: no bound is above that of a pair whose
// cells both have fewer rows, or may err more.
std::vector<std::size_t> widest_pairs(const PairBounds& bounds, std::size_t first,
                                      std::size_t count) {
  struct Weights {
    double over, under;
    std::size_t pair;
    auto operator<=>(const Weights&) const = default;
  };
  std::vector<Weights> all;
  for (std::size_t n = first; n < first + count; ++n) {
    all.push_back({bounds.sizes(n).over / bounds.allowance(n).over,
                   bounds.sizes(n).under / bounds.allowance(n).under, n});
  }
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> out;
  double least = infinity;
  for (const Weights& one : all) {
    if (one.under >= least) continue;
    least = one.under;
    out.push_back(one.pair);
  }
  return out;
}

std::size_t pairs_in(const ComparedGroups& groups) {
  return groups.groups.size() * (groups.groups.size() - 1);
}

// The best objective of a cell at each rate: concave, and linear between its points.
class Curve {
 public:
  Curve(const Problem& problem, CellCode cell) {
    if (!problem.from_labels) {
      scores_ = &problem.shapes->vertices(cell);
      best_ = scores_->best(1, {}).reach.n / scores_->total().n;
      return;
    }
    const Pieces pieces = pieces_of_labels(problem.shapes->curve(cell).chain(true).blocks, cell,
                                           problem.criterion.rates.front(), problem.options.costs);
    at_.push_back(0);
    value_.push_back(0);
    double reach = 0;
    for (const Piece& piece : pieces.list) {
      if (piece.a == 0) continue;
      reach += piece.a;
      at_.push_back(reach / pieces.total);
      value_.push_back(value_.back() + piece.n * piece.h);
      if (piece.h > 0) best_ = at_.back();
    }
  }

  double in(const CertifiedWindow& window) const {
    const double rate = std::clamp(best_, window.low, window.high);
    if (scores_) return scores_->most_benefit(rate * scores_->total().n);
    const auto above = std::upper_bound(at_.begin(), at_.end(), rate);
    if (above == at_.end()) return value_.back();
    const auto i = static_cast<std::size_t>(above - at_.begin());
    const double t = (rate - at_[i - 1]) / (at_[i] - at_[i - 1]);
    return value_[i - 1] + t * (value_[i] - value_[i - 1]);
  }

 private:
  const CellVertices* scores_ = nullptr;  // where benefits come from them
  std::vector<double> at_, value_;        // where they come from labels
  double best_ = 0;
};

// Where a certified window holds all rates of the plain fit, nothing is lost: every rule of a
// window meets the criterion too, and none of these is better.
std::optional<CertifiedWindow> window_of_plain(CertifiedWindows& windows,
                                               const ComparedGroups& stratum,
                                               const Solution& plain) {
  double low = 1;
  double high = 0;
  for (const ComparedGroup& group : stratum.groups) {
    low = std::min(low, plain.cells[group.cell].rate);
    high = std::max(high, plain.cells[group.cell].rate);
  }
  return windows.around(low, high);
}

CertifiedWindow best_window(CertifiedWindows& windows, const Problem& problem,
                            const ComparedGroups& stratum) {
  if (!problem.from_labels) problem.shapes->make_vertices(problem.options.threads);
  std::vector<Curve> curves;
  for (const ComparedGroup& group : stratum.groups) curves.emplace_back(problem, group.cell);
  return windows.best([&](const CertifiedWindow& window) {
    double sum = 0;
    for (const Curve& curve : curves) sum += curve.in(window);
    return sum;
  });
}

struct Certifiable {
  std::vector<ComparedGroups> compared;
  std::unique_ptr<PairBounds> bounds = {};     // of these
  std::vector<CertifiedWindows> windows = {};  // of each
};

Certifiable windows_of(std::vector<ComparedGroups> compared, double delta, const Goal& goal) {
  Certifiable out{std::move(compared)};
  out.bounds = std::make_unique<PairBounds>(pairs_of(out.compared), delta, BoundKind::same_rate);
  std::size_t first = 0;
  for (const ComparedGroups& groups : out.compared) {
    out.windows.emplace_back(*out.bounds, widest_pairs(*out.bounds, first, pairs_in(groups)), goal);
    first += pairs_in(groups);
  }
  return out;
}

// Drops the strata that cannot be certified; their values go to `out`. What is left is certified
// more easily without them.
Certifiable without_small(Certifiable all, double delta, const Goal& goal,
                          std::vector<std::vector<std::string>>& out) {
  for (std::size_t i = 0; i < all.compared.size(); ++i) {
    if (!all.windows[i].any() && (out.empty() || out.back() != all.compared[i].values)) {
      out.push_back(all.compared[i].values);
    }
  }
  if (out.empty()) return all;
  std::erase_if(all.compared, [&](const ComparedGroups& groups) {
    return std::find(out.begin(), out.end(), groups.values) != out.end();
  });
  if (all.compared.empty()) return {};
  return windows_of(std::move(all.compared), delta, goal);
}

// What would be needed, at the rates of the plain fit.
void say_what_is_needed(const Tally& tally, const Goal& goal, double confidence,
                        CertifiedFit& out) {
  std::vector<PlannedStratum> strata = planned_strata(tally, out.plain);
  if (goal.is_ratio) {
    for (PlannedStratum& stratum : strata) stratum.rate = std::max(stratum.rate, 1e-6);
  }
  PlanOptions options{.confidence = confidence};
  (goal.is_ratio ? options.ratio : options.tolerance) = goal.value;
  const Plan found = plan(strata, options);
  out.smallest = found.at_hand;
  out.rows_needed = found.fitted;
}

std::size_t compared_strata(const Solution& fit) {
  return static_cast<std::size_t>(
      std::count_if(fit.strata.begin(), fit.strata.end(),
                    [](const StratumOutcome& stratum) { return stratum.compared.size() > 1; }));
}

Solution solve_in_windows(Problem problem, Certifiable& certifiable, const Solution& plain,
                          std::vector<CertifiedWindow>& chosen) {
  bool same = certifiable.compared.size() == compared_strata(plain);
  for (std::size_t i = 0; i < certifiable.compared.size(); ++i) {
    const ComparedGroups& stratum = certifiable.compared[i];
    const auto kept = window_of_plain(certifiable.windows[i], stratum, plain);
    same = same && kept;
    chosen.push_back(kept ? *kept : best_window(certifiable.windows[i], problem, stratum));
  }
  if (same) return plain;
  for (const StratumOutcome& outcome : plain.strata) {
    problem.windows.push_back({outcome.lowest, outcome.highest});
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (certifiable.compared[i].values == outcome.values) {
        problem.windows.back() = {chosen[i].low, chosen[i].high};
      }
    }
  }
  Solution solution = solve_one_rate(problem);
  say_whose_benefits(problem, solution);
  return solution;
}

}  // namespace

CertifiedFit certify(const Tally& tally, const Criterion& criterion, const SolveOptions& options,
                     const CertifyOptions& certificate) {
  check(tally, criterion, options, certificate);
  const Goal goal = goal_of(criterion);
  const double delta = 1 - certificate.confidence;
  CertifiedFit out;
  const Problem problem = make_problem(tally, criterion, options);
  const bool one_rate = criterion.rates.size() == 1;
  problem.shapes->place_rows();  // what follows asks for many bins
  out.plain = solve(problem);
  const std::vector<ComparedGroups> everybody = compared_cells(tally, out.plain);
  if (count_pairs(everybody) > most_pairs) {
    throw std::invalid_argument("cannot certify: there are more than 100000 pairs of groups");
  }
  Certifiable certifiable =
      without_small(windows_of(everybody, delta, goal), delta, goal, out.uncertified);
  out.too_few = certifiable.compared.empty() || (!out.uncertified.empty() && !certificate.partial);
  out.bound.confidence = certificate.confidence;
  out.bound.is_ratio = goal.is_ratio;
  out.bound.kind = BoundKind::same_rate;
  const auto give_up = [&] {
    out.too_few = true;
    out.solution = out.plain;
    out.bound = confidence_bound(tally, out.plain, {certificate.confidence, {}});
    say_what_is_needed(tally, goal, certificate.confidence, out);
    return out;
  };
  if (out.too_few) return give_up();
  const auto certified = [&] {
    out.solution.certified = certificate.confidence;
    return out;
  };
  const PairBounds& bounds = *certifiable.bounds;
  std::vector<CertifiedWindow> chosen;
  if (one_rate) {
    out.solution = solve_in_windows(problem, certifiable, out.plain, chosen);
  }
  // Cells of about the same size gain nothing from limits of their own, nor does a rule that is
  // nearly as good as the plain one.
  constexpr double worth_looking = 1e-3;
  std::optional<CertifiedByPairs> by_pairs;
  if (!one_rate || (worth_pairs(certifiable.compared) &&
                    out.plain.primal - out.solution.primal > worth_looking * out.plain.magnitude)) {
    ManyPrograms programs(problem);
    by_pairs = certify_by_pairs(
        {tally, problem, programs, out.plain, certifiable.compared, everybody, bounds, goal},
        one_rate ? &out.solution : nullptr);
  }
  if (by_pairs && (!one_rate || by_pairs->solution.primal > out.solution.primal)) {
    out.solution = std::move(by_pairs->solution);
    bounded(
        by_pairs->compared,
        [&](std::size_t n, const ComparedGroup& over, const ComparedGroup& under) {
          return goal.is_ratio ? bounds.ratio(n, under.rate, over.rate)
                               : bounds.difference(n, over.rate, under.rate);
        },
        out.bound);
    return certified();
  }
  if (!one_rate) return give_up();
  std::vector<ComparedGroups> compared = certifiable.compared;
  std::size_t n_of_stratum = 0;
  std::vector<std::size_t> stratum_of;
  for (ComparedGroups& groups : compared) {
    stratum_of.insert(stratum_of.end(), pairs_in(groups), n_of_stratum++);
    for (ComparedGroup& group : groups.groups) group.rate = out.solution.cells[group.cell].rate;
  }
  // The rule of every group lies between those at the window's ends, so that theirs is the bound.
  bounded(
      compared,
      [&](std::size_t n, const ComparedGroup&, const ComparedGroup&) {
        const CertifiedWindow& window = chosen[stratum_of[n]];
        return goal.is_ratio ? bounds.ratio(n, window.low, window.high)
                             : bounds.difference(n, window.high, window.low);
      },
      out.bound);
  return certified();
}

}  // namespace evenhand
