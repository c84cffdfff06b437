// Equalized odds without coins, any number of groups: best-first branch and bound over the lower
// ends of the two windows in which all rates lie.
#include <algorithm>
#include <array>
#include <iterator>
#include <queue>
#include <tuple>
#include <utility>

#include "lottery/windows.h"

namespace evenhand {
namespace {

constexpr std::size_t most_boxes = 1'000'000;

// Candidates [begin, end] for the lower end of each window, as indices into their sorted values.
struct Box {
  std::size_t begin, end;
  std::size_t other_begin, other_end;
  auto key() const { return std::tie(begin, end, other_begin, other_end); }
};

struct Bounded {
  double value;
  Box box;
  // The largest value first; of equal ones the box with the smallest rates.
  bool operator<(const Bounded& other) const {
    return value != other.value ? value < other.value : other.box.key() < box.key();
  }
};

std::vector<double> distinct(std::span<const Rated> cells, Doubles Rated::*rates) {
  std::vector<std::vector<double>> lists;
  for (const Rated& cell : cells) {
    std::ranges::unique_copy(cell.*rates, std::back_inserter(lists.emplace_back()));
  }
  std::vector<double> all = merged(std::move(lists));
  if (all.empty()) all.push_back(0);
  return all;
}

class Boxes {
 public:
  Boxes(std::span<const Rated> cells, double tolerance)
      : cells_(cells),
        reach_(tolerance + same_rate),
        lower_(distinct(cells, &Rated::rate)),
        other_(distinct(cells, &Rated::other)) {
    for (const Rated& cell : cells) maxima_.emplace_back(cell.value);
  }

  Pick run() {
    consider({0, lower_.size() - 1, 0, other_.size() - 1});
    for (std::size_t count = 0; !waiting_.empty() && count < most_boxes; ++count) {
      const auto [value, box] = waiting_.top();
      if (value <= best_.value) break;
      waiting_.pop();
      split(box);
    }
    best_.bound = best_.value;
    if (!waiting_.empty()) best_.bound = std::max(best_.bound, waiting_.top().value);
    return best_;
  }

 private:
  // Which points have their rate in [low, high].
  static void cut(const Doubles& rates, double low, double high, std::size_t& begin,
                  std::size_t& end) {
    if (rates.empty()) return;
    const auto from = std::lower_bound(rates.begin(), rates.end(), low);
    const auto to = std::upper_bound(rates.begin(), rates.end(), high);
    begin = std::max(begin, static_cast<std::size_t>(from - rates.begin()));
    end = std::min(end, static_cast<std::size_t>(to - rates.begin()));
  }

  static bool together(std::span<const Rated> cells, Doubles Rated::*rates,
                       const std::vector<std::size_t>& at, double reach) {
    double lowest = 1;
    double highest = 0;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const Doubles& rate = cells[c].*rates;
      if (rate.empty()) continue;
      lowest = std::min(lowest, rate[at[c]]);
      highest = std::max(highest, rate[at[c]]);
    }
    return highest - lowest <= reach;
  }

  // In a box each cell does at best as well as its best point with both rates in the box's reach.
  // If these points are together a pick, nothing in the box is better.
  void consider(const Box& box) {
    Pick pick{0, {}, 0};
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      std::size_t begin = 0;
      std::size_t end = cells_[c].value.size();
      cut(cells_[c].rate, lower_[box.begin], lower_[box.end] + reach_, begin, end);
      cut(cells_[c].other, other_[box.other_begin], other_[box.other_end] + reach_, begin, end);
      if (begin >= end) return;
      pick.at.push_back(maxima_[c](begin, end));
      pick.value += cells_[c].value[pick.at.back()];
    }
    if (pick.value <= best_.value) return;
    if (together(cells_, &Rated::rate, pick.at, reach_) &&
        together(cells_, &Rated::other, pick.at, reach_)) {
      best_ = std::move(pick);
    } else {
      waiting_.push({pick.value, box});
    }
  }

  // The last candidate of the lower half, by value; there is one more at least.
  static std::size_t middle(const std::vector<double>& values, std::size_t begin, std::size_t end) {
    const double half = (values[begin] + values[end]) / 2;
    const auto above = std::upper_bound(values.begin(), values.end(), half);
    const auto last = static_cast<std::size_t>(above - values.begin());
    return std::clamp(last == 0 ? 0 : last - 1, begin, end - 1);
  }

  // A box of one candidate for either window is attained, so that one side is left to split.
  void split(const Box& box) {
    const double width = lower_[box.end] - lower_[box.begin];
    const double other_width = other_[box.other_end] - other_[box.other_begin];
    Box low = box;
    Box high = box;
    if (box.end > box.begin && (width >= other_width || box.other_end == box.other_begin)) {
      low.end = middle(lower_, box.begin, box.end);
      high.begin = low.end + 1;
    } else if (box.other_end > box.other_begin) {
      low.other_end = middle(other_, box.other_begin, box.other_end);
      high.other_begin = low.other_end + 1;
    } else {
      return;
    }
    consider(low);
    consider(high);
  }

  std::span<const Rated> cells_;
  double reach_;
  std::vector<double> lower_, other_;
  std::vector<RangeMaximum> maxima_;
  std::priority_queue<Bounded> waiting_;
  Pick best_;
};

}  // namespace

Pick best_in_boxes(std::span<const Rated> cells, double tolerance) {
  return Boxes(cells, tolerance).run();
}

}  // namespace evenhand
