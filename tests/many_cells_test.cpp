// Rules of many cells: time and memory grow with their number, no faster.
#include <evenhand/fit_record.h>

#include <algorithm>
#include <ctime>

#include <gtest/gtest.h>

namespace evenhand::testing::many_cells_test {
namespace {

// Two people in each of many groups.
Tally tally_of(std::size_t groups) {
  std::vector<double> score;
  std::vector<std::string> group;
  for (std::size_t g = 0; g < groups; ++g) {
    for (const std::size_t person : {1, 2}) {
      score.push_back(static_cast<double>(g * person % 1000) / 1000);
      group.push_back("g" + std::to_string(g));
    }
  }
  return Tally::of(score, Cells::from({{"group", group}}));
}

// The least of a few: other programs share the caches.
double cpu_seconds(auto work) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

TEST(ManyCells, ARuleOf100000CellsReadsBack) {
  std::vector<std::vector<std::string>> values;
  for (int g = 0; g < 100'000; ++g) values.push_back({std::to_string(1'000'000 + g)});
  RuleParts parts;
  parts.cells = CellNames({"group"}, values);
  parts.responses.assign(values.size(), {Response::Shape::steps, 0, {{0.25, 0.5}, {0.5, 1}}});
  const Rule rule(parts);
  const RecordedRule read = RecordedRule::from_json(rule.to_json());
  EXPECT_EQ(std::get<Rule>(read.rule), rule);
}

// Were it quadratic, it would take 64 times as long.
TEST(ManyCells, EightTimesTheCellsTakeLessThan24TimesAsLong) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "times are of the sanitizer";
#endif
  const auto time_of = [](std::size_t groups) {
    const Tally tally = tally_of(groups);
    const Solution fit =
        solve(tally, statistical_parity({.sensitive = {"group"}, .tolerance = 0.1}));
    return cpu_seconds([&] {
      FitRecord record = FitRecord::of(fit);
      record.add({.tally = tally, .source = {.roles = {{"group"}}}}, fit);
      EXPECT_EQ(std::get<Rule>(RecordedRule::from_json(rule_file(fit.rule, record)).rule),
                fit.rule);
    });
  };
  const double once = time_of(2'000);
  EXPECT_LT(time_of(16'000), 24 * once);
}

}  // namespace
}  // namespace evenhand::testing::many_cells_test
