// Rows that stream in, on several threads, make the tally that all of them at once make.
#include <evenhand/cell_rows.h>

#include <random>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::cell_rows_test {
namespace {

struct Stream {
  std::vector<double> score;
  std::vector<CellCode> code;
  std::vector<std::uint8_t> label;
  std::vector<double> weight;
};

// Cell 0 has scores that hardly repeat, cell 1 few distinct ones.
Stream make_stream(std::size_t rows, std::uint32_t seed, bool low = false) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit;
  Stream out;
  for (std::size_t i = 0; i < rows; ++i) {
    const CellCode cell = unit(random) < 0.5 ? 0 : 1;
    const double p = cell == 0 ? unit(random) : static_cast<double>(random() % 100) / 100;
    out.score.push_back(low ? 1 - p : p);
    out.code.push_back(cell);
    out.label.push_back(unit(random) < p ? 1 : 0);
    out.weight.push_back(unit(random) * 3);
  }
  return out;
}

const CellNames two_cells({"group"}, {{"a"}, {"b"}});

// As `threads` threads would have collected them, absorbed in the order of `first`.
Tally streamed(const Stream& rows, const CellRowsOptions& options, std::size_t threads,
               std::size_t first = 0) {
  std::vector<std::vector<CellRows>> parts(threads, {CellRows(options), CellRows(options)});
  for (std::size_t i = 0; i < rows.score.size(); ++i) {
    CellRows& cell = parts[(i / 100) % threads][rows.code[i]];
    if (options.weighted) {
      cell.add(rows.score[i], rows.label[i] == 1, rows.weight[i]);
    } else {
      cell.add(rows.score[i], rows.label[i] == 1);
    }
  }
  std::vector<CellRows> all = {CellRows(options), CellRows(options)};
  for (std::size_t t = 0; t < threads; ++t) {
    for (std::size_t c = 0; c < 2; ++c) all[c].absorb(std::move(parts[(t + first) % threads][c]));
  }
  return tally_of(two_cells, all, options);
}

Tally at_once(const Stream& rows, const CellRowsOptions& options) {
  TallyOptions tally{.scale = options.reading.scale,
                     .favorable = options.reading.favorable,
                     .resolution = options.resolution};
  if (options.labelled) tally.label = rows.label;
  if (options.weighted) tally.weight = rows.weight;
  return Tally::of(rows.score, two_cells, rows.code, tally);
}

