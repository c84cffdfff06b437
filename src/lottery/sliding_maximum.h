#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenhand {

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

}  // namespace evenhand
