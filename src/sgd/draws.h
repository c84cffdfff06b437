// Rows of a stratum, drawn at random by their weight in constant time (Walker's alias method).
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sgd/plan.h"

namespace evenhand::sgd {

class Draws {
 public:
  struct Row {
    double h;
    std::uint32_t group;
  };

  Draws(const StratumPlan& stratum, const Problem& problem, std::uint64_t seed,
        std::size_t number);  // the number of the stratum: each has its own random numbers

  const Row& next() noexcept {
    // One number chooses the slot by its leading bits, and its row by what follows.
    const double at = static_cast<double>(random_() >> 11U) * 0x1p-53 * size_;
    const auto slot = static_cast<std::size_t>(at);
    return rows_[at - static_cast<double>(slot) < keep_[slot] ? slot : other_[slot]];
  }

 private:
  std::mt19937_64 random_;
  std::vector<Row> rows_;
  std::vector<double> keep_;  // the chance that a slot gives its own row
  std::vector<std::uint32_t> other_;
  double size_ = 0;
};

}  // namespace evenhand::sgd
