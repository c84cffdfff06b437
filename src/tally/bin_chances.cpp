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
  const auto is = [&](double x) {
    const double score = data.reading.turn(x);
    return score == 0 || score == 1;
  };
  if (data.binned) return data.binned->all_of(is);
  return std::ranges::all_of(data.sorted().score, is);
}

}  // namespace evenhand
