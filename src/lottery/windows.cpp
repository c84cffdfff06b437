#include "lottery/windows.h"

#include <algorithm>
#include <cstdint>

#include "support/infinity.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

// The largest value among points that enter at one end and leave at the other: candidates whose
// value falls, so that the first is the largest, and of several the first of these.
class SlidingMaximum {
 public:
  explicit SlidingMaximum(std::span<const double> values) : values_(values) {}
  void enter(std::size_t k) {
    while (waiting_.size() > head_ && values_[waiting_.back()] < values_[k]) waiting_.pop_back();
    waiting_.push_back(static_cast<std::uint32_t>(k));
  }
  template <class Gone>
  void leave_while(Gone gone) {
    while (head_ < waiting_.size() && gone(waiting_[head_])) ++head_;
  }
  bool empty() const { return head_ == waiting_.size(); }
  std::size_t best() const { return waiting_[head_]; }

 private:
  std::span<const double> values_;
  std::vector<std::uint32_t> waiting_;
  std::size_t head_ = 0;
};

// All rates of these lists, each once, ascending.
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

double highest(const RateWindow& window, double lowest) {
  return window.relation == Relation::ratio ? lowest / window.ratio * (1 + same_rate) + same_rate
                                            : lowest + window.tolerance + same_rate;
}

std::size_t best_between(const Rated& cell, double low, double high) {
  std::size_t best = cell.rate.size();
  const auto begin = std::lower_bound(cell.rate.begin(), cell.rate.end(), low);
  for (auto k = static_cast<std::size_t>(begin - cell.rate.begin());
       k < cell.rate.size() && cell.rate[k] <= high; ++k) {
    if (best == cell.rate.size() || cell.value[k] > cell.value[best]) best = k;
  }
  return best;
}

Pick best_between(std::span<const Rated> cells, double low, double high) {
  Pick out{0, {}, 0};
  for (const Rated& cell : cells) {
    const std::size_t k = best_between(cell, low, high);
    if (k == cell.rate.size()) return {};
    out.at.push_back(k);
    out.value += cell.value[k];
  }
  out.bound = out.value;
  return out;
}

// Which rates of a cell lie within `tolerance` of another one: begin and end rise with it.
class Near {
 public:
  Near(const Doubles& rates, double tolerance) : rates_(rates), reach_(tolerance + same_rate) {}
  void move_to(double rate) {
    while (begin_ < rates_.size() && rates_[begin_] < rate - reach_) ++begin_;
    while (end_ < rates_.size() && rates_[end_] <= rate + reach_) ++end_;
  }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }

 private:
  const Doubles& rates_;
  double reach_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// For each point of one cell those allowed to the other are an interval whose ends both rise.
Pick best_of_two(const Rated& one, const Rated& two, double tolerance) {
  Near near(two.rate, tolerance);
  Near near_other(two.other, tolerance);
  const bool compared = !one.rate.empty() && !two.rate.empty();
  const bool other_compared = !one.other.empty() && !two.other.empty();
  SlidingMaximum sliding(two.value);
  Pick out;
  std::size_t entered = 0;
  for (std::size_t i = 0; i < one.value.size(); ++i) {
    std::size_t begin = 0;
    std::size_t end = two.value.size();
    if (compared) {
      near.move_to(one.rate[i]);
      begin = near.begin();
      end = near.end();
    }
    if (other_compared) {
      near_other.move_to(one.other[i]);
      begin = std::max(begin, near_other.begin());
      end = std::min(end, near_other.end());
    }
    while (entered < end) sliding.enter(entered++);
    sliding.leave_while([&](std::size_t k) { return k < begin; });
    // Both ends rise, so what has entered has not passed the end.
    if (sliding.empty()) continue;
    const double value = one.value[i] + two.value[sliding.best()];
    if (value > out.value) out = {value, {i, sliding.best()}, value};
  }
  return out;
}

std::size_t first_from(const Rated& cell, double rate) {
  return static_cast<std::size_t>(std::lower_bound(cell.rate.begin(), cell.rate.end(), rate) -
                                  cell.rate.begin());
}

struct BestLowest {
  double value = -infinity;
  double lowest = 0;
};

