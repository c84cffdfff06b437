// Large problems are worked on in parts, side by side: neither the parts nor the threads show.
#include <evenhand/lottery.h>
#include <evenhand/solve.h>
#include <evenhand/tally_file.h>
#include <evenhand/threads.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace evenhand::testing::threads_test {
namespace {

struct People {
  std::vector<double> score;
  std::vector<CellCode> code;
  std::vector<std::uint8_t> label;
  CellNames names{{"group"}, {{"A"}, {"B"}}};

  Tally tally(bool labels, const std::vector<double>& weight = {}) const {
    TallyOptions options;
    if (labels) options.label = label;
    if (!weight.empty()) options.weight = weight;
    return Tally::of(score, names, code, options);
  }
};

// Their tally has more bytes than one piece of a fingerprint.
People many_people() {
  People out;
  std::mt19937_64 random(1);
  const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  for (std::size_t i = 0; i < 420'000; ++i) {
    out.code.push_back(static_cast<CellCode>(random() % 5 < 2));
    out.score.push_back(unit() * (1 - 0.1 * out.code.back()));
    out.label.push_back(unit() < out.score.back() ? 1 : 0);
  }
  return out;
}

class Threads : public ::testing::Test {
 protected:
  void TearDown() override { use_threads(0); }
  const People people = many_people();
};

// Rows that do not fit into caches are copied past them, in pieces that differ with the threads.
TEST(ManyThreads, ShareRowsThatNoCacheHolds) {
  constexpr std::size_t rows = 4'300'003;
  std::vector<double> score(rows);
  std::vector<CellCode> code(rows);
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double turns = static_cast<double>(i) * 0.6180339887498949;
    score[i] = turns - static_cast<double>(static_cast<std::size_t>(turns));
    code[i] = i % 3 == 0 ? 1 : 0;
    sum += score[i];
  }
  const CellNames names({"group"}, {{"A"}, {"B"}});
  std::optional<Solution> alone;
  for (const unsigned threads : {1U, 2U, 3U, 7U}) {
    const Tally tally = Tally::of(score, names, code, {.threads = threads});
    const Solution fit =
        solve(tally, statistical_parity({.sensitive = {"group"}}), {.threads = threads});
    ASSERT_EQ(fit.status, Status::optimal);
    ASSERT_EQ(tally.total().n, static_cast<double>(rows));
    if (!alone) alone = fit;
    EXPECT_EQ(fit.primal, alone->primal);
    EXPECT_EQ(fit.rule.to_json(), alone->rule.to_json());
  }
  // Half of all scores are above a half: their benefits are those of everybody above.
  EXPECT_NEAR(alone->primal, rows / 4.0, 1e-3 * rows);
  EXPECT_NEAR(sum, rows / 2.0, 1e-3 * rows);
}

