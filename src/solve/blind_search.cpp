#include "solve/blind_search.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "solve/column_generation.h"
#include "solve/ladder.h"
#include "support/infinity.h"

namespace evenhand {
namespace {

constexpr double negligible = 1e-10;  // of a violation: the rest is rounding

// All constraints as requirements: between two thresholds even a criterion may be out of reach.
System all_required(const System& system) {
  System out;
  out.population = system.population;
  out.requirements = system.requirements;
  for (Constraint& constraint : standing_constraints(system)) {
    out.requirements.push_back(std::move(constraint));
  }
  for (const Compared& compared : system.comparisons) {
    if (!range_of(compared)) continue;
    for (std::size_t i = 0; i < compared.members.size(); ++i) {
      for (std::size_t j = 0; j < compared.members.size(); ++j) {
        if (i == j) continue;
        std::vector<double> price(compared.members.size());
        price[i] = 1;
        price[j] = -1;
        for (Constraint& pair : priced_pairs(compared, price)) {
          pair.multiplier = 0;
          out.requirements.push_back(std::move(pair));
        }
      }
    }
  }
  for (Constraint& constraint : out.requirements) constraint.required = true;
  return out;
}

// Each stratum has windows begin ... end to choose from.
struct BlindNode {
  struct Choices {
    std::size_t begin, end;
  };
  std::vector<Choices> choices;
  double bound = infinity;
  std::size_t number = 0;

  // Where to divide it: after this window.
  std::size_t stratum = 0;
  std::size_t split = 0;
};

struct LargestBoundFirst {
  bool operator()(const BlindNode& a, const BlindNode& b) const {
    return a.bound != b.bound ? a.bound < b.bound : a.number > b.number;
  }
};

class BlindSearch {
 public:
  BlindSearch(const System& system, const std::vector<const PooledScores*>& strata,
              const BlindSearchOptions& options)
      : system_(system), required_(all_required(system)), options_(options) {
    for (const PooledScores* pool : strata) ladders_.emplace_back(*pool, options.share);
    best_.value = -infinity;
  }

  BlindChoice run() {
    std::vector<std::size_t> nobody(ladders_.size(), 0);
    std::vector<std::size_t> everybody;
    for (const Ladder& ladder : ladders_) everybody.push_back(ladder.end());
    for (std::vector<std::size_t>* at : {&nobody, &everybody}) improve_and_offer(*at);
    if (!options_.share && ladders_.size() == 1) {  // every threshold was tried
      best_.bound = best_.value;
      return best_;
    }
    BlindNode root;
    for (const Ladder& ladder : ladders_) root.choices.push_back({0, ladder.first.size() - 1});
    if (visit(root)) waiting_.push(std::move(root));
    while (!waiting_.empty() && !closed(waiting_.top().bound) && nodes_ < most_nodes()) {
      const BlindNode node = waiting_.top();
      waiting_.pop();
      for (const bool lower : {true, false}) {
        BlindNode half = node;
        BlindNode::Choices& choices = half.choices[node.stratum];
        (lower ? choices.end : choices.begin) = lower ? node.split : node.split + 1;
        if (visit(half)) waiting_.push(std::move(half));
      }
    }
    best_.bound = std::max(best_.value, given_up_);
    if (!waiting_.empty()) best_.bound = std::max(best_.bound, waiting_.top().bound);
    if (closed(best_.bound)) best_.bound = best_.value;
    return best_;
  }

 private:
  bool closed(double bound) const { return bound <= best_.value + 1e-10 * options_.magnitude; }

  // Each node looks at every threshold in its range some times.
  std::size_t most_nodes() const {
    std::size_t all = 1;
    for (const Ladder& ladder : ladders_) all += ladder.reach.size();
    constexpr std::size_t work = 100'000'000;
    return std::clamp<std::size_t>(work / all, 50, 2000);
  }

  Blocks blocks_of(const std::vector<BlindNode::Choices>& choices) const {
    Blocks out;
    out.count = ladders_.size();
    const auto ends = [this, &choices](std::size_t f) {
      return std::pair{ladders_[f].first[choices[f].begin], ladders_[f].last[choices[f].end]};
    };
    out.start = [this, ends](std::size_t f) {
      const auto [low, high] = ends(f);
      return std::vector{ladders_[f].column(low), ladders_[f].column(high)};
    };
    out.best = [this, ends](std::size_t f, double weight, const std::vector<CellPrice>& price) {
      const Ladder& ladder = ladders_[f];
      const auto [low, high] = ends(f);
      double most = -infinity;
      std::size_t best = low;
      for (std::size_t k = low; k <= high; ++k) {
        double value = weight * ladder.benefit[k];
        for (std::size_t i = 0; i < ladder.cells.size(); ++i) {
          const CellPrice& each = price[ladder.cells[i]];
          value -= each.n * ladder.at(k, i).n + each.n1 * ladder.at(k, i).n1;
        }
        if (value > most) {
          most = value;
          best = k;
        }
      }
      return Blocks::Best{ladder.column(best), most};
    };
    return out;
  }

