// Rows that several benchmarks fit.
#pragma once

#include <evenhand/evenhand.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "timing.h"

namespace evenhand::bench {

struct People {
  std::vector<double> score;
  std::vector<CellCode> code;
  std::vector<std::uint8_t> label;
  CellNames names;

  Tally tally() const { return Tally::of(score, names, code, {.label = label}); }
};

// In [0, 1), the same on any machine.
inline double unit(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11U) * 0x1p-53;
}

// A million distinct scores, which differ between cells.
inline People million(std::uint64_t seed, const std::vector<std::string>& attributes,
                      const std::vector<std::vector<std::string>>& cells) {
  std::mt19937_64 random(seed);
  People out;
  out.names = CellNames(attributes, cells);
  for (int i = 0; i < 1'000'000; ++i) {
    out.code.push_back(static_cast<CellCode>(random() % cells.size()));
    out.score.push_back(std::pow(unit(random), 0.8 + out.code.back() / 8.0));
    out.label.push_back(unit(random) < out.score.back() ? 1 : 0);
  }
  return out;
}

// Seconds to read every column once, on so many threads: nothing that looks at all rows is faster.
template <class Columns>
double read_time(const Columns& columns, bool labels, unsigned threads) {
  std::vector<double> sums(threads);
  return seconds([&] {
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        const std::size_t begin = columns.score.size() * t / threads;
        const std::size_t end = columns.score.size() * (t + 1) / threads;
        double score = 0;
        std::uint64_t others = 0;
        for (std::size_t i = begin; i < end; ++i) {
          score += columns.score[i];
          others += columns.code[i];
        }
        for (std::size_t i = begin; labels && i < end; ++i) others += columns.label[i];
        sums[t] = score + static_cast<double>(others);
      });
    }
    workers.clear();
    require(sums[0] > 0, "nothing was read");
  });
}

}  // namespace evenhand::bench
