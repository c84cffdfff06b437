// What a tally promises: the same for every split, order and number of threads, bit for bit.
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::tally_test {
namespace {

// The rows with begin <= position < end, of all columns.
Rows part_of(const Rows& rows, std::size_t begin, std::size_t end) {
  Rows out;
  out.scale = rows.scale;
  out.favorable = rows.favorable;
  const auto cut = [&](const auto& column) {
    return std::decay_t<decltype(column)>(column.begin() + static_cast<std::ptrdiff_t>(begin),
                                          column.begin() + static_cast<std::ptrdiff_t>(end));
  };
  out.score = cut(rows.score);
  out.sex = cut(rows.sex);
  out.race = cut(rows.race);
  out.label = cut(rows.label);
  if (!rows.weight.empty()) out.weight = cut(rows.weight);
  return out;
}

// The definition, by a map: distinct scores with their sums.
std::vector<std::map<double, Entry>> entries_by_definition(const Rows& rows) {
  const Cells cells = rows.cells();
  std::vector<std::map<double, Entry>> out(cells.names.size());
  const bool low = rows.favorable == Favorable::low;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double n = rows.weight.empty() ? 1 : rows.weight[i];
    if (n == 0) continue;
    const double x = low ? 0 - rows.score[i] : rows.score[i];
    Entry& entry = out[cells.codes[i]].try_emplace(x, Entry{x, 0, 0}).first->second;
    entry.n += n;
    if ((rows.label[i] == 1) != low) entry.n1 += n;
  }
  return out;
}

Rows some_rows(Random& random) {
  ProblemOptions options;
  options.groups = 1 + random.below(4);
  options.strata = 1 + random.below(3);
  options.most_rows = random.chance(0.1) ? 3000 : 60;
  options.few_scores = random.chance(0.5);
  options.integer_weights = random.chance(0.5);
  return random_rows(random, options);
}

TEST(Tally, HoldsTheDistinctScoresWithTheirSums) {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Rows rows = some_rows(random);
    const Tally tally = rows.tally();
    const auto expected = entries_by_definition(rows);
    for (CellCode c = 0; c < expected.size(); ++c) {
      std::vector<Entry> list;
      CellTotal total;
      for (const auto& [x, entry] : expected[c]) {
        list.push_back(entry);
        total.n += entry.n;
        total.n1 += entry.n1;
      }
      ASSERT_EQ(tally.entries(c), list);
      ASSERT_EQ(tally.total(c), total);
    }
  }
}

TEST(Tally, IsTheSameForEveryOrderOfRowsAndNumberOfThreads) {
  Random random(2);
  for (int trial = 0; trial < 40; ++trial) {
    const Rows rows = some_rows(random);
    const Tally tally = rows.tally();
    ASSERT_EQ(shuffled(rows, random).tally(), tally);
    for (const unsigned threads : {1U, 2U, 7U}) {
      TallyOptions options{.label = rows.label,
                           .scale = rows.scale,
                           .favorable = rows.favorable,
                           .threads = threads};
      if (!rows.weight.empty()) options.weight = rows.weight;
      ASSERT_EQ(Tally::of(rows.score, rows.cells(), options), tally);
    }
  }
}

TEST(Tally, ManyRowsAreTheSameOnEveryNumberOfThreads) {
  Random random(3);
  std::vector<double> score;
  std::vector<std::uint8_t> label;
  std::vector<CellCode> code;
  for (int i = 0; i < 200'000; ++i) {
    score.push_back(random.chance(0.2) ? random.below(50) / 50.0 : random.unit());
    label.push_back(static_cast<std::uint8_t>(random.below(2)));
    code.push_back(static_cast<CellCode>(random.below(3)));
  }
  const CellNames names({"g"}, {{"a"}, {"b"}, {"c"}});
  const Tally one = Tally::of(score, names, code, {.label = label, .threads = 1});
  const Tally four = Tally::of(score, names, code, {.label = label, .threads = 4});
  EXPECT_EQ(one, four);
  EXPECT_EQ(one.to_bytes(), four.to_bytes());
  double last = -1;
  for (const Entry& entry : one.entries(1)) {
    ASSERT_GT(entry.score, last);
    last = entry.score;
  }
}

// Any split into parts, merged in any order: the same as the whole.
void expect_mergeable(const Rows& rows, Resolution resolution, Random& random) {
  const Tally whole = rows.tally(resolution);
  std::vector<Tally> parts;
  std::size_t begin = 0;
  while (begin < rows.size()) {
    std::size_t end =
        std::min(rows.size(),
                 begin + 1 + static_cast<std::size_t>(random.below(static_cast<int>(rows.size()))));
    const Rows part = part_of(rows, begin, end);
    // A part with weight 0 throughout is no tally.
    if (!part.weight.empty() && std::accumulate(part.weight.begin(), part.weight.end(), 0.0) == 0) {
      return;
    }
    parts.push_back(part.tally(resolution));
    begin = end;
  }
  while (parts.size() > 1) {
    const auto i = static_cast<std::size_t>(random.below(static_cast<int>(parts.size())));
    Tally one = parts[i];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    const auto j = static_cast<std::size_t>(random.below(static_cast<int>(parts.size())));
    parts[j] = random.chance(0.5) ? parts[j].merge(one) : one.merge(parts[j]);
  }
  ASSERT_EQ(parts.front(), whole);
  ASSERT_EQ(parts.front().to_bytes(), whole.to_bytes());
}

