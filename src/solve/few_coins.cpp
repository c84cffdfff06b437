#include "solve/few_coins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "lottery/fewest.h"
#include "lottery/runs.h"
#include "solve/cell_shapes.h"
#include "solve/evaluate.h"
#include "solve/label_hull.h"
#include "solve/proof.h"
#include "solve/thresholds.h"
#include "support/boundary.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

// The points of a cell, as far as its hull knows them: runs are those of the hull, and of those
// asked for the entries, a few at a time.
class RunsOfHull : public PointRuns {
 public:
  RunsOfHull(const LabelHull& hull, std::optional<int> level, unsigned threads)
      : hull_(hull), level_(level), threads_(threads), ends_(hull.ends()) {
    for (std::size_t run = 0; run + 1 < ends_.size(); ++run) runs_.push_back({ends_[run], run});
  }

  const std::vector<At>& ends() const override { return ends_; }
  bool is_open(std::size_t run) const override { return runs_[run].open; }

  bool open(std::span<const std::size_t> runs) override {  // ascending
    std::vector<std::size_t> whole;
    for (const std::size_t run : runs) {
      if (!runs_[run].found) whole.push_back(runs_[run].of_hull);
    }
    hull_.find_entries(whole, threads_);
    std::vector<std::vector<Run>> parts(runs.size());
    const bool worthwhile = whole.size() > 1;
    parallel(runs.size(), worthwhile ? threads_ : 1,
             [&](std::size_t i) { parts[i] = parts_of(runs_[runs[i]]); });
    if (std::ranges::all_of(parts, [](const auto& of_run) { return of_run.size() == 1; })) {
      for (std::size_t i = 0; i < runs.size(); ++i) runs_[runs[i]] = parts[i].front();
      return true;
    }
    const std::vector<Run> before = std::exchange(runs_, {});
    for (std::size_t run = 0, next = 0; run < before.size(); ++run) {
      if (next == runs.size() || runs[next] != run) {
        runs_.push_back(before[run]);
      } else {
        runs_.insert(runs_.end(), parts[next].begin(), parts[next].end());
        ++next;
      }
    }
    const At last = ends_.back();
    ends_.clear();
    for (const Run& run : runs_) ends_.push_back(run.from);
    ends_.push_back(last);
    return false;
  }

  std::size_t points(std::size_t run) const override { return runs_[run].entries.size(); }
  void put(std::size_t run, double* n, double* y) const override {
    At at = ends_[run];
    const std::span<const Entry> entries = runs_[run].entries;
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
      *n++ = at.n += entry->n;
      *y++ = at.y += entry->n1;
    }
  }

  double boundary(double n) override {
    const std::vector<At>& ends = hull_.ends();
    const auto after = std::upper_bound(ends.begin(), ends.end(), n,
                                        [](double value, const At& end) { return value < end.n; });
    const auto below = static_cast<std::size_t>(after - ends.begin()) - 1;
    const bool between = ends[below].n == n;
    hull_.find_entries(std::array{between ? below - 1 : below, below}, threads_);
    const std::span<const Entry> entries = hull_.entries(below);
    if (between) {
      return boundary_between(entries.back().score, hull_.entries(below - 1).front().score, level_);
    }
    double above = ends[below].n;
    std::size_t i = entries.size();
    while (above < n) above += entries[--i].n;
    return boundary_between(entries[i - 1].score, entries[i].score, level_);
  }

 private:
  struct Run {
    At from;
    std::size_t of_hull;
    bool found = false;
    bool open = false;
    std::span<const Entry> entries = {};  // once they were found
  };

  std::vector<Run> parts_of(const Run& run) const {
    if (run.found) return {{run.from, run.of_hull, true, true, run.entries}};
    constexpr std::size_t few = 1024;  // fewer are looked at sooner than parted
    std::span<const Entry> rest = hull_.entries(run.of_hull);
    if (rest.size() <= few) return {{run.from, run.of_hull, true, true, rest}};
    std::vector<Run> out;
    At from = run.from;
    while (!rest.empty()) {
      const auto part = rest.last(std::min(few, rest.size()));
      rest = rest.first(rest.size() - part.size());
      out.push_back({from, run.of_hull, true, false, part});
      for (const Entry& entry : part) from = {from.n + entry.n, from.y + entry.n1};
    }
    return out;
  }

  const LabelHull& hull_;
  std::optional<int> level_;
  unsigned threads_;
  std::vector<At> ends_;
  std::vector<Run> runs_;
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
  const Tally::Data& data = problem.tally.data();
  if (problem.from_labels && data.integer_weights) {
    const unsigned threads = problem.options.threads;
    RunsOfHull runs(problem.shapes->hull(cell), data.level, threads);
    return fewest_response(runs, at, snap, threads);
  }
  const Points& points = problem.shapes->points(cell);
  const std::optional<Mixture> mixture = fewest_coins(points, at, snap);
  return mixture ? std::optional(response_of(points.score, *mixture, data.level)) : std::nullopt;
}

std::optional<Response> fewest_response(const Problem& problem, CellCode cell, const Chain& hull,
                                        std::size_t block, double fraction, double snap) {
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
    return response_of(thresholds.score(c), chosen.mixtures[c], level);
  });
  prove_again(problem, solution);
  conclude_search(solution, chosen.value, chosen.bound);
  return solution;
}

}  // namespace evenhand