// The best pick whose lowest rate is in [from, to): given that rate, cells are independent.
BestLowest best_in_slice(std::span<const Rated> cells, const RateWindow& window, double from,
                         double to) {
  std::vector<std::vector<double>> rates;
  for (const Rated& cell : cells) {
    const std::size_t begin = first_from(cell, from);
    const std::size_t size = first_from(cell, to) - begin;
    const auto some = std::span(cell.rate).subspan(begin, size);
    rates.emplace_back(some.begin(), some.end());
  }
  const std::vector<double> lowest = merged(std::move(rates));
  std::vector<double> total(lowest.size(), 0);
  for (const Rated& cell : cells) {
    SlidingMaximum sliding(cell.value);
    std::size_t entered = first_from(cell, from);
    for (std::size_t i = 0; i < lowest.size(); ++i) {
      const double high = highest(window, lowest[i]);
      while (entered < cell.rate.size() && cell.rate[entered] <= high) sliding.enter(entered++);
      sliding.leave_while([&](std::size_t k) { return cell.rate[k] < lowest[i]; });
      total[i] += sliding.empty() ? -infinity : cell.value[sliding.best()];
    }
  }
  if (total.empty()) return {};
  const auto best = std::max_element(total.begin(), total.end());
  return {*best, lowest[static_cast<std::size_t>(best - total.begin())]};
}

// Where slices of about equally many rates begin. Each of them looks beyond its end as far as the
// window reaches: with a wide window many slices would look at the same points.
std::vector<double> slices_of(std::span<const Rated> cells, const RateWindow& window,
                              unsigned threads) {
  const Rated& longest = *std::max_element(
      cells.begin(), cells.end(),
      [](const Rated& a, const Rated& b) { return a.rate.size() < b.rate.size(); });
  constexpr std::size_t worthwhile = std::size_t{1} << 16U;
  const double middle = 0.5;
  const double most =
      std::max(4.0 * thread_count(threads), 1 / std::max(1e-9, highest(window, middle) - middle));
  const std::size_t count =
      std::min(longest.rate.size() / worthwhile + 1, static_cast<std::size_t>(most));
  std::vector<double> out = {-infinity};
  for (std::size_t i = 1; i < count; ++i) {
    const double rate = longest.rate[longest.rate.size() / count * i];
    if (rate > out.back()) out.push_back(rate);
  }
  out.push_back(infinity);
  return out;
}

}  // namespace

// The lowest rate of a best pick is one of the cells' rates.
Pick best_in_window(std::span<const Rated> cells, const RateWindow& window, unsigned threads) {
  if (window.relation == Relation::target) {
    const double reach = window.tolerance + same_rate;
    return best_between(cells, window.rho - reach, window.rho + reach);
  }
  const std::vector<double> slices = slices_of(cells, window, threads);
  std::vector<BestLowest> found(slices.size() - 1);
  parallel(found.size(), threads, [&](std::size_t i) {
    found[i] = best_in_slice(cells, window, slices[i], slices[i + 1]);
  });
  const BestLowest& best =
      *std::max_element(found.begin(), found.end(),
                        [](const BestLowest& a, const BestLowest& b) { return a.value < b.value; });
  if (best.value == -infinity) return {};
  return best_between(cells, best.lowest, highest(window, best.lowest));
}

Pick best_of_two_rates(std::span<const Rated> cells, double tolerance) {
  return cells.size() == 2 ? best_of_two(cells[0], cells[1], tolerance)
                           : best_in_boxes(cells, tolerance);
}

RangeMaximum::RangeMaximum(std::span<const double> values) : values_(values) {
  const std::size_t blocks = (values.size() + width - 1) / width;
  std::vector<std::size_t>& first = table_.emplace_back();
  for (std::size_t i = 0; i < blocks; ++i) {
    first.push_back(scan(i * width, std::min(values.size(), (i + 1) * width)));
  }
  for (std::size_t span = 1; 2 * span <= blocks; span *= 2) {
    const std::vector<std::size_t>& before = table_.back();
    std::vector<std::size_t> next(blocks - 2 * span + 1);
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = better(before[i], before[i + span]);
    table_.push_back(std::move(next));
  }
}

std::size_t RangeMaximum::scan(std::size_t begin, std::size_t end) const {
  std::size_t best = begin;
  for (std::size_t k = begin + 1; k < end; ++k) best = better(best, k);
  return best;
}

std::size_t RangeMaximum::operator()(std::size_t begin, std::size_t end) const {
  const std::size_t first = (begin + width - 1) / width;  // whole blocks
  const std::size_t last = end / width;
  if (first >= last) return scan(begin, end);
  std::size_t level = 0;
  while ((std::size_t{2} << level) <= last - first) ++level;
  std::size_t best = better(table_[level][first], table_[level][last - (std::size_t{1} << level)]);
  if (begin < first * width) best = better(scan(begin, first * width), best);
  if (last * width < end) best = better(best, scan(last * width, end));
  return best;
}

}  // namespace evenhand
