#include "solve/odds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "support/parallel.h"

namespace evenhand {
namespace {

// The upper hull of a group's ROC curve: true-positive rate t as a concave function of f.
class Hull {
 public:
  Hull(const Chain& chain, const Reach& total) {
    positives = total.n1;
    negatives = total.n - total.n1;
    for (std::size_t k = 0; k <= chain.size(); ++k) {
      f.push_back((chain.s0[k] - chain.s1[k]) / negatives);
      t.push_back(chain.s1[k] / positives);
    }
    f.back() = t.back() = 1;
  }

  // The edge that holds just right of f, or just left of it.
  std::size_t edge_right(double at) const {
    const auto next = std::upper_bound(f.begin(), f.end(), at);
    const auto i = static_cast<std::size_t>(next - f.begin());
    return std::min(i, f.size() - 1) - 1;
  }
  std::size_t edge_left(double at) const {
    const auto next = std::lower_bound(f.begin(), f.end(), at);
    return std::max<std::size_t>(1, static_cast<std::size_t>(next - f.begin())) - 1;
  }
  double slope(std::size_t edge) const {
    const double width = f[edge + 1] - f[edge];
    return width > 0 ? (t[edge + 1] - t[edge]) / width : std::numeric_limits<double>::infinity();
  }
  double at(double x) const {
    const std::size_t edge = edge_right(x);
    if (f[edge + 1] <= x) return t[edge + 1];
    if (f[edge] == x) return t[edge];
    return t[edge] + slope(edge) * (x - f[edge]);
  }

  std::vector<double> f, t;  // of the vertices, ascending
  double positives = 0, negatives = 0;
};

double lowest(const std::vector<Hull>& hulls, double f) {
  double t = 1;
  for (const Hull& hull : hulls) t = std::min(t, hull.at(f));
  return t;
}

// Where the minimum of the hulls is largest, and the stretch that settles it: from the vertex
// before all that are as good but for rounding to the one after them.
struct Top {
  double fpr;
  double from, to;
};

// The minimum of the hulls is concave; its kinks are vertices and crossings. Between neighbouring
// vertices hulls are straight, so that the best point is a vertex or a crossing next to it.
Top top_of(const std::vector<Hull>& hulls, double gain, double loss) {
  std::vector<double> vertices;
  for (const Hull& hull : hulls) {
    const auto sorted = std::ssize(vertices);
    vertices.insert(vertices.end(), hull.f.begin(), hull.f.end());
    std::inplace_merge(vertices.begin(), vertices.begin() + sorted, vertices.end());
  }
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  const auto worth = [&](double f) { return gain * lowest(hulls, f) - loss * f; };
  // Concave along the vertices too: look for the first that is not worse than the next.
  std::size_t low = 0;
  std::size_t high = vertices.size() - 1;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    (worth(vertices[middle]) < worth(vertices[middle + 1]) ? low = middle + 1 : high = middle);
  }
  // Where it is flat, rounding decided which one that was: see all that are as good, so that the
  // answer depends on the hulls there alone.
  const double rounding = 1e-15 * (gain + loss);
  double best_worth = worth(vertices[low]);
  std::size_t first = low;
  std::size_t last = low;
  const auto as_good = [&](std::size_t v) {
    const double value = worth(vertices[v]);
    best_worth = std::max(best_worth, value);
    return value >= best_worth - 8 * rounding;
  };
  while (first > 0 && as_good(first - 1)) --first;
  while (last + 1 < vertices.size() && as_good(last + 1)) ++last;
  double best = vertices[first];
  for (std::size_t v = last + 1; v-- > first;) {
    if (worth(vertices[v]) >= best_worth) best = vertices[v];
  }
  const auto consider = [&](double f) {
    const double value = worth(f);
    const bool better = value > best_worth + rounding;
    const bool equal_but_smaller = f < best && value >= best_worth;
    if (better || equal_but_smaller) {
      best = f;
      best_worth = value;
    }
  };
  first = first == 0 ? 0 : first - 1;
  last = std::min(last + 1, vertices.size() - 1);
  for (std::size_t v = first; v < last; ++v) {
    const double from = vertices[v];
    const double to = vertices[v + 1];
    for (std::size_t i = 0; i < hulls.size(); ++i) {
      for (std::size_t j = i + 1; j < hulls.size(); ++j) {
        const double slope_i = hulls[i].slope(hulls[i].edge_right(from));
        const double slope_j = hulls[j].slope(hulls[j].edge_right(from));
        const double apart = hulls[j].at(from) - hulls[i].at(from);
        const double f = from + apart / (slope_i - slope_j);
        if (f > from && f < to) consider(f);
      }
    }
  }
  return {best, vertices[first], vertices[last]};
}

// Opens what could change the top; false if nothing could.
bool open_around(const std::vector<const LabelHull*>& groups,
                 const std::vector<std::shared_ptr<const LabelHull::Known>>& known,
                 const std::vector<Hull>& hulls, const Top& top, unsigned threads) {
  std::vector<char> opened(groups.size());
  parallel(groups.size(), threads, [&](std::size_t g) {
    const Hull& hull = hulls[g];
    opened[g] = groups[g]->open_around(*known[g], hull.edge_left(top.from), hull.edge_right(top.to),
                                       threads)
                    ? 1
                    : 0;
  });
  return std::any_of(opened.begin(), opened.end(), [](char one) { return one != 0; });
}

}  // namespace

