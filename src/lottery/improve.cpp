#include <algorithm>

#include "lottery/branch.h"
#include "support/infinity.h"

namespace evenhand {
namespace {

constexpr double tiny_change = 1e-10;

// What the other cells leave to one of them.
class Alone {
 public:
  Alone(const Limits& limits, std::size_t cell, const std::vector<double>& values, const At& now)
      : limits_(limits), values_(values), own_(values.size()) {
    for (std::size_t q = 0; q < limits.quantities.size(); ++q) {
      for (const Quantity::Part& part : limits.quantities[q].parts) {
        if (part.cell != cell) continue;
        own_[q].n += part.n;
        own_[q].y += part.y;
        values_[q] -= part.n * now.n + part.y * now.y;
      }
      if (own_[q].n != 0 || own_[q].y != 0) touched_.push_back(q);
    }
    rest_ = values_;
  }

  double violation_at(const At& at) {
    for (const std::size_t q : touched_)
      values_[q] = rest_[q] + own_[q].n * at.n + own_[q].y * at.y;
    const double sum = total_violation(limits_, values_);
    return sum < tiny_change ? 0 : sum;
  }

 private:
  const Limits& limits_;
  std::vector<double> values_, rest_;
  std::vector<At> own_;  // the cell's coefficients
  std::vector<std::size_t> touched_;
};

}  // namespace

bool improve(const Limits& limits, const std::vector<Points>& points,
             std::vector<std::size_t>& at) {
  std::vector<At> reached;
  for (std::size_t c = 0; c < at.size(); ++c) {
    reached.push_back({points[c].n[at[c]], points[c].y[at[c]]});
  }
  constexpr int most_sweeps = 6;
  double violation = infinity;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool moved = false;
    for (std::size_t c = 0; c < at.size(); ++c) {
      Alone alone(limits, c, values_at(limits, reached), reached[c]);
      const Doubles& worth = points[c].value;
      std::size_t best = at[c];
      double least = alone.violation_at(reached[c]);
      for (std::size_t k = 0; k < worth.size(); ++k) {
        const double here = alone.violation_at({points[c].n[k], points[c].y[k]});
        if (here < least - tiny_change || (here <= least + tiny_change && worth[k] > worth[best])) {
          best = k;
          least = here;
        }
      }
      violation = least;
      if (best == at[c]) continue;
      at[c] = best;
      reached[c] = {points[c].n[best], points[c].y[best]};
      moved = true;
    }
    if (!moved) break;
  }
  return violation == 0;
}

}  // namespace evenhand
