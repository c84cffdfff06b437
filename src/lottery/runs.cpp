#include "lottery/runs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lottery/fewest.h"
#include "lottery/slopes.h"
#include "support/infinity.h"
#include "support/offset.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

class SearchInRuns {
 public:
  SearchInRuns(PointRuns& runs, const At& at, unsigned threads)
      : runs_(runs), ends_(runs.ends()), at_(at), threads_(threads) {
    known_.whole = ends_.back();
    close_ = rounding_of(known_);
  }

  std::optional<Mixture> run(double snap) {
    learn();
    // What may be the target but for rounding, and one more run on either side.
    const double reach = std::max(snap * known_.whole.n, close_);
    while (open(closed_between(run_at(at_.n - reach), run_at(at_.n + reach)))) {
    }
    if (const auto k = threshold_at(known_, at_, snap)) return Mixture{{*k, 1}};
    at_ = settled(known_, at_);
    std::optional<CoinWindow> window;
    // What may be narrower than this window is all that may be narrower than what comes of it.
    for (bool done = false; !done;) {
      window = least_window(known_, at_, window ? mass_of(*window) : known_.whole.n, threads_);
      done = !open(that_may_be_narrower(window));
      if (!done && window && all_open_) {
        window = least_window(known_, at_, mass_of(*window), threads_);
        done = true;
      }
    }
    if (!window) return std::nullopt;
    const double from = n(window->a);
    const double to = n(window->b);
    std::optional<Mixture> mixture;
    do {
      window = {point_at(from), point_at(to)};
      mixture = mixture_in(known_, at_, *window, threads_);
    } while (open(that_may_need_fewer(
        *window, mixture ? std::optional(snapped(*mixture, 0)) : std::nullopt)));
    return mixture ? std::optional(snapped(*mixture, snap)) : std::nullopt;
  }

  double n(std::size_t k) const { return known_.n[k]; }
  double mass_of(const CoinWindow& window) const { return n(window.b) - n(window.a); }
  std::size_t point_at(double n) const {
    const auto found = std::lower_bound(known_.n.begin(), known_.n.end(), n);
    return static_cast<std::size_t>(found - known_.n.begin());
  }
  std::size_t last() const { return known_.last(); }

 private:
  // False if there was nothing to open.
  bool open(const std::vector<std::size_t>& runs) {
    if (runs.empty()) return false;
    all_open_ = runs_.open(runs);
    learn();
    return true;
  }

  // The ends of all runs, and all points of the open ones.
  void learn() {
    std::vector<std::size_t> start{1};  // where those of each run go
    for (std::size_t run = 0; run < count(); ++run) {
      start.push_back(start.back() + (runs_.is_open(run) ? runs_.points(run) : 1));
    }
    known_.n.resize(start.back());
    known_.y.resize(start.back());
    known_.n[0] = ends_.front().n;
    known_.y[0] = ends_.front().y;
    constexpr std::size_t together = 64;
    parallel((count() + together - 1) / together, threads_for(start.back(), threads_),
             [&](std::size_t task) {
               const std::size_t end = std::min(count(), (task + 1) * together);
               for (std::size_t run = task * together; run < end; ++run) {
                 double* const n = known_.n.data() + start[run];
                 double* const y = known_.y.data() + start[run];
                 if (runs_.is_open(run)) {
                   runs_.put(run, n, y);
                 } else {
                   *n = ends_[run + 1].n;
                   *y = ends_[run + 1].y;
                 }
               }
             });
    here_ = run_at(at_.n);
  }

  std::size_t count() const { return ends_.size() - 1; }

