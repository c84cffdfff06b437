#include "lottery/fewest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ranges>

#include "lottery/slopes.h"
#include "support/infinity.h"
#include "support/offset.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

// Neighbouring points, as the work of several threads or of one.
class Stretches {
 public:
  Stretches(std::size_t points, unsigned threads)
      : points_(points),
        bits_(thread_count(threads) > 1 ? 14 : static_cast<unsigned>(std::bit_width(points))) {}
  std::size_t count() const { return of(points_ + (std::size_t{1} << bits_) - 1); }
  std::size_t of(std::size_t point) const { return point >> bits_; }
  std::size_t begin(std::size_t stretch) const { return stretch << bits_; }
  std::size_t end(std::size_t stretch) const { return std::min(points_, begin(stretch + 1)); }

 private:
  std::size_t points_;
  unsigned bits_;  // of the number of points in each
};

class MixedWindow {
 public:
  MixedWindow(const Points& points, const At& at, std::size_t a, std::size_t b, unsigned threads)
      : points_(points),
        a_(a),
        b_(b),
        to_{at.n - points.n[a], at.y - points.y[a]},
        threads_(threads) {}

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

  struct Best {
    double least = infinity;
    std::optional<Mixture> mixture = std::nullopt;
  };

  // The window cannot lose either end, so every triangle of points that holds the target has both
  // for corners.
  std::optional<Mixture> triangle(const Offset& whole) const {
    const Stretches between(b_ - a_ - 1, threads_);
    std::vector<Best> best(between.count());
    parallel(best.size(), threads_, [&](std::size_t i) {
      best[i] = best_between(whole, a_ + 1 + between.begin(i), a_ + 1 + between.end(i));
    });
    const auto least = std::ranges::min_element(best, {}, &Best::least);
    return least != best.end() ? least->mixture : std::nullopt;
  }

  Best best_between(const Offset& whole, std::size_t first, std::size_t end) const {
    Best best;
    constexpr double slack = 1e-10;
    for (std::size_t j = first; j < end; ++j) {
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
      if (chance < best.least) {
        best = {chance, Mixture{{a_, 1 - upper}, {j, upper - lower}, {b_, lower}}};
      }
    }
    return best;
  }

  const Points& points_;
  std::size_t a_, b_;
  Offset to_;
  unsigned threads_;
};

// `at` is in the hull of a ... b if and only if it lies between them in n, on or below a segment
// from a point left of it to one right of it, and on or above another. With slopes towards it and
// from it: the largest on the right is at least the smallest on the left, and the smallest on the
// right at most the largest on the left. As a moves away, both conditions only get easier, and the
// smallest b comes nearer.
class EndsAround {
 public:
  EndsAround(const Points& points, const At& at, std::size_t first, std::size_t last,
             unsigned threads)
      : points_(points), at_(at), first_(first), last_(last), threads_(threads) {
    const auto begin = points.n.begin();
    const auto index = [&](auto found) { return static_cast<std::size_t>(found - begin); };
    // Points at its own abscissa belong to both sides.
    left_end_ = std::min(last + 1, index(std::upper_bound(begin, points.n.end(), at.n)));
    right_begin_ = std::max(first, index(std::lower_bound(begin, points.n.end(), at.n)));
    if (left_end_ <= first || right_begin_ > last) return;
    has_own_ = left_end_ > right_begin_;
    left_ = Stretches(left_end_ - first, threads);
    before_left_.resize(left_.count());
    parallel(left_.count() - 1, threads, [&](std::size_t i) { add_left(i); });
    add_up(before_left_);
    right_ = Stretches(last + 1 - right_begin_, threads);
    before_right_.resize(right_.count() + 1);
    up_to_.resize(last + 1 - right_begin_);
    parallel(right_.count(), threads, [&](std::size_t i) { add_right(i); });
    add_up(before_right_);
  }

  std::size_t stretches() const { return left_.count(); }

  // Calls visit(stretch, a, b), for each a its smallest b, side by side for each of the stretches;
  // a descends in a stretch, and from each to the next.
  template <class Visit>
  void visit(Visit visit) const {
    parallel(left_.count(), threads_, [&](std::size_t stretch) {
      const View points = view();
      SlopesAround left = before_left_[stretch];
      std::size_t a = left_end_ - left_.begin(stretch);
      left.take(left_of(points, --a));
      std::size_t b = first_that_serves(left);
      visit(stretch, a, b);
      for (const std::size_t last = left_end_ - left_.end(stretch); a-- > last;) {
        left.take(points.from_left(a));
        while (b > right_begin_ && left.meets(up_to(b - 1))) --b;
        visit(stretch, a, b);
      }
    });
  }

