#include <evenhand/evenhand.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "timing.h"

namespace evenhand::bench {

// One rule for eight groups, a million distinct scores.
void bench_blind() {
  std::mt19937_64 random(9);
  const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  const CellNames names({"group"}, {{"A"}, {"B"}, {"C"}, {"D"}, {"E"}, {"F"}, {"G"}, {"H"}});
  std::vector<double> score;
  std::vector<CellCode> code;
  std::vector<std::uint8_t> label;
  for (int i = 0; i < 1'000'000; ++i) {
    code.push_back(static_cast<CellCode>(random() % 8));
    score.push_back(std::pow(unit(), 0.8 + code.back() / 16.0));
    label.push_back(unit() < score.back() ? 1 : 0);
  }
  for (const Criterion& criterion :
       {statistical_parity({.sensitive = {"group"}, .tolerance = 0.05}),
        equalized_odds({.sensitive = {"group"}, .tolerance = 0.02})}) {
    std::vector<double> sorting;
    std::vector<double> fitting;
    for (int round = 0; round < 7; ++round) {
      std::vector<double> copy = score;
      sorting.push_back(seconds([&] { std::sort(copy.begin(), copy.end()); }));
      Solution fit;
      fitting.push_back(seconds([&] {
        fit = solve(Tally::of(score, names, code, {.label = label}), criterion, {.blind = true});
      }));
      require(fit.status == Status::optimal && fit.rule.cells().size() == 1, "no blind optimum");
    }
    report(("blind " + criterion.name + ", 1e6 distinct scores, 8 groups").c_str(),
           median(fitting) / median(sorting), 4, median(fitting));
  }
}

}  // namespace evenhand::bench
