// One rate: the best thresholds whose rates lie in a common window.
#include <algorithm>

#include "lottery/sliding_maximum.h"
#include "lottery/windows.h"
#include "support/infinity.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

// Neighbouring points of a cell.
struct Stretch {
  std::size_t first;
  std::span<const double> value;
  std::span<const double> rate;

  std::size_t size() const noexcept { return rate.size(); }
  std::size_t first_from(double least) const noexcept {
    return static_cast<std::size_t>(std::lower_bound(rate.begin(), rate.end(), least) -
                                    rate.begin());
  }
};

// Points of all cells that are in memory.
class Held {
 public:
  explicit Held(std::span<const Rated> cells) {
    for (const Rated& cell : cells) of_.push_back({0, cell.value, cell.rate});
  }

  std::size_t count() const { return of_.size(); }
  std::size_t size(std::size_t cell) const { return of_[cell].size(); }
  double rate(std::size_t cell, std::size_t k) const { return of_[cell].rate[k]; }
  // Those with rates in [low, high], and perhaps others.
  const Held& between(double /*low*/, double /*high*/) const { return *this; }
  std::span<const Stretch> of() const { return of_; }

 private:
  std::vector<Stretch> of_;
};

// Points of all cells that are worked out when they are looked at.
class Made {
 public:
  explicit Made(std::span<const RatedSums> cells) : cells_(cells) {}

  std::size_t count() const { return cells_.size(); }
  std::size_t size(std::size_t cell) const { return cells_[cell].sums->size(); }
  double rate(std::size_t cell, std::size_t k) const {
    return cells_[cell].rate_at(cells_[cell].sums->at(k));
  }

  class Some {
   public:
    Some(std::span<const RatedSums> cells, double low, double high) {
      value_.reserve(cells.size());
      rate_.reserve(cells.size());
      for (const RatedSums& cell : cells) {
        const std::size_t first =
            cell.sums->first_where([&](const At& at) { return cell.rate_at(at) >= low; });
        const std::size_t last =
            cell.sums->first_where([&](const At& at) { return cell.rate_at(at) > high; });
        Points points = cell.sums->stretch(first, std::max(first, last));
        Doubles& rate = rate_.emplace_back(points.size());
        for (std::size_t k = 0; k < rate.size(); ++k) {
          rate[k] = cell.rate_at({points.n[k], points.y[k]});
        }
        const Doubles& value = value_.emplace_back(std::move(points.value));
        of_.push_back({first, value, rate});
      }
    }
    std::span<const Stretch> of() const { return of_; }

   private:
    std::vector<Doubles> value_, rate_;
    std::vector<Stretch> of_;
  };
  Some between(double low, double high) const { return {cells_, low, high}; }

 private:
  std::span<const RatedSums> cells_;
};

double highest(const RateWindow& window, double lowest) {
  return window.relation == Relation::ratio ? lowest / window.ratio * (1 + same_rate) + same_rate
                                            : lowest + window.tolerance + same_rate;
}

// The best point with a rate in [low, high]; past the end if there is none.
std::size_t best_between(const Stretch& cell, double low, double high) {
  std::size_t best = cell.size();
  for (std::size_t k = cell.first_from(low); k < cell.size() && cell.rate[k] <= high; ++k) {
    if (best == cell.size() || cell.value[k] > cell.value[best]) best = k;
  }
  return best;
}

Pick best_between(std::span<const Stretch> cells, double low, double high) {
  Pick out{0, {}, 0};
  for (const Stretch& cell : cells) {
    const std::size_t k = best_between(cell, low, high);
    if (k == cell.size()) return {};
    out.at.push_back(cell.first + k);
    out.value += cell.value[k];
  }
  out.bound = out.value;
  return out;
}

struct BestLowest {
  double value = -infinity;
  double lowest = 0;
};

// The first point from `k` on with at least this rate: quickest for one of `lookups` that ascend.
std::size_t next_from(const Stretch& cell, std::size_t k, double least, std::size_t lookups) {
  constexpr std::size_t far = 8;
  if (cell.size() / far > lookups) {
    return static_cast<std::size_t>(
        std::lower_bound(cell.rate.begin() + static_cast<std::ptrdiff_t>(k), cell.rate.end(),
                         least) -
        cell.rate.begin());
  }
  while (k < cell.size() && cell.rate[k] < least) ++k;
  return k;
}

// Keeps lowest rates whose windows see a point of this cell.
void keep_those_that_see(const Stretch& cell, const RateWindow& window,
                         std::vector<double>& lowest) {
  std::size_t kept = 0;
  std::size_t k = 0;
  for (const double low : lowest) {
    k = next_from(cell, k, low, lowest.size());
    if (k < cell.size() && cell.rate[k] <= highest(window, low)) lowest[kept++] = low;
  }
  lowest.resize(kept);
}