  // The best mixtures of all thresholds in the range of these windows; none if nothing there meets
  // the constraints, empty ones if the program failed.
  std::vector<MixedThresholds> relaxed(const std::vector<BlindNode::Choices>& choices) const {
    const Blocks blocks = blocks_of(choices);
    Generated found = generate(required_, blocks, options_.magnitude);
    if (found.infeasibility) return {};
    for (MixedThresholds& mixture : found.mixture) {
      std::erase_if(mixture, [](const auto& one) { return one.second < 1e-11; });  // rounding
      double whole = 0;
      for (const auto& [k, weight] : mixture) whole += weight;
      for (auto& [k, weight] : mixture) weight /= whole;
      std::sort(mixture.begin(), mixture.end());
    }
    return found.mixture;
  }

  static bool failed(const std::vector<MixedThresholds>& mixtures) {
    return std::any_of(mixtures.begin(), mixtures.end(),
                       [](const MixedThresholds& mixture) { return mixture.empty(); });
  }

  double value_of(const std::vector<MixedThresholds>& mixtures) const {
    double sum = 0;
    for (std::size_t f = 0; f < mixtures.size(); ++f) {
      for (const auto& [k, weight] : mixtures[f]) sum += weight * ladders_[f].benefit[k];
    }
    return sum;
  }

  bool offer(const std::vector<MixedThresholds>& mixtures) {
    std::vector<Reach> reach(system_.population.cells.size());
    for (std::size_t f = 0; f < mixtures.size(); ++f) {
      for (const auto& [k, weight] : mixtures[f]) add_reach(ladders_[f], k, weight, reach);
    }
    constexpr double met = 5e-10;
    if (violation(system_, reach) > met) return false;
    const double value = value_of(mixtures);
    if (value > best_.value) {
      best_.value = value;
      best_.mixtures = mixtures;
    }
    return true;
  }

  static void add_reach(const Ladder& ladder, std::size_t k, double weight,
                        std::vector<Reach>& reach) {
    for (std::size_t i = 0; i < ladder.cells.size(); ++i) {
      Reach& cell = reach[ladder.cells[i]];
      cell.n += weight * ladder.at(k, i).n;
      cell.n1 += weight * ladder.at(k, i).n1;
    }
  }

  // Bounds a node, and finds where to divide it; false if there is nothing more to find in it.
  bool visit(BlindNode& node) {
    node.number = nodes_++;
    const std::vector<MixedThresholds> mixtures = relaxed(node.choices);
    if (mixtures.empty()) return false;
    if (failed(mixtures)) {
      given_up_ = std::max(given_up_, node.bound);  // of the node it was part of
      return false;
    }
    double bound = value_of(mixtures);
    if (options_.integral && !options_.share) bound = std::floor(bound + 1e-6);
    node.bound = std::min(node.bound, bound);
    if (closed(node.bound)) return false;
    if (!choose_stratum(node, mixtures)) {
      if (!offer(mixtures)) given_up_ = std::max(given_up_, node.bound);
      return false;
    }
    constexpr std::size_t now_and_then = 10;
    if (node.number % now_and_then == 0) try_near(mixtures);
    return !closed(node.bound);
  }

  // A rule of the kind near the relaxation's: of single thresholds, or of the windows around them.
  void try_near(const std::vector<MixedThresholds>& mixtures) {
    std::vector<std::size_t> at;
    std::vector<BlindNode::Choices> windows;
    for (std::size_t f = 0; f < mixtures.size(); ++f) {
      at.push_back(middle(f, mixtures[f]));
      const std::size_t window = around(f, mixtures[f]);
      windows.push_back({window, window});
    }
    if (options_.share) {
      const std::vector<MixedThresholds> inside = relaxed(windows);
      if (!inside.empty() && !failed(inside)) offer(inside);
    } else {
      improve_and_offer(at);
    }
  }

  double mean_people(std::size_t f, const MixedThresholds& mixture) const {
    double sum = 0;
    for (const auto& [k, weight] : mixture) sum += weight * ladders_[f].people[k];
    return sum;
  }