 private:
  // What slopes are made of, by value: nothing that is written can be among it.
  struct View {
    const double* n;
    const double* y;
    At at;
    double close;

    At point(std::size_t k) const { return {n[k], y[k]}; }
    SlopesAround from_left(std::size_t a) const {
      return SlopesAround::from_left(point(a), at, close);
    }
    SlopesAround to_right(std::size_t b) const {
      return SlopesAround::to_right(point(b), at, close);
    }
    SlopesAround at_own(std::size_t k) const { return SlopesAround::at_own(point(k), at, close); }
  };
  View view() const { return {points_.n.data(), points_.y.data(), at_, rounding_of(points_)}; }
  SlopesAround left_of(const View& view, std::size_t a) const {
    return has_own_ && a == right_begin_ ? view.at_own(a) : view.from_left(a);
  }

  void add_left(std::size_t stretch) {
    const View points = view();
    SlopesAround all;
    for (std::size_t i = left_.begin(stretch); i < left_.end(stretch); ++i) {
      all.take(left_of(points, left_end_ - 1 - i));
    }
    before_left_[stretch + 1] = all;
  }
  void add_right(std::size_t stretch) {
    const View points = view();
    SlopesAround all;
    std::size_t i = right_.begin(stretch);
    if (i == 0 && has_own_) up_to_[i++] = all = points.at_own(right_begin_);
    for (const std::size_t end = right_.end(stretch); i < end; ++i) {
      all.take(points.to_right(right_begin_ + i));
      up_to_[i] = all;
    }
    before_right_[stretch + 1] = all;
  }
  static void add_up(std::vector<SlopesAround>& before) {
    for (std::size_t i = 1; i < before.size(); ++i) before[i].take(before[i - 1]);
  }

  SlopesAround up_to(std::size_t b) const {
    SlopesAround out = up_to_[b - right_begin_];
    out.take(before_right_[right_.of(b - right_begin_)]);
    return out;
  }
  std::size_t first_that_serves(const SlopesAround& left) const {
    const auto all = std::views::iota(right_begin_, last_ + 1);
    return *std::ranges::partition_point(all, [&](std::size_t b) { return !left.meets(up_to(b)); });
  }

  const Points& points_;
  const At& at_;
  std::size_t first_, last_;
  unsigned threads_;
  std::size_t left_end_ = 0;
  std::size_t right_begin_ = 0;
  bool has_own_ = false;
  Stretches left_{0, 1};   // of the points left of it, the nearest first
  Stretches right_{0, 1};  // of those right of it
  // Of each point right of it, with those in its stretch that are nearer; of all stretches before.
  LargeArray<SlopesAround> up_to_;
  std::vector<SlopesAround> before_left_, before_right_;
};

}  // namespace

std::vector<std::size_t> ends_around(const Points& points, const At& at, std::size_t first,
                                     std::size_t last) {
  std::vector<std::size_t> out(last + 1 - first, last + 1);
  const EndsAround ends(points, at, first, last, 1);
  ends.visit([&](std::size_t, std::size_t a, std::size_t b) { out[a - first] = b; });
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

std::optional<CoinWindow> least_window(const Points& points, const At& at, double expected,
                                       unsigned threads) {
  struct Least {
    double mass = infinity;
    CoinWindow window = {};
  };
  // A window of at most `mass` lies within `mass` of the target on either side.
  for (double mass = std::max(expected, points.whole.n / 1024);; mass *= 2) {
    const auto begin = points.n.begin();
    const auto low = std::lower_bound(begin, points.n.end(), at.n - mass);
    const auto high = std::upper_bound(begin, points.n.end(), at.n + mass);
    const auto first = static_cast<std::size_t>(low - begin);
    const auto last = static_cast<std::size_t>(high - begin) - 1;
    Least least;  // the first of them
    if (high > low) {
      const EndsAround ends(points, at, first, last, threads);
      std::vector<Least> of_stretch(ends.stretches());
      ends.visit([&](std::size_t stretch, std::size_t a, std::size_t b) {
        if (b > last) return;
        const double width = points.n[b] - points.n[a];
        if (width <= of_stretch[stretch].mass) of_stretch[stretch] = {width, {a, b}};
      });
      for (const Least& one : of_stretch) least = one.mass <= least.mass ? one : least;
    }
    const bool all = first == 0 && last == points.last();
    if (least.mass <= mass || (all && least.mass < infinity)) return least.window;
    if (all) return std::nullopt;
  }
}

std::optional<Mixture> mixture_in(const Points& points, const At& at, const CoinWindow& window,
                                  unsigned threads) {
  return MixedWindow(points, at, window.a, window.b, threads).mixture();
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
