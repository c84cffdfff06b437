#include "lottery/branch.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "lottery/fewest.h"
#include "lottery/node_program.h"
#include "support/infinity.h"

namespace evenhand {
namespace {

// Windows of thresholds a cell may mix: the largest ones, so that both ends rise.
struct Windows {
  std::vector<std::size_t> first, last;
  std::size_t size() const { return first.size(); }
};

Windows windows_of(const Points& points, const std::optional<double>& share) {
  Windows out;
  std::size_t b = 0;
  for (std::size_t a = 0; a < points.size(); ++a) {
    if (share) {
      const double most = points.n[a] + *share * points.n.back() * (1 + 1e-12);
      while (b < points.last() && points.n[b + 1] <= most) ++b;
      b = std::max(b, std::min(a + 1, points.last()));
      if (!out.last.empty() && b == out.last.back()) continue;  // inside the window before
    } else {
      b = a;
    }
    out.first.push_back(a);
    out.last.push_back(b);
  }
  return out;
}

// Each cell has windows begin ... end to choose from.
struct Node {
  struct Choices {
    std::size_t begin, end;
  };
  std::vector<Choices> choices;
  Ranges ranges;
  double bound = infinity;
  std::size_t number = 0;

  // Where to divide it.
  std::size_t cell = 0;
  std::size_t split = 0;  // the last window of the first half
};

struct LargestFirst {
  bool operator()(const Node& a, const Node& b) const {
    return a.bound != b.bound ? a.bound < b.bound : a.number > b.number;
  }
};

class Search {
 public:
  Search(const Limits& limits, const std::vector<Points>& points, const BranchOptions& options)
      : limits_(limits),
        points_(points),
        options_(options),
        program_(limits, points, options.magnitude) {
    for (const Points& of_cell : points) windows_.push_back(windows_of(of_cell, options.share));
    best_.value = -infinity;
  }

  Branched run(const std::vector<std::size_t>& start) {
    if (!start.empty()) offer(start);
    for (const bool everybody : {false, true}) offer_if_met(everybody);
    Node root;
    for (std::size_t c = 0; c < points_.size(); ++c) {
      root.choices.push_back({0, windows_[c].size() - 1});
      root.ranges.push_back(range_of(c, root.choices[c]));
    }
    if (visit(root)) waiting_.push(std::move(root));
    // From the best open node down to where nothing is left to gain, then the next one.
    while (!waiting_.empty() && nodes_ < options_.most_nodes) {
      Node node = waiting_.top();
      waiting_.pop();
      for (bool open = !closed(node); open && nodes_ < options_.most_nodes;) {
        open = descend(node);
      }
      if (nodes_ >= options_.most_nodes && !closed(node))
        given_up_ = std::max(given_up_, node.bound);
    }
    best_.bound = std::max(best_.value, given_up_);
    if (!waiting_.empty()) best_.bound = std::max(best_.bound, waiting_.top().bound);
    if (closed(best_.bound)) best_.bound = std::max(best_.value, -infinity);
    return best_;
  }

 private:
  bool closed(double bound) const { return bound <= best_.value + 1e-10 * options_.magnitude; }
  bool closed(const Node& node) const { return closed(node.bound); }

  std::shared_ptr<const VertexRange> range_of(std::size_t c, const Node::Choices& choices) const {
    return make_range(points_[c], windows_[c].first[choices.begin], windows_[c].last[choices.end]);
  }

  // The node becomes the better one of its halves; false if neither is worth it.
  bool descend(Node& node) {
    std::vector<Node> open;
    for (const bool first : {true, false}) {
      Node half = node;
      Node::Choices& choices = half.choices[node.cell];
      (first ? choices.end : choices.begin) = first ? node.split : node.split + 1;
      half.ranges[node.cell] = range_of(node.cell, choices);
      if (visit(half)) open.push_back(std::move(half));
    }
    // An incumbent from the second half may have closed the first one.
    std::erase_if(open, [&](const Node& half) { return closed(half); });
    if (open.empty()) {
      node.bound = -infinity;
      return false;
    }
    if (open.size() == 2) {
      if (open[0].bound < open[1].bound) std::swap(open[0], open[1]);
      waiting_.push(std::move(open[1]));
    }
    node = std::move(open[0]);
    return true;
  }

  // Bounds a node, and finds where to divide it; false if there is nothing more to find in it.
  bool visit(Node& node) {
    node.number = nodes_++;
    Relaxed relaxed;
    const NodeProgram::Outcome outcome = program_.solve(node.ranges, relaxed);
    if (outcome == NodeProgram::Outcome::infeasible) return false;
    if (outcome == NodeProgram::Outcome::failed) {
      given_up_ = std::max(given_up_, node.bound);  // of the node it was part of
      return false;
    }
    double bound = relaxed.value;
    if (options_.integral && !options_.share) bound = std::floor(bound + 1e-6);
    node.bound = std::min(node.bound, bound);
    if (closed(node)) return false;
    constexpr std::size_t now_and_then = 20;
    if (!options_.share && node.number % now_and_then == 0) {
      improve_from(relaxed);
      if (closed(node)) return false;
    }
    if (choose_cell(node, relaxed)) return true;
    take(node, relaxed);
    return false;
  }

  void improve_from(const Relaxed& relaxed) {
    std::vector<std::size_t> at;
    for (std::size_t c = 0; c < points_.size(); ++c) at.push_back(nearest(c, relaxed.at[c].n));
    if (improve(limits_, points_, at)) offer(at);
  }