CommonPoint meet_on_hulls(const std::vector<const LabelHull*>& groups, const Costs& costs,
                          unsigned threads) {
  double gain = 0;
  double loss = 0;
  for (const LabelHull* group : groups) {
    const Reach total = group->total();
    gain += costs.false_negative * total.n1;
    loss += costs.false_positive * (total.n - total.n1);
  }
  CommonPoint out;
  std::vector<Hull> hulls;
  for (bool settled = false; !settled;) {
    std::vector<std::shared_ptr<const LabelHull::Known>> known;
    hulls.clear();
    for (const LabelHull* group : groups) {
      known.push_back(group->known());
      hulls.emplace_back(known.back()->chain, group->total());
    }
    const Top top = top_of(hulls, gain, loss);
    out.fpr = top.fpr;
    settled = !open_around(groups, known, hulls, top, threads);
  }
  out.tpr = lowest(hulls, out.fpr);
  // The minimum's slope left and right of the point, and whose hull has it. A group that is above
  // the point pays exactly what its decisions are worth, so that it does not mind being there.
  constexpr double near = 1e-12;
  std::size_t left = hulls.size();
  std::size_t right = hulls.size();
  double slope_left = -1;
  double slope_right = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < hulls.size(); ++g) {
    out.tpr_price.push_back(costs.false_negative * hulls[g].positives);
    out.fpr_price.push_back(-costs.false_positive * hulls[g].negatives);
    if (hulls[g].at(out.fpr) > out.tpr + near) continue;
    const double l = out.fpr > 0 ? hulls[g].slope(hulls[g].edge_left(out.fpr))
                                 : std::numeric_limits<double>::infinity();
    const double r = out.fpr < 1 ? hulls[g].slope(hulls[g].edge_right(out.fpr)) : 0;
    if (l > slope_left) {
      slope_left = l;
      left = g;
    }
    if (r < slope_right) {
      slope_right = r;
      right = g;
    }
  }
  // gain * (slope of the best line through the point) = loss: split the gain between the two groups
  // so that their lines make it.
  const double wanted = std::clamp(loss / gain, slope_right, std::max(slope_left, slope_right));
  double share = 0;  // of the left one
  double left_line = wanted;
  double right_line = wanted;
  if (std::isfinite(slope_left) && out.fpr < 1 && slope_left > slope_right) {
    share = (wanted - slope_right) / (slope_left - slope_right);
    left_line = slope_left;
    right_line = slope_right;
  } else if (out.fpr >= 1) {
    share = 1;
  }
  out.tpr_price[left] -= share * gain;
  out.fpr_price[left] += share * gain * left_line;
  out.tpr_price[right] -= (1 - share) * gain;
  out.fpr_price[right] += (1 - share) * gain * right_line;
  return out;
}

}  // namespace evenhand