// Rates in [from, to) that may be the lowest of a pick: few, where windows are narrow.
std::vector<double> lowest_rates(std::span<const Stretch> cells, const RateWindow& window,
                                 double from, double to) {
  std::vector<std::vector<double>> rates;
  for (const Stretch& cell : cells) {
    const std::size_t begin = cell.first_from(from);
    const auto some = cell.rate.subspan(begin, cell.first_from(to) - begin);
    std::vector<double>& lowest = rates.emplace_back(some.begin(), some.end());
    for (const Stretch& other : cells) {
      const std::size_t before = lowest.size();
      if (&other != &cell) keep_those_that_see(other, window, lowest);
      if (&other != &cell && 2 * lowest.size() > before) break;  // wide ones: not worth the looks
    }
  }
  return merged(std::move(rates));
}

// The best pick whose lowest rate is in [from, to): given that rate, cells are independent.
BestLowest best_in_slice(std::span<const Stretch> cells, const RateWindow& window, double from,
                         double to) {
  const std::vector<double> lowest = lowest_rates(cells, window, from, to);
  std::vector<double> total(lowest.size(), 0);
  for (const Stretch& cell : cells) {
    SlidingMaximum sliding(cell.value);
    std::size_t entered = 0;
    for (std::size_t i = 0; i < lowest.size(); ++i) {
      const double high = highest(window, lowest[i]);
      sliding.leave_while([&](std::size_t k) { return cell.rate[k] < lowest[i]; });
      if (sliding.empty()) entered = next_from(cell, entered, lowest[i], lowest.size());
      while (entered < cell.size() && cell.rate[entered] <= high) sliding.enter(entered++);
      total[i] += sliding.empty() ? -infinity : cell.value[sliding.best()];
    }
  }
  if (total.empty()) return {};
  const auto best = std::max_element(total.begin(), total.end());
  return {*best, lowest[static_cast<std::size_t>(best - total.begin())]};
}

// Where slices of about equally many rates begin. Each of them looks beyond its end as far as the
// window reaches: with a wide window many slices would look at the same points.
template <class Cells>
std::vector<double> slices_of(const Cells& cells, const RateWindow& window, unsigned threads) {
  std::size_t longest = 0;
  for (std::size_t c = 1; c < cells.count(); ++c) {
    if (cells.size(c) > cells.size(longest)) longest = c;
  }
  constexpr std::size_t worthwhile = std::size_t{1} << 16U;
  const double most = std::max(4.0 * thread_count(threads), 1 / std::max(1e-9, reach_of(window)));
  const std::size_t size = cells.size(longest);
  const std::size_t count = std::min(size / worthwhile + 1, static_cast<std::size_t>(most));
  std::vector<double> out = {-infinity};
  for (std::size_t i = 1; i < count; ++i) {
    const double rate = cells.rate(longest, size / count * i);
    if (rate > out.back()) out.push_back(rate);
  }
  out.push_back(infinity);
  return out;
}

// The lowest rate of a best pick is one of the cells' rates.
template <class Cells>
Pick best_in(const Cells& cells, const RateWindow& window, unsigned threads) {
  if (window.relation == Relation::target) {
    const double reach = window.tolerance + same_rate;
    const auto& some = cells.between(window.rho - reach, window.rho + reach);
    return best_between(some.of(), window.rho - reach, window.rho + reach);
  }
  const std::vector<double> slices = slices_of(cells, window, threads);
  std::vector<BestLowest> found(slices.size() - 1);
  parallel(found.size(), threads, [&](std::size_t i) {
    const auto& some = cells.between(slices[i], highest(window, slices[i + 1]));
    found[i] = best_in_slice(some.of(), window, slices[i], slices[i + 1]);
  });
  const BestLowest& best =
      *std::max_element(found.begin(), found.end(),
                        [](const BestLowest& a, const BestLowest& b) { return a.value < b.value; });
  if (best.value == -infinity) return {};
  const double high = highest(window, best.lowest);
  const auto& some = cells.between(best.lowest, high);
  return best_between(some.of(), best.lowest, high);
}

}  // namespace

std::vector<double> merged(std::vector<std::vector<double>> lists) {
  while (lists.size() > 1) {
    std::vector<std::vector<double>> fewer;
    for (std::size_t i = 0; i + 1 < lists.size(); i += 2) {
      std::vector<double> both(lists[i].size() + lists[i + 1].size());
      std::merge(lists[i].begin(), lists[i].end(), lists[i + 1].begin(), lists[i + 1].end(),
                 both.begin());
      both.erase(std::unique(both.begin(), both.end()), both.end());
      fewer.push_back(std::move(both));
    }
    if (lists.size() % 2 == 1) fewer.push_back(std::move(lists.back()));
    lists = std::move(fewer);
  }
  std::vector<double>& all = lists.front();
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return std::move(all);
}

double reach_of(const RateWindow& window) {
  const double middle = 0.5;
  return highest(window, middle) - middle;
}

Pick best_in_window(std::span<const Rated> cells, const RateWindow& window, unsigned threads) {
  return best_in(Held(cells), window, threads);
}

Pick best_in_window(std::span<const RatedSums> cells, const RateWindow& window, unsigned threads) {
  return best_in(Made(cells), window, threads);
}

}  // namespace evenhand