// Where some scores occur once and others often, each thread has other gaps to close.
TEST_F(Threads, SortScoresThatRepeatHereAndThere) {
  for (const bool labels : {false, true}) {
    People some = people;
    std::vector<std::map<double, Entry>> expected(2);  // of each cell
    for (std::size_t i = 0; i < some.score.size(); ++i) {
      double& x = some.score[i];
      if (x > 0.2 && x < 0.4) x = std::round(x * 50) / 50;
      if (x > 0.6 && x < 0.7) x = std::round(x * 300'000) / 300'000;
      Entry& entry = expected[some.code[i]].try_emplace(x, Entry{x, 0, 0}).first->second;
      entry.n += 1;
      if (labels) entry.n1 += some.label[i];
    }
    for (const unsigned threads : {1U, 5U, 16U}) {
      use_threads(threads);
      const Tally tally = some.tally(labels);
      for (CellCode c = 0; c < 2; ++c) {
        std::vector<Entry> entries;
        for (const auto& [score, entry] : expected[c]) entries.push_back(entry);
        ASSERT_EQ(tally.entries(c), entries);
      }
    }
  }
}

TEST_F(Threads, MayBeFarTooMany) {
  const TallyOptions options{.label = people.label, .threads = 1U << 30U};
  const Tally tally = Tally::of(people.score, people.names, people.code, options);
  EXPECT_EQ(tally.entries(1), people.tally(true).entries(1));
}

TEST_F(Threads, FingerprintsDoNotDependOnThem) {
  const Tally tally = people.tally(true);
  use_threads(1);
  const std::string alone = fingerprint(tally);
  use_threads(8);
  EXPECT_EQ(fingerprint(tally), alone);
}

// Without labels a group's benefit rises along its thresholds, then falls: the best one between
// two bounds is the one nearest to its peak.
// `allowed` is the range of the one group's rate, given the other's.
using Allowed = std::function<std::pair<double, double>(double)>;
double best_without_coins(const People& people, const Allowed& allowed) {
  std::vector<std::vector<double>> scores(2);
  for (std::size_t i = 0; i < people.score.size(); ++i) {
    scores[people.code[i]].push_back(people.score[i]);
  }
  std::vector<std::vector<double>> value(2, {0.0});
  for (std::size_t g = 0; g < 2; ++g) {
    std::sort(scores[g].rbegin(), scores[g].rend());
    for (const double p : scores[g]) value[g].push_back(value[g].back() + 2 * p - 1);
  }
  const auto size = [&](std::size_t g) { return static_cast<double>(scores[g].size()); };
  const auto peak = std::max_element(value[1].begin(), value[1].end()) - value[1].begin();
  double best = 0;
  for (std::size_t a = 0; a < value[0].size(); ++a) {
    const double rate = static_cast<double>(a) / size(0);
    const auto [from, to] = allowed(rate);
    const auto low = static_cast<std::ptrdiff_t>(std::ceil((from - 1e-12) * size(1)));
    const auto high = static_cast<std::ptrdiff_t>(std::floor((to + 1e-12) * size(1)));
    if (low > high) continue;
    const std::ptrdiff_t b = std::clamp<std::ptrdiff_t>(peak, low, high);
    if (b < 0 || b >= static_cast<std::ptrdiff_t>(value[1].size())) continue;
    best = std::max(best, value[0][a] + value[1][static_cast<std::size_t>(b)]);
  }
  return best;
}

TEST_F(Threads, TheBestRuleWithoutCoinsIsThatOfAllSlices) {
  const Tally tally = people.tally(false);
  const std::vector<std::string> sensitive = {"group"};
  std::vector<std::pair<Criterion, Allowed>> wanted;
  for (const double tolerance : {1e-5, 0.01, 0.2}) {
    wanted.emplace_back(statistical_parity({.sensitive = sensitive, .tolerance = tolerance}),
                        [=](double rate) { return std::pair(rate - tolerance, rate + tolerance); });
  }
  for (const double ratio : {0.999, 0.8}) {
    wanted.emplace_back(four_fifths({.sensitive = sensitive, .ratio = ratio}),
                        [=](double rate) { return std::pair(rate * ratio, rate / ratio); });
  }
  wanted.emplace_back(
      equal_rates({.sensitive = sensitive, .tolerance = 0.005, .rho = Rho::given(0.4)}),
      [](double rate) {
        return std::abs(rate - 0.4) <= 0.005 ? std::pair(0.395, 0.405) : std::pair(1.0, 0.0);
      });
  for (const auto& [criterion, allowed] : wanted) {
    SCOPED_TRACE(criterion.name);
    std::vector<double> found;
    for (const unsigned threads : {1U, 8U}) {
      const Solution solution = solve(tally, criterion, {.threads = threads});
      const auto price = price_of_no_coins(tally, solution);
      ASSERT_TRUE(price);
      found.push_back(price->objective);
      const Solution none = solve(tally, criterion, {.lottery = Lottery::none, .threads = threads});
      EXPECT_EQ(none.lottery_share, 0);
      EXPECT_NEAR(none.primal, found.front(), 1e-9 * found.front());
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_NEAR(found[0], best_without_coins(people, allowed), 1e-9 * found[0]);
  }
}

TEST_F(Threads, PoolingInPartsIsPoolingAtOnce) {
  const Criterion criterion = equalized_odds({.sensitive = {"group"}});
  const Solution alone = solve(people.tally(true), criterion, {.threads = 1});
  const Solution together = solve(people.tally(true), criterion, {.threads = 8});
  EXPECT_EQ(alone.status, Status::optimal);
  EXPECT_EQ(alone.rule, together.rule);
  EXPECT_EQ(alone.primal, together.primal);
  // Fractional weights are pooled one after the other.
  const std::vector<double> halves(people.score.size(), 0.5);
  const Solution halved = solve(people.tally(true, halves), criterion);
  EXPECT_EQ(halved.status, Status::optimal);
  EXPECT_NEAR(2 * halved.primal, alone.primal, 1e-9 * alone.primal);
}

}  // namespace
}  // namespace evenhand::testing::threads_test
