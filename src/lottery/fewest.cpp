#include "lottery/fewest.h"

#include <algorithm>
#include <cmath>

#include "support/infinity.h"
#include "support/offset.h"

namespace evenhand {
namespace {

class MixedWindow {
 public:
  MixedWindow(const Points& points, const At& at, std::size_t a, std::size_t b)
      : points_(points), a_(a), b_(b), to_{at.n - points.n[a], at.y - points.y[a]} {}

  std::optional<Mixture> mixture() const {
    if (a_ == b_) return Mixture{{a_, 1}};
    const Offset whole = from_a(b_);
    const double share = std::clamp(to_.n / whole.n, 0.0, 1.0);
    if (std::abs(to_.y - share * whole.y) <= rounding_of(points_)) {
      return Mixture{{a_, 1 - share}, {b_, share}};
    }
    return triangle(whole);
  }

 private:
  Offset from_a(std::size_t k) const {
    return {points_.n[k] - points_.n[a_], points_.y[k] - points_.y[a_]};
  }

  // The window cannot lose either end, so every triangle of points that holds the target has both
  // for corners.
  std::optional<Mixture> triangle(const Offset& whole) const {
    double least = infinity;
    std::optional<Mixture> best;
    constexpr double slack = 1e-10;
    for (std::size_t j = a_ + 1; j < b_; ++j) {
      const Offset part = from_a(j);
      const double area = cross(part, whole);
      if (area == 0) continue;
      const double w = cross(to_, whole) / area;
      const double u = cross(part, to_) / area;
      if (!(w >= -slack && u >= -slack && w + u <= 1 + slack)) continue;
      const double lower = std::clamp(u, 0.0, 1.0);
      const double upper = std::clamp(w + u, lower, 1.0);
      const double chance = (points_.n[j] - points_.n[a_]) * upper * (1 - upper) +
                            (points_.n[b_] - points_.n[j]) * lower * (1 - lower);
      if (chance < least) {
        least = chance;
        best = Mixture{{a_, 1 - upper}, {j, upper - lower}, {b_, lower}};
      }
    }
    return best;
  }