  std::size_t nearest(std::size_t c, double n) const {
    const Doubles& all = points_[c].n;
    const auto above =
        static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), n) - all.begin());
    if (above == all.size()) return all.size() - 1;
    return above > 0 && n - all[above - 1] < all[above] - n ? above - 1 : above;
  }

  // Nobody or everybody: programs may take the corner of all that is possible for outside it.
  void offer_if_met(bool everybody) {
    std::vector<std::size_t> at;
    std::vector<At> reach;
    for (const Points& points : points_) {
      at.push_back(everybody ? points.last() : 0);
      reach.push_back({points.n[at.back()], points.y[at.back()]});
    }
    if (total_violation(limits_, values_at(limits_, reach)) <= met) offer(at);
  }

  void offer(const std::vector<std::size_t>& at) {
    double value = 0;
    for (std::size_t c = 0; c < at.size(); ++c) value += points_[c].value[at[c]];
    if (value <= best_.value) return;
    best_.value = value;
    best_.mixtures.clear();
    for (const std::size_t k : at) best_.mixtures.push_back({{k, 1}});
  }

  // The relaxation's points are such rules themselves.
  void take(const Node& node, const Relaxed& relaxed) {
    std::vector<Mixture> mixtures;
    std::vector<At> at;
    double value = 0;
    for (std::size_t c = 0; c < points_.size(); ++c) {
      std::optional<Mixture> mixture = options_.share ? fewest_coins(points_[c], relaxed.at[c])
                                                      : Mixture{{nearest(c, relaxed.at[c].n), 1}};
      if (!mixture) break;
      at.push_back(reached(points_[c], *mixture));
      for (const Share& share : *mixture) value += share.weight * points_[c].value[share.k];
      mixtures.push_back(*std::move(mixture));
    }
    if (mixtures.size() < points_.size() ||
        total_violation(limits_, values_at(limits_, at)) > met) {
      given_up_ = std::max(given_up_, node.bound);
    } else if (value > best_.value) {
      best_.value = value;
      best_.mixtures = std::move(mixtures);
    }
  }

  // Where to divide a cell's windows: after this one. None if a single window will do.
  using Split = std::optional<std::size_t>;

  // Among the cells whose point no single window reaches, the one with the widest mixture; divided
  // so that neither half reaches the point, as near to its mass as that allows.
  bool choose_cell(Node& node, const Relaxed& relaxed) const {
    double widest = -1;
    for (std::size_t c = 0; c < points_.size(); ++c) {
      if (relaxed.width[c] <= widest || node.choices[c].begin == node.choices[c].end) continue;
      const Split split = options_.share ? divide(c, node.choices[c], relaxed.at[c])
                                         : divide_points(c, node.choices[c], relaxed.at[c]);
      if (!split) continue;
      widest = relaxed.width[c];
      node.cell = c;
      node.split = *split;
    }
    return widest >= 0;
  }

  Split divide_points(std::size_t c, const Node::Choices& choices, const At& at) const {
    const Points& points = points_[c];
    const std::size_t near = nearest(c, at.n);
    const double close = rounding_of(points);
    if (std::abs(points.n[near] - at.n) <= close && std::abs(points.y[near] - at.y) <= 10 * close) {
      return std::nullopt;
    }
    const auto above = std::upper_bound(points.n.begin(), points.n.end(), at.n + close);
    const auto after = static_cast<std::size_t>(above - points.n.begin());
    return std::clamp(after == 0 ? 0 : after - 1, choices.begin, choices.end - 1);
  }

  Split divide(std::size_t c, const Node::Choices& choices, const At& at) const {
    const Points& points = points_[c];
    const Windows& windows = windows_[c];
    const std::size_t first = windows.first[choices.begin];
    const std::size_t last = windows.last[choices.end];
    const std::vector<std::size_t> ends = ends_around(points, at, first, last);
    std::size_t farthest = first;  // the largest a from which the range's end still reaches it
    for (std::size_t a = first; a <= last; ++a) {
      if (ends[a - first] <= last) farthest = a;
    }
    std::size_t low = choices.begin;   // after it no window begins early enough
    std::size_t high = choices.begin;  // up to it no window ends late enough
    std::size_t middle = choices.begin;
    for (std::size_t w = choices.begin; w <= choices.end; ++w) {
      if (ends[windows.first[w] - first] <= windows.last[w]) return std::nullopt;
      if (windows.first[w] <= farthest) low = w;
      if (windows.last[w] < ends.front()) high = w;
      if (points.n[windows.first[w]] + points.n[windows.last[w]] <= 2 * at.n) middle = w;
    }
    const std::size_t wanted = low <= high ? std::clamp(middle, low, high) : middle;
    return std::min(wanted, choices.end - 1);
  }

  static constexpr double met = 5e-10;  // a violation that is rounding

  const Limits& limits_;
  const std::vector<Points>& points_;
  const BranchOptions& options_;
  NodeProgram program_;
  std::vector<Windows> windows_;
  std::priority_queue<Node, std::vector<Node>, LargestFirst> waiting_;
  std::size_t nodes_ = 0;
  double given_up_ = -infinity;  // the largest bound of what was not searched
  Branched best_;
};

}  // namespace

Branched branch_and_bound(const Limits& limits, const std::vector<Points>& points,
                          const BranchOptions& options, const std::vector<std::size_t>& start) {
  return Search(limits, points, options).run(start);
}

}  // namespace evenhand
