#include "lottery/windows.h"

#include <algorithm>

#include "lottery/sliding_maximum.h"

namespace evenhand {
namespace {

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

}  // namespace

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
