#include "tally/bin_chances.h"

#include <evenhand/advice.h>

#include <algorithm>

namespace evenhand {
const std::vector<Wide>& Tally::Data::bin_chances(unsigned threads) const {
  std::call_once(chances_once_, [&] {
    if (reading.scale == Scale::signed_) {
      chances_ = chances_of(*binned, threads, [](CellCode, double x) { return (1 + x) / 2; });
    } else if (reading.favorable == Favorable::low) {
      chances_ = chances_of(*binned, threads, [](CellCode, double x) { return 1 + x; });
    } else {
      chances_ = chances_of(*binned, threads, [](CellCode, double x) { return x; });
    }
  });
  return chances_;
}

bool only_zero_and_one(const Tally& tally) {
  const Tally::Data& data = tally.data();
  const Doubles& scores = data.binned ? data.binned->score : data.sorted().score;
  return std::all_of(scores.begin(), scores.end(), [&](double x) {
    const double score = data.reading.turn(x);
    return score == 0 || score == 1;
  });
}

}  // namespace evenhand
