#include <evenhand/evenhand.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "timing.h"

namespace evenhand::bench {
namespace {

// A hundred people for each group and stratum.
Tally tally_of(int groups, int strata) {
  std::mt19937_64 random(11);
  const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  std::vector<std::vector<std::string>> cells;
  for (int g = 0; g < groups; ++g) {
    for (int k = 0; k < strata; ++k) {
      cells.push_back({std::to_string(1000 + g), std::to_string(1000 + k)});
    }
  }
  std::vector<double> score;
  std::vector<CellCode> code;
  std::vector<std::uint8_t> label;
  for (std::size_t i = 0; i < 100 * cells.size(); ++i) {
    code.push_back(static_cast<CellCode>(random() % cells.size()));
    score.push_back(std::pow(
        unit(), 0.5 + static_cast<double>(code.back()) / static_cast<double>(cells.size())));
    label.push_back(unit() < score.back() ? 1 : 0);
  }
  return Tally::of(score, CellNames({"group", "stratum"}, cells), code, {.label = label});
}

double time_of(const Tally& tally, const Criterion& criterion, double gamma) {
  std::vector<double> times;
  for (int round = 0; round < 3; ++round) {
    Solution fit;
    times.push_back(seconds([&] {
      fit = solve(tally, criterion, {.gamma = gamma});
      (void)price_of_no_coins(tally, fit);
    }));
    require(fit.status == Status::optimal, "a fit of many groups is not proven optimal");
  }
  return median(times);
}

void judge(const char* what, double time, double most) {
  const bool ok = time <= most;
  missed = missed || !ok;
  std::printf("  %-58s %6.3f s (at most %.1f)  %s\n", what, time, most, ok ? "ok" : "MISSED");
}

}  // namespace

void bench_groups() {
  std::printf("many groups, after the tally:\n");
  const Roles within{{"group"}, {"stratum"}};
  const Tally wide = tally_of(300, 1);
  for (const char* name : {"statistical-parity", "equalized-odds"}) {
    judge((std::string(name) + " within 0.02, 300 groups").c_str(),
          time_of(wide, criterion_from(name, {within, 0.02}), 0), 0.5);
  }
  const Criterion odds = criterion_from("equalized-odds", {within, 0.02});
  judge("equalized-odds within 0.02, 100 groups, gamma 0.01", time_of(tally_of(100, 1), odds, 0.01),
        2);
  const Tally square = tally_of(10, 10);
  judge("equalized-odds within 0.02, 10 groups of 10 strata, gamma 0.01",
        time_of(square, odds, 0.01), 2);
  for (const double gamma : {0.0, 0.01}) {
    const auto across = [&](Across how) {
      return time_of(
          square, criterion_from("equalized-odds", {{{"group", "stratum"}, {}, how}, 0.02}), gamma);
    };
    const double both = across(Across::both);
    report(gamma > 0 ? "across both / intersection, gamma 0.01" : "across both / intersection",
           both / across(Across::intersection), 3, both);
  }
}

}  // namespace evenhand::bench
