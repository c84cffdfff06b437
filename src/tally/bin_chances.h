// Sums of probabilities by bin, in fixed point: exact, whatever the order of rows.
#pragma once

#include <algorithm>
#include <vector>

#include "support/parallel.h"
#include "tally/data.h"

namespace evenhand {

// Of each slot of the bins; probability(cell, score) is that of a row.
template <class Probability>
std::vector<Wide> chances_of(const Binned& binned, unsigned threads, Probability probability) {
  const std::size_t slots = binned.start.size() - 1;
  const std::size_t slots_of_cell = binned.bins * binned.parts;
  const Doubles& score = binned.score();
  std::vector<Wide> out(slots);
  const auto sum_of = [&](std::size_t slot) {
    const auto cell = static_cast<CellCode>(slot / slots_of_cell);
    const double* at = score.data() + binned.start[slot];
    const double* const end = score.data() + binned.start[slot + 1];
    constexpr std::ptrdiff_t run = 1024;  // so many units of 2^52 fit into 64 bits
    while (at < end) {
      std::int64_t sum = 0;
      for (const double* stop = at + std::min(run, end - at); at < stop; ++at) {
        sum += chance_units(probability(cell, *at));
      }
      out[slot] += sum;
    }
  };
  const std::size_t tasks = binned.rows() / (std::size_t{1} << 16U) + 1;
  parallel(tasks, threads, [&](std::size_t task) {
    for (std::size_t slot = slots * task / tasks; slot < slots * (task + 1) / tasks; ++slot) {
      sum_of(slot);
    }
  });
  return out;
}

}  // namespace evenhand
