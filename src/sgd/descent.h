// The steps of one stratum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sgd/plan.h"

namespace evenhand::sgd {

class Descent {
 public:
  Descent(const StratumPlan& plan, double gamma) : bound_(plan.bound), gamma_(gamma) {
    for (std::size_t g = 0; g < plan.share.size(); ++g) {
      list_.push_back({.share = plan.share[g], .box = plan.box[g]});
    }
  }

  // A row of this group with benefit h. `rate` is the learning rate, times the row's weight if rows
  // are not drawn by it.
  void step(std::size_t group, double h, double rate) noexcept {
    Multiplier* const list = list_.data();
    const std::size_t size = list_.size();
    double price = group < size ? list[group].last : 0;
    for (std::size_t g = 0; g < size; ++g) price -= list[g].share * list[g].last;
    const double q = std::clamp((h - price) / gamma_, 0.0, 1.0);
    for (std::size_t g = 0; g < size; ++g) {
      Multiplier& mu = list[g];
      const double w = (g == group ? 1 : 0) - mu.share;
      mu.last = std::clamp(mu.last - rate * (bound_ - w * q), mu.box.low, mu.box.high);
      mu.sum += mu.last;
    }
    ++steps_;
  }

  void set_share(std::size_t group, double share) noexcept { list_[group].share = share; }

  std::size_t size() const noexcept { return list_.size(); }
  double last(std::size_t group) const noexcept { return list_[group].last; }
  double mean(std::size_t group) const noexcept {
    return steps_ == 0 ? 0 : list_[group].sum / static_cast<double>(steps_);
  }
  std::uint64_t steps() const noexcept { return steps_; }

 private:
  struct Multiplier {
    double last = 0;
    double sum = 0;  // of all iterates
    double share = 0;
    Box box{};
  };
  std::vector<Multiplier> list_;
  double bound_;
  double gamma_;
  std::uint64_t steps_ = 0;
};

}  // namespace evenhand::sgd
