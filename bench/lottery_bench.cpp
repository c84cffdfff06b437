#include <evenhand/evenhand.h>

#include <cstdint>
#include <string>
#include <vector>

#include "people.h"
#include "timing.h"

namespace evenhand::bench {
namespace {

People groups_of(std::uint64_t groups) {
  std::vector<std::vector<std::string>> cells;
  for (std::uint64_t g = 0; g < groups; ++g) cells.push_back({std::string(1, char('A' + g))});
  return million(groups, {"group"}, cells);
}

}  // namespace

// The best rule without a coin, and what it costs to have coins for the fewest people.
void bench_lottery() {
  std::printf("coins, 1e6 distinct scores; relative to std::sort of the scores:\n");
  struct Kind {
    const char* what;
    std::uint64_t groups;
    Criterion criterion;
    double most;
  };
  const ParityOptions near{.sensitive = {"group"}, .tolerance = 0.02};
  for (const Kind& kind : {Kind{"none, one rate, 4 groups", 4, statistical_parity(near), 2.5},
                           Kind{"none, odds, 2 groups", 2, equalized_odds(near), 4}}) {
    const People rows = groups_of(kind.groups);
    std::vector<double> sorting;
    std::vector<double> fitting;
    for (int round = 0; round < 5; ++round) {
      std::vector<double> copy = rows.score;
      sorting.push_back(seconds([&] { std::sort(copy.begin(), copy.end()); }));
      Solution fit;
      fitting.push_back(
          seconds([&] { fit = solve(rows.tally(), kind.criterion, {.lottery = Lottery::none}); }));
      require(fit.status == Status::optimal && fit.lottery_share == 0, "no optimum without coins");
    }
    report(kind.what, median(fitting) / median(sorting), kind.most, median(fitting));
  }
  std::printf("coins, fewest relative to least chance:\n");
  const People rows = groups_of(2);
  std::vector<double> fewest;
  std::vector<double> least;
  for (int round = 0; round < 5; ++round) {
    const auto fit = [&](Lottery lottery) {
      return seconds([&] { solve(rows.tally(), equalized_odds(near), {.lottery = lottery}); });
    };
    least.push_back(fit(Lottery::least_chance));
    fewest.push_back(fit(Lottery::fewest));
  }
  report("odds, 2 groups", median(fewest) / median(least), 1.1, median(fewest));
}

// What stricter tolerances cost: a hundred of them at once, and all at which the slope changes.
void bench_frontier() {
  std::printf("frontier, 1e6 distinct scores, 4 groups:\n");
  const People rows = groups_of(4);
  const ParityOptions near{.sensitive = {"group"}, .tolerance = 0.02};
  std::vector<double> tolerances;
  for (int i = 0; i < 100; ++i) tolerances.push_back(i / 500.0);
  struct Kind {
    const char* what;
    Criterion criterion;
  };
  for (const Kind& kind : {Kind{"100 tolerances / tally + fit, parity", statistical_parity(near)},
                           Kind{"100 tolerances / tally + fit, odds", equalized_odds(near)}}) {
    std::vector<double> one, hundred;
    for (int i = 0; i < 3; ++i) {
      one.push_back(seconds([&] { solve(rows.tally(), kind.criterion); }));
      Frontier all;
      hundred.push_back(seconds([&] { all = frontier(rows.tally(), kind.criterion, tolerances); }));
      const Solution fit = solve(rows.tally(), kind.criterion);  // i / 500 = 0.02
      require(all.points[10].objective == fit.primal, "the frontier is not that of single fits");
    }
    report(kind.what, median(hundred) / median(one), 5, median(hundred));
  }
  std::vector<FrontierPoint> found;
  const Tally tally = rows.tally();
  const double time =
      seconds([&] { found = frontier_breakpoints(tally, statistical_parity(near)); });
  require(found.size() > 1000, "breakpoints are missing");
  report("breakpoints, the first 10,000; seconds", time, 6, time);
}

void bench_soft_tolerance() {
  std::printf("soft with tolerance, 1e6 rows, 4 columns; seconds:\n");
  std::mt19937_64 random(5);
  const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  std::vector<double> score;
  std::vector<std::vector<double>> column(4);
  for (int i = 0; i < 1'000'000; ++i) {
    for (auto& values : column) values.push_back(unit());
    score.push_back(
        std::clamp(0.3 * column[0].back() + 0.1 * column[1].back() + 0.6 * unit(), 0.0, 1.0));
  }
  SoftRows rows{score, {}};
  for (std::size_t j = 0; j < column.size(); ++j) {
    rows.columns.push_back({"g" + std::to_string(j), column[j]});
  }
  for (const char* criterion : {"statistical-parity", "equalized-odds"}) {
    SoftOptions options;
    options.criterion = criterion;
    options.tolerance = 0.02;
    SoftSolution fit;
    const double time = seconds([&] { fit = solve_soft(rows, options); });
    require(fit.status == Status::optimal, "the soft fit is not proven optimal");
    report(criterion, time, 3, time);
  }
}

}  // namespace evenhand::bench