TEST(Tally, MergesInAnyOrderBitForBit) {
  Random random(4);
  for (int trial = 0; trial < 300; ++trial) {
    expect_mergeable(some_rows(random), Resolution::exact(), random);
  }
}

TEST(Tally, MergesInAnyOrderAtAFixedLevel) {
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    expect_mergeable(some_rows(random), Resolution::bits(random.below(56) - 3), random);
  }
}

TEST(Tally, MergesInAnyOrderUnderACapOnDistinctScores) {
  Random random(6);
  for (int trial = 0; trial < 1500; ++trial) {
    Rows rows = some_rows(random);
    if (random.chance(0.3)) {  // scores that only fine levels tell apart
      for (double& score : rows.score) {
        score = rows.scale == Scale::probability ? 0.5 + score * 1e-13 : score * 1e-13;
      }
    }
    expect_mergeable(rows, Resolution::at_most(static_cast<std::size_t>(2 + random.below(12))),
                     random);
  }
}

TEST(Tally, UnderACapTheLevelIsTheFinestThatFits) {
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const Rows rows = some_rows(random);
    const auto most = static_cast<std::size_t>(2 + random.below(20));
    const Tally capped = rows.tally(Resolution::at_most(most));
    const auto fullest = [](const Tally& tally) {
      std::size_t size = 0;
      for (CellCode c = 0; c < tally.cells().size(); ++c) {
        size = std::max(size, tally.entries(c).size());
      }
      return size;
    };
    ASSERT_LE(fullest(capped), most);
    if (!capped.level()) {
      ASSERT_LE(fullest(rows.tally()), most);
      continue;
    }
    ASSERT_GT(fullest(rows.tally()), most);
    if (*capped.level() < 52) {
      ASSERT_GT(fullest(rows.tally(Resolution::bits(*capped.level() + 1))), most);
    }
    const Tally fixed = rows.tally(Resolution::bits(*capped.level()));
    for (CellCode c = 0; c < fixed.cells().size(); ++c) {
      ASSERT_EQ(fixed.entries(c), capped.entries(c));
    }
  }
}

TEST(Tally, IntervalsContainTheirScoresAndStandForThem) {
  Random random(8);
  for (int trial = 0; trial < 2000; ++trial) {
    const int level = random.below(53);
    const double score = trial < 10 ? 1.0 : random.unit();
    const std::vector<double> scores = {score};
    const std::vector<std::string> group = {"a"};
    const Tally tally =
        Tally::of(scores, Cells::from({{"g", group}}), {.resolution = Resolution::bits(level)});
    const double value = tally.entries(0).front().score;
    ASSERT_EQ(std::floor(std::ldexp(value, level)), std::floor(std::ldexp(score, level)));
    ASSERT_LE(value, 1);
    ASSERT_LE(std::abs(value - score), std::ldexp(1, -level));
  }
}

TEST(Tally, ValuesOfWideIntervalsStayInsideTheScale) {
  const std::vector<double> score = {-0.5, 0.25, 1};
  const std::vector<std::string> group = {"a", "a", "a"};
  for (int bits = -10; bits <= 3; ++bits) {
    const Tally tally = Tally::of(score, Cells::from({{"g", group}}),
                                  {.scale = Scale::signed_, .resolution = Resolution::bits(bits)});
    for (const Entry& entry : tally.entries(0)) EXPECT_TRUE(tally.reading().valid(entry.score));
    EXPECT_EQ(Tally::from_bytes(tally.to_bytes()), tally);
  }
}

TEST(Tally, CountedColumnsGiveTheSameAsRows) {
  Random random(9);
  for (int trial = 0; trial < 100; ++trial) {
    Rows rows = some_rows(random);
    rows.weight.clear();
    // What GROUP BY would give, in a random order and with some lines split in two.
    std::map<std::tuple<std::string, std::string, double>, std::pair<double, double>> groups;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto& [n, n1] = groups[{rows.sex[i], rows.race[i], rows.score[i]}];
      n += 1;
      n1 += rows.label[i];
    }
    Rows lines;
    std::vector<double> count;
    std::vector<double> positives;
    for (const auto& [key, sums] : groups) {
      lines.sex.push_back(std::get<0>(key));
      lines.race.push_back(std::get<1>(key));
      lines.score.push_back(std::get<2>(key));
      count.push_back(sums.first);
      positives.push_back(sums.second);
    }
    const CountedOptions options{
        .positives = positives, .scale = rows.scale, .favorable = rows.favorable};
    ASSERT_EQ(Tally::counted(lines.score, count, lines.cells(), options), rows.tally());
    const CountedOptions unlabelled{.scale = rows.scale, .favorable = rows.favorable};
    ASSERT_EQ(
        Tally::counted(lines.score, count, lines.cells(), unlabelled),
        Tally::of(rows.score, rows.cells(), {.scale = rows.scale, .favorable = rows.favorable}));
  }
}

