// The steps of one stratum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sgd/plan.h"

namespace evenhand::sgd {

class Descent {
 public:
  Descent(const StratumPlan& plan, double gamma)
      : share_(plan.share),
        box_(plan.box),
        bound_(plan.bound),
        gamma_(gamma),
        last_(plan.share.size()),
        sum_(plan.share.size()) {}

  // A row of this group with benefit h. `rate` is the learning rate, times the row's weight if rows
  // are not drawn by it.
  void step(std::size_t group, double h, double rate) noexcept {
    double price = group < last_.size() ? last_[group] : 0;
    for (std::size_t g = 0; g < last_.size(); ++g) price -= share_[g] * last_[g];
    const double q = std::clamp((h - price) / gamma_, 0.0, 1.0);
    for (std::size_t g = 0; g < last_.size(); ++g) {
      const double w = (g == group ? 1 : 0) - share_[g];
      last_[g] = std::clamp(last_[g] - rate * (bound_ - w * q), box_[g].low, box_[g].high);
      sum_[g] += last_[g];
    }
    ++steps_;
  }

  void set_share(std::size_t group, double share) noexcept { share_[group] = share; }

  std::size_t size() const noexcept { return last_.size(); }
  double last(std::size_t group) const noexcept { return last_[group]; }
  double mean(std::size_t group) const noexcept {
    return steps_ == 0 ? 0 : sum_[group] / static_cast<double>(steps_);
  }
  std::uint64_t steps() const noexcept { return steps_; }

 private:
  std::vector<double> share_;
  std::vector<Box> box_;
  double bound_;
  double gamma_;
  std::vector<double> last_;
  std::vector<double> sum_;
  std::uint64_t steps_ = 0;
};

}  // namespace evenhand::sgd
