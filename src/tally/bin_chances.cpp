#include <evenhand/advice.h>

#include <algorithm>

#include "support/parallel.h"
#include "tally/data.h"

namespace evenhand {
namespace {

template <class Probability>
Wide chances_of(const double* at, const double* end, Probability probability) {
  constexpr std::ptrdiff_t run = 1024;  // so many units of 2^52 fit into 64 bits
  Wide total = 0;
  while (at < end) {
    std::int64_t sum = 0;
    for (const double* stop = at + std::min(run, end - at); at < stop; ++at) {
      sum += chance_units(probability(*at));
    }
    total += sum;
  }
  return total;
}

template <class Probability>
std::vector<Wide> chances_of(const Binned& binned, unsigned threads, Probability probability) {
  const std::size_t slots = binned.start.size() - 1;
  std::vector<Wide> out(slots);
  const std::size_t tasks = binned.score.size() / (std::size_t{1} << 16U) + 1;
  parallel(tasks, threads, [&](std::size_t task) {
    for (std::size_t slot = slots * task / tasks; slot < slots * (task + 1) / tasks; ++slot) {
      const double* const score = binned.score.data();
      out[slot] =
          chances_of(score + binned.start[slot], score + binned.start[slot + 1], probability);
    }
  });
  return out;
}

}  // namespace

const std::vector<Wide>& Tally::Data::bin_chances(unsigned threads) const {
  std::call_once(chances_once_, [&] {
    if (reading.scale == Scale::signed_) {
      chances_ = chances_of(*binned, threads, [](double x) { return (1 + x) / 2; });
    } else if (reading.favorable == Favorable::low) {
      chances_ = chances_of(*binned, threads, [](double x) { return 1 + x; });
    } else {
      chances_ = chances_of(*binned, threads, [](double x) { return x; });
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