TEST(Tally, FloatScoresAreTheSameAsTheirDoubles) {
  Random random(10);
  std::vector<float> floats;
  std::vector<std::string> group;
  for (int i = 0; i < 500; ++i) {
    floats.push_back(static_cast<float>(random.unit()));
    group.emplace_back(random.chance(0.5) ? "a" : "b");
  }
  const std::vector<double> doubles(floats.begin(), floats.end());
  const Cells cells = Cells::from({{"g", group}});
  EXPECT_EQ(Tally::of(floats, cells), Tally::of(doubles, cells));
}

TEST(Tally, LabelsAndWeightsOfAnyTypeAreTheSame) {
  const std::vector<double> score = {0.1, 0.2, 0.3, 0.1};
  const std::vector<std::string> group = {"a", "b", "a", "a"};
  const Cells cells = Cells::from({{"g", group}});
  const Tally expected = Tally::of(
      score, cells,
      {.label = std::vector<std::uint8_t>{0, 1, 1, 0}, .weight = std::vector<double>{1, 2, 3, 4}});
  const std::array<bool, 4> bools = {false, true, true, false};
  const std::vector<std::int64_t> integers = {0, 1, 1, 0};
  const std::vector<double> doubles = {0, 1, 1, 0};
  const std::vector<float> floats = {0, 1, 1, 0};
  const std::vector<std::int32_t> weights = {1, 2, 3, 4};
  for (const Numbers& label :
       {Numbers(bools), Numbers(integers), Numbers(doubles), Numbers(floats)}) {
    EXPECT_EQ(Tally::of(score, cells, {.label = label, .weight = weights}), expected);
  }
}

TEST(Tally, PlusAndMinusZeroAreOneScore) {
  const std::vector<double> score = {0.0, -0.0, 0.0};
  const std::vector<std::string> group = {"a", "a", "a"};
  for (const Favorable favorable : {Favorable::high, Favorable::low}) {
    const Tally tally = Tally::of(score, Cells::from({{"g", group}}), {.favorable = favorable});
    ASSERT_EQ(tally.entries(0), (std::vector<Entry>{{0, 3, 0}}));
    EXPECT_FALSE(std::signbit(tally.entries(0).front().score));
  }
}

TEST(Tally, NeighbouringDoublesStayApart) {
  const double x = 0.3;
  const std::vector<double> score = {x, std::nextafter(x, 1), 5e-324, 0};
  const std::vector<std::string> group(4, "a");
  EXPECT_EQ(Tally::of(score, Cells::from({{"g", group}})).entries(0).size(), 4);
}

TEST(Tally, ExtremeLogitsAreKept) {
  const double largest = std::numeric_limits<double>::max();
  const std::vector<double> score = {-largest, largest, 0, 1, -1};
  const std::vector<std::string> group(5, "a");
  const Cells cells = Cells::from({{"g", group}});
  EXPECT_EQ(Tally::of(score, cells, {.scale = Scale::logit}).entries(0).size(), 5);
  for (const int bits : {-1000, -5, 0, 52}) {
    const Tally cut =
        Tally::of(score, cells, {.scale = Scale::logit, .resolution = Resolution::bits(bits)});
    EXPECT_EQ(Tally::from_bytes(cut.to_bytes()), cut);
  }
}

TEST(Tally, ProjectingAddsUpWhatIsLeftOut) {
  Random random(12);
  const Rows rows = some_rows(random);
  const std::vector<std::string> kept = {"sex"};
  TallyOptions options{.label = rows.label, .scale = rows.scale, .favorable = rows.favorable};
  if (!rows.weight.empty()) options.weight = rows.weight;
  EXPECT_EQ(rows.tally().project(kept),
            Tally::of(rows.score, Cells::from({{"sex", rows.sex}}), options));
}

TEST(Tally, DoesNotMergeWithAnotherKind) {
  const std::vector<double> score = {0.1, 0.2};
  const std::vector<std::string> group = {"a", "b"};
  const std::vector<std::uint8_t> label = {0, 1};
  const Cells cells = Cells::from({{"g", group}});
  const Tally tally = Tally::of(score, cells);
  const auto refuse = [&](const Tally& other, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { (void)tally.merge(other); }, part);
    expect_throw<std::invalid_argument>([&] { (void)other.merge(tally); }, part);
  };
  refuse(Tally::of(score, Cells::from({{"h", group}})), "different attributes");
  refuse(Tally::of(score, cells, {.scale = Scale::signed_}), "different scales");
  refuse(Tally::of(score, cells, {.favorable = Favorable::low}), "different scales or directions");
  refuse(Tally::of(score, cells, {.resolution = Resolution::bits(3)}), "different resolutions");
  refuse(Tally::of(score, cells, {.label = label}), "labels");
}

}  // namespace
}  // namespace evenhand::testing::tally_test