  std::size_t middle(std::size_t f, const MixedThresholds& mixture) const {
    const std::vector<double>& people = ladders_[f].people;
    const auto above = std::lower_bound(people.begin(), people.end(), mean_people(f, mixture));
    return std::min(static_cast<std::size_t>(above - people.begin()), ladders_[f].end());
  }

  // The last window whose middle is not above the mixture's mean.
  std::size_t around(std::size_t f, const MixedThresholds& mixture) const {
    const Ladder& ladder = ladders_[f];
    const double mean = mean_people(f, mixture);
    std::size_t low = 0;
    std::size_t high = ladder.first.size();
    while (high - low > 1) {
      const std::size_t w = (low + high) / 2;
      const bool below = ladder.people[ladder.first[w]] + ladder.people[ladder.last[w]] <= 2 * mean;
      (below ? low : high) = w;
    }
    return low;
  }

  // Among strata whose mixture no window holds, the one with the widest; divided so that neither
  // half has both of its ends: windows up to the last one that begins early enough end before the
  // mixture does. Between that window and the first one that ends late enough, near its mean.
  bool choose_stratum(BlindNode& node, const std::vector<MixedThresholds>& mixtures) const {
    double widest = -1;
    for (std::size_t f = 0; f < mixtures.size(); ++f) {
      const Ladder& ladder = ladders_[f];
      const BlindNode::Choices& choices = node.choices[f];
      const std::size_t from = mixtures[f].front().first;
      const std::size_t to = mixtures[f].back().first;
      const std::size_t early = ladder.window_from(from);
      if (ladder.last[early] >= to || choices.begin == choices.end) continue;
      const double width = ladder.people[to] - ladder.people[from];
      if (width <= widest) continue;
      const auto late = static_cast<std::size_t>(
          std::lower_bound(ladder.last.begin(), ladder.last.end(), to) - ladder.last.begin());
      widest = width;
      node.stratum = f;
      node.split = std::clamp(std::clamp(around(f, mixtures[f]), early, late - 1), choices.begin,
                              choices.end - 1);
    }
    return widest >= 0;
  }

  // The best threshold of a stratum, the others staying, until none moves: the least violation
  // first, then the largest benefit, then the fewest people.
  void improve_and_offer(std::vector<std::size_t>& at) {
    std::vector<Reach> reach(system_.population.cells.size());
    for (std::size_t f = 0; f < at.size(); ++f) add_reach(ladders_[f], at[f], 1, reach);
    constexpr int most_rounds = 20;
    bool moved = true;
    for (int round = 0; moved && round < most_rounds; ++round) {
      moved = false;
      for (std::size_t f = 0; f < at.size(); ++f) moved |= move(f, at[f], reach);
    }
    std::vector<MixedThresholds> mixtures;
    for (const std::size_t k : at) mixtures.push_back({{k, 1}});
    offer(mixtures);
  }

  bool move(std::size_t f, std::size_t& at, std::vector<Reach>& reach) const {
    const Ladder& ladder = ladders_[f];
    const auto put = [&](std::size_t k) {
      for (std::size_t i = 0; i < ladder.cells.size(); ++i) {
        reach[ladder.cells[i]] = {ladder.at(k, i).n, ladder.at(k, i).n1, 0};
      }
    };
    std::size_t best = at;
    double missed = std::max(negligible, violation(system_, reach));
    for (std::size_t k = 0; k <= ladder.end(); ++k) {
      const bool better = ladder.benefit[k] > ladder.benefit[best] ||
                          (ladder.benefit[k] == ladder.benefit[best] && k < best);
      if (missed <= negligible && !better) continue;
      put(k);
      const double missing = std::max(negligible, violation(system_, reach));
      if (missing < missed || (missing == missed && better)) {
        missed = missing;
        best = k;
      }
    }
    put(best);
    const bool moved = best != at;
    at = best;
    return moved;
  }

  const System& system_;
  System required_;  // the same, for programs of nodes
  const BlindSearchOptions& options_;
  std::vector<Ladder> ladders_;
  std::priority_queue<BlindNode, std::vector<BlindNode>, LargestBoundFirst> waiting_;
  std::size_t nodes_ = 0;
  double given_up_ = -infinity;  // the largest bound of what was not searched
  BlindChoice best_;
};

}  // namespace

BlindChoice choose_blind(const System& system, const std::vector<const PooledScores*>& strata,
                         const BlindSearchOptions& options) {
  return BlindSearch(system, strata, options).run();
}

}  // namespace evenhand