  // The last run that begins there or before.
  std::size_t run_at(double n) const {
    const auto after = std::upper_bound(ends_.begin(), ends_.end(), n,
                                        [](double least, const At& end) { return least < end.n; });
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(after - ends_.begin() - 1, 0, std::ssize(ends_) - 2));
  }

  std::vector<std::size_t> closed_between(std::size_t first, std::size_t last) const {
    std::vector<char> wanted(count());
    for (std::size_t run = first > 0 ? first - 1 : 0; run < std::min(last + 2, count()); ++run) {
      wanted[run] = 1;
    }
    return closed_ones(wanted);
  }

  SlopesAround slopes(const At& point, bool left) const {
    if (point.n == at_.n) return SlopesAround::at_own(point, at_, close_);
    return left ? SlopesAround::from_left(point, at_, close_)
                : SlopesAround::to_right(point, at_, close_);
  }

  // Where the points inside a run may be: in the parallelogram of its ends and of what it reaches
  // if its favourable outcomes come first, or last. A slope is largest and smallest at corners.
  std::array<At, 2> corners(std::size_t run) const {
    const At& from = ends_[run];
    const At& to = ends_[run + 1];
    const double y = to.y - from.y;
    return {At{from.n + y, to.y}, At{to.n - y, from.y}};
  }

  // SlopesAround from the target outwards, up to the end of each run; index 0 is the run with the
  // target. `own` is the best that a run may have; `hoped` takes these, `sure` only what is known.
  struct Side {
    std::vector<std::size_t> runs;
    std::vector<SlopesAround> own, hoped, sure;
  };

  void add(std::size_t run, bool left, Side& to) const {
    SlopesAround known;
    const auto begin = known_.n.begin();
    auto k =
        static_cast<std::size_t>(std::lower_bound(begin, known_.n.end(), ends_[run].n) - begin);
    for (; k < known_.size() && known_.n[k] <= ends_[run + 1].n; ++k) {
      const At point{known_.n[k], known_.y[k]};
      if (left ? point.n <= at_.n : point.n >= at_.n) known.take(slopes(point, left));
    }
    SlopesAround own = known;
    if (!runs_.is_open(run)) {
      for (const At& corner : corners(run)) own.take(slopes(corner, left));
    }
    SlopesAround hoped = to.hoped.empty() ? SlopesAround{} : to.hoped.back();
    SlopesAround sure = to.sure.empty() ? SlopesAround{} : to.sure.back();
    hoped.take(own);
    sure.take(known);
    to.runs.push_back(run);
    to.own.push_back(own);
    to.hoped.push_back(hoped);
    to.sure.push_back(sure);
  }

  // Of runs that begin within `mass`: no narrower window goes further.
  Side side(bool left, double mass) const {
    Side out;
    if (left) {
      for (std::size_t run = here_ + 1; run-- > 0 && at_.n - ends_[run + 1].n <= mass;) {
        add(run, left, out);
      }
    } else {
      for (std::size_t run = here_; run + 1 < ends_.size() && ends_[run].n - at_.n <= mass; ++run) {
        add(run, left, out);
      }
    }
    return out;
  }

  // Closed runs that may hold an end of a window no wider than this one, and those nearer to the
  // target that may decide whether that is one.
  std::vector<std::size_t> that_may_be_narrower(const std::optional<CoinWindow>& window) const {
    if (window) {
      const double mass = mass_of(*window);
      return that_may_hold_ends(side(true, mass), side(false, mass), mass);
    }
    const Side left = side(true, infinity);
    const Side right = side(false, infinity);
    // None is known: the nearest ones first.
    for (double mass = known_.whole.n / 512;; mass *= 2) {
      std::vector<std::size_t> out = that_may_hold_ends(left, right, mass);
      if (!out.empty() || mass >= known_.whole.n) return out;
    }
  }

  std::vector<std::size_t> that_may_hold_ends(const Side& left, const Side& right,
                                              double mass) const {
    std::vector<char> wanted(count());
    // The nearest run on the right that may do comes nearer as the one on the left goes away.
    std::size_t b = right.runs.size();
    for (std::size_t a = 0; a < left.runs.size(); ++a) {
      while (b > 0 && left.hoped[a].meets(right.hoped[b - 1])) --b;
      if (b == right.runs.size()) continue;
      const double from = std::min(at_.n, ends_[left.runs[a] + 1].n);  // or further away
      for (std::size_t other = b; other < right.runs.size(); ++other) {
        if (std::max(at_.n, ends_[right.runs[other]].n) - from > mass) break;
        wanted[left.runs[a]] = 1;
        wanted[right.runs[other]] = 1;
      }
    }
    add_deciding(left, wanted);
    add_deciding(right, wanted);
    return closed_ones(wanted);
  }

  // Ends are judged by all slopes between them and the target.
  static void add_deciding(const Side& side, std::vector<char>& wanted) {
    std::optional<std::size_t> next;  // the nearest wanted run that is further away
    for (std::size_t i = side.runs.size(); i-- > 0;) {
      if (wanted[side.runs[i]] != 0) {
        next = i;
      } else if (next && side.own[i].may_improve(side.sure[*next - 1])) {
        wanted[side.runs[i]] = 1;
      }
    }
  }

  std::vector<std::size_t> closed_ones(const std::vector<char>& wanted) const {
    std::vector<std::size_t> out;
    for (std::size_t run = 0; run < wanted.size(); ++run) {
      if (wanted[run] != 0 && !runs_.is_open(run)) out.push_back(run);
    }
    return out;
  }

  // Closed runs inside the window that may hold the middle threshold of the mixture with the least
  // sum of n q (1 - q). In units of the window's mass that sum is s (1 - s) - w^2 v (1 - v): s is
  // the target's place between the ends, v the middle threshold's, and w = h / H its weight, of
  // their heights above the segment between the ends.
  std::vector<std::size_t> that_may_need_fewer(const CoinWindow& window,
                                               const std::optional<Mixture>& mixture) const {
    if (mixture && mixture->size() < 3) return {};
    const Points& points = known_;
    const At a{points.n[window.a], points.y[window.a]};
    const Offset whole{points.n[window.b] - a.n, points.y[window.b] - a.y};
    const auto height = [&](const At& p) { return cross(whole, {p.n - a.n, p.y - a.y}); };
    const double h = std::abs(height(at_));
    const double side = height(at_) < 0 ? -1 : 1;
    constexpr double rounding = 1e-14;
    double most = -infinity;  // of w^2 v (1 - v) so far
    if (mixture) {
      const Share& middle = (*mixture)[1];
      const double v = (points.n[middle.k] - a.n) / whole.n;
      most = middle.weight * middle.weight * v * (1 - v);
    }
    std::vector<char> wanted(count());
    for (std::size_t run = 0; run < wanted.size(); ++run) {
      const double from = std::max(0.0, (ends_[run].n - a.n) / whole.n);
      const double to = std::min(1.0, (ends_[run + 1].n - a.n) / whole.n);
      if (from >= to) continue;
      double lowest = infinity;
      for (const At& corner : corners(run)) lowest = std::min(lowest, side * height(corner));
      const double w = lowest > h ? h / lowest : 1;
      const double v = std::clamp(0.5, from, to);
      if (w * w * v * (1 - v) >= most - rounding) wanted[run] = 1;
    }
    return closed_ones(wanted);
  }

  PointRuns& runs_;
  const std::vector<At>& ends_;
  At at_;
  unsigned threads_;
  std::size_t here_ = 0;
  double close_ = 0;
  bool all_open_ = true;  // of those asked for last
  Points known_;          // of the cell, those that were looked at
};

}  // namespace

std::optional<Response> fewest_response(PointRuns& runs, const At& at, double snap,
                                        unsigned threads) {
  SearchInRuns search(runs, at, threads);
  const std::optional<Mixture> mixture = search.run(snap);
  if (!mixture) return std::nullopt;
  return response_of(*mixture, search.last(),
                     [&](std::size_t k) { return runs.boundary(search.n(k)); });
}

}  // namespace evenhand