TEST(CellRows, MakeTheTallyOfAllRowsAtOnceWhateverTheSettings) {
  for (const std::size_t rows : {1UL, 17UL, 1000UL, 200'000UL}) {
    for (const bool labelled : {false, true}) {
      for (const bool weighted : {false, true}) {
        for (const Favorable favorable : {Favorable::high, Favorable::low}) {
          for (const Resolution& resolution :
               {Resolution::exact(), Resolution::bits(9), Resolution::at_most(50),
                Resolution::at_most(40'000)}) {
            const CellRowsOptions options{.reading = {Scale::probability, favorable},
                                          .resolution = resolution,
                                          .labelled = labelled,
                                          .weighted = weighted};
            Stream stream = make_stream(rows, static_cast<std::uint32_t>(rows));
            const Tally expected = at_once(stream, options);
            for (const std::size_t threads : {1UL, 3UL}) {
              EXPECT_TRUE(streamed(stream, options, threads) == expected)
                  << rows << labelled << weighted << threads;
            }
          }
        }
      }
    }
  }
}

TEST(CellRows, LowerTheLevelInTheMiddleOfABatch) {
  const Stream rows = make_stream(400'000, 11);
  for (const std::size_t most : {100UL, 1000UL, 30'000UL, 65'536UL}) {
    const CellRowsOptions options{.resolution = Resolution::at_most(most), .labelled = true};
    const Tally expected = at_once(rows, options);
    for (const std::size_t threads : {1UL, 2UL, 5UL}) {
      EXPECT_TRUE(streamed(rows, options, threads) == expected) << most << " " << threads;
    }
  }
}

TEST(CellRows, AbsorbInAnyOrder) {
  const Stream rows = make_stream(300'000, 5);
  for (const Resolution& resolution : {Resolution::exact(), Resolution::at_most(1000)}) {
    const CellRowsOptions options{.resolution = resolution, .labelled = true};
    const Tally expected = at_once(rows, options);
    for (std::size_t first = 0; first < 4; ++first) {
      EXPECT_TRUE(streamed(rows, options, 4, first) == expected);
    }
  }
}

TEST(CellRows, KeepNegativeZeroAndZeroTogether) {
  const CellRowsOptions options{.reading = {Scale::signed_, Favorable::high}};
  std::vector<CellRows> cells = {CellRows(options)};
  cells[0].add(-0.0, false);
  cells[0].add(0.0, false);
  const Tally tally = tally_of(CellNames({"g"}, {{"a"}}), cells, options);
  EXPECT_EQ(tally.entries(0), (std::vector<Entry>{{0.0, 2, 0}}));
}

TEST(CellRows, SayWhatMemoryTheyNeed) {
  const auto needed = [](const CellRowsOptions& options, std::size_t rows, std::size_t distinct) {
    CellRows cell(options);
    for (std::size_t i = 0; i < rows; ++i) {
      const double score = static_cast<double>(i % distinct) / static_cast<double>(distinct);
      options.weighted ? cell.add(score, false, 2) : cell.add(score, false);
    }
    return cell.peak_bytes();
  };
  constexpr std::size_t many = 500'000;
  // Exact scores that all differ: for every row, at least what the tally keeps of it.
  EXPECT_GT(needed({}, 2 * many, 2 * many), needed({}, many, many) + many * sizeof(Entry));
  EXPECT_GT(needed({}, many, many), (many - 100'000) * sizeof(Entry));
  // Scores that repeat, and coarse ones: no more for more rows.
  EXPECT_EQ(needed({}, 2 * many, 1000), needed({}, many, 1000));
  const CellRowsOptions coarse{.resolution = Resolution::bits(10)};
  EXPECT_EQ(needed(coarse, 2 * many, 2 * many), needed(coarse, many, many));
  // Weighted rows are listed, whatever the resolution.
  const CellRowsOptions weighted{.resolution = Resolution::bits(10), .weighted = true};
  EXPECT_EQ(needed(weighted, 2 * many, 10), 2 * needed(weighted, many, 10));
  // Absorbing neither loses nor invents any.
  CellRows one({});
  CellRows other({});
  for (std::size_t i = 0; i < many; ++i) {
    one.add(static_cast<double>(i) / many, false);
    other.add(static_cast<double>(i) / many / 2, false);
  }
  const std::size_t apart = one.peak_bytes() + other.peak_bytes();
  one.absorb(std::move(other));
  EXPECT_GT(one.peak_bytes(), apart - apart / 4);
  EXPECT_LT(one.peak_bytes(), apart + apart / 4);
}

TEST(CellRows, RefuseToMakeATallyOfNothing) {
  std::vector<CellRows> cells = {CellRows({})};
  testing::expect_throw<std::invalid_argument>(
      [&] { tally_of(CellNames({"g"}, {{"a"}}), cells, {}); }, "no rows");
}

// One thread met few scores again and again, the other ones that hardly repeat.
TEST(CellRows, CountsStayCountsHoweverOftenTheyAreAbsorbed) {
  const CellRowsOptions options;
  CellRows counted(options);
  for (std::size_t i = 0; i < 40'000; ++i) {
    for (int again = 0; again < 8; ++again) counted.add(static_cast<double>(i) * 0x1p-16, false);
  }
  CellRows listed(options);
  std::mt19937_64 random(3);
  for (int i = 0; i < 60'000; ++i) listed.add(static_cast<double>(random() >> 11U) * 0x1p-53, true);
  const std::size_t most = counted.peak_bytes() + listed.peak_bytes() + 80 * 60'000;
  for (int times = 0; times < 3; ++times) {
    listed.absorb(std::move(counted));
    counted = CellRows(options);
    counted.absorb(std::move(listed));
    listed = CellRows(options);
  }
  EXPECT_LE(counted.peak_bytes(), most);
  EXPECT_EQ(counted.rows(), 40'000U * 8 + 60'000);
  std::vector<CellRows> cells;
  cells.push_back(std::move(counted));
  EXPECT_EQ(tally_of(CellNames({"group"}, {{"a"}}), cells, options).total().n, 380'000);
}

}  // namespace
}  // namespace evenhand::cell_rows_test