  const Points& points_;
  std::size_t a_, b_;
  Offset to_;
};

}  // namespace

// `at` is in the hull of a ... b if and only if it lies between them in n, on or below a segment
// from a point left of it to one right of it, and on or above another. With slopes towards it and
// from it: the largest on the right is at least the smallest on the left, and the smallest on the
// right at most the largest on the left. As a moves away, both conditions only get easier, and the
// smallest b comes nearer. Rounding counts in favour: each condition is asked of a point that is a
// little lower, or higher.
std::vector<std::size_t> ends_around(const Points& points, const At& at, std::size_t first,
                                     std::size_t last) {
  const double close = rounding_of(points);
  const auto begin = points.n.begin();
  const auto index = [&](auto found) { return static_cast<std::size_t>(found - begin); };
  // Points at its own abscissa belong to both sides.
  const std::size_t left_end =
      std::min(last + 1, index(std::upper_bound(begin, points.n.end(), at.n)));
  const std::size_t right_begin =
      std::max(first, index(std::lower_bound(begin, points.n.end(), at.n)));
  std::vector<std::size_t> out(last + 1 - first, last + 1);
  if (left_end <= first || right_begin > last) return out;
  struct Extremes {
    double over, under;  // slopes that settle whether it is below a segment, above one
  };
  double least_over = infinity;  // from each a: the smallest `over`, the largest `under`
  double most_under = -infinity;
  double most_over = -infinity;  // up to each b: the largest `over`, the smallest `under`
  double least_under = infinity;
  LargeArray<Extremes> right(last + 1 - right_begin);
  // The point at its own abscissa: whatever is on the other side will do, or nothing.
  const bool has_own = left_end > right_begin;
  if (has_own) {
    const double dy = at.y - points.y[right_begin];
    most_over = dy <= close ? infinity : -infinity;
    least_under = dy >= -close ? -infinity : infinity;
    least_over = -most_over;
    most_under = -least_under;
    right[0] = {most_over, least_under};
  }
  for (std::size_t b = right_begin + (has_own ? 1 : 0); b <= last; ++b) {
    const double per_dn = 1 / (points.n[b] - at.n);
    const double dy = points.y[b] - at.y;
    // Seen from the right, a point that is a little lower makes slopes larger.
    most_over = std::max(most_over, (dy + close) * per_dn);
    least_under = std::min(least_under, (dy - close) * per_dn);
    right[b - right_begin] = {most_over, least_under};
  }
  std::size_t b = last + 1;
  for (std::size_t a = left_end; a-- > first;) {
    if (!has_own || a != right_begin) {
      const double per_dn = 1 / (at.n - points.n[a]);
      const double dy = at.y - points.y[a];
      least_over = std::min(least_over, (dy - close) * per_dn);
      most_under = std::max(most_under, (dy + close) * per_dn);
    }
    while (b > right_begin && b - 1 >= a) {
      const Extremes& up_to = right[b - 1 - right_begin];
      if (up_to.over < least_over || up_to.under > most_under) break;
      --b;
    }
    out[a - first] = b;
  }
  return out;
}

std::optional<std::size_t> threshold_at(const Points& points, const At& at, double snap) {
  // Two cells may be off in opposite directions, and the proof allows 1e-9 in all.
  const double little = 0.4 * snap;
  const double n1 = points.whole.y;
  const double n0 = points.whole.n - n1;
  const double reach = little * points.whole.n;
  const auto begin = points.n.begin();
  auto k = static_cast<std::size_t>(std::lower_bound(begin, points.n.end(), at.n - reach) - begin);
  for (; k < points.size() && points.n[k] <= at.n + reach; ++k) {
    const double off1 = std::abs(points.y[k] - at.y);
    const double off0 = std::abs((points.n[k] - points.y[k]) - (at.n - at.y));
    if (off1 <= little * n1 && off0 <= little * n0) return k;
  }
  return std::nullopt;
}

// The abscissa of a point, if rounding alone tells them apart.
At settled(const Points& points, At at) {
  at.n = std::clamp(at.n, 0.0, points.whole.n);
  const auto above = std::lower_bound(points.n.begin(), points.n.end(), at.n);
  const double close = rounding_of(points);
  if (above != points.n.end() && *above - at.n <= close) return {*above, at.y};
  if (above != points.n.begin() && at.n - *(above - 1) <= close) return {*(above - 1), at.y};
  return at;
}

std::optional<CoinWindow> least_window(const Points& points, const At& at, double expected) {
  // A window of at most `mass` lies within `mass` of the target on either side.
  for (double mass = std::max(expected, points.whole.n / 1024);; mass *= 2) {
    const auto begin = points.n.begin();
    const auto low = std::lower_bound(begin, points.n.end(), at.n - mass);
    const auto high = std::upper_bound(begin, points.n.end(), at.n + mass);
    const auto first = static_cast<std::size_t>(low - begin);
    const auto last = static_cast<std::size_t>(high - begin) - 1;
    double least = infinity;
    CoinWindow out{};
    if (high > low) {
      const std::vector<std::size_t> ends = ends_around(points, at, first, last);
      for (std::size_t a = first; a <= last; ++a) {
        const std::size_t b = ends[a - first];
        if (b > last || points.n[b] - points.n[a] >= least) continue;
        least = points.n[b] - points.n[a];
        out = {a, b};
      }
    }
    const bool all = first == 0 && last == points.last();
    if (least <= mass || (all && least < infinity)) return out;
    if (all) return std::nullopt;
  }
}

std::optional<Mixture> mixture_in(const Points& points, const At& at, const CoinWindow& window) {
  return MixedWindow(points, at, window.a, window.b).mixture();
}

Mixture snapped(const Mixture& mixture, double snap) {
  Mixture out;
  double sum = 0;
  for (const Share& share : mixture) {
    if (share.weight <= snap) continue;
    out.push_back(share);
    sum += share.weight;
  }
  for (Share& share : out) share.weight /= sum;
  if (out.size() == 1) out.front().weight = 1;
  return out;
}

std::optional<Mixture> fewest_coins(const Points& points, At at, double snap) {
  if (const auto k = threshold_at(points, at, snap)) return Mixture{{*k, 1}};
  at = settled(points, at);
  const std::optional<CoinWindow> window = least_window(points, at);
  const std::optional<Mixture> mixture = window ? mixture_in(points, at, *window) : std::nullopt;
  return mixture ? std::optional(snapped(*mixture, snap)) : std::nullopt;
}

}  // namespace evenhand
