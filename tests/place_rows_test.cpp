// Rows are placed with the widest instructions that the processor has. Each kind must place them
// alike, to the last bit.
#include "tally/place_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/problems.h"

namespace evenhand::testing::place_rows_test {
namespace {

std::vector<Vectors> kinds() {
  std::vector<Vectors> out = {Vectors::plain};
  for (const Vectors kind : {Vectors::avx2, Vectors::avx512}) {
    if (kind <= widest_vectors()) out.push_back(kind);
  }
  return out;
}

template <class Score>
struct Block {
  std::vector<Score> score;
  std::vector<CellCode> code;
  std::vector<std::uint8_t> label;
};

template <class Score>
Block<Score> block_of(Random& random, std::size_t rows) {
  Block<Score> out;
  for (std::size_t i = 0; i < rows; ++i) {
    out.score.push_back(static_cast<Score>(random.below(9) == 0 ? random.below(2) : random.unit()));
    out.code.push_back(static_cast<CellCode>(random.below(4)));
    out.label.push_back(static_cast<std::uint8_t>(random.below(2)));
  }
  return out;
}

template <class Slot, class Score>
std::vector<Slot> slots(const Places& places, const Block<Score>& block, bool labelled,
                        std::vector<double>& x) {
  x.assign(block.score.size(), -7);
  EXPECT_TRUE(turn_rows<Score>(places, block.score, block.code.data(), x.data()));
  std::vector<Slot> out(x.size());
  slots_of(places, x, block.code.data(), labelled ? block.label.data() : nullptr, out.data());
  return out;
}

template <class Score>
void expect_same_slots(Random& random) {
  for (std::size_t rows = 0; rows < 200; rows += 1 + rows / 20) {
    const Block<Score> block = block_of<Score>(random, rows);
    for (const bool low : {false, true}) {
      Places places{
          low ? -1.0 : 1.0, low ? -1.0 : 0.0, low ? 0.0 : 1.0, 4, low ? -0.9 : 0.1, 1000, 800, 10};
      for (const bool labelled : {false, true}) {
        places.vectors = Vectors::plain;
        std::vector<double> x;
        const auto slot = slots<std::uint16_t>(places, block, labelled, x);
        for (std::size_t i = 0; i < rows; ++i) {
          EXPECT_EQ(x[i], low ? 0.0 - block.score[i] : block.score[i]);
          EXPECT_FALSE(x[i] == 0 && std::signbit(x[i]));
          const double bin = std::floor(std::clamp((x[i] - places.low) * 1000, 0.0, 800.0));
          const auto all = static_cast<double>(1024 * block.code[i]) + bin;
          EXPECT_EQ(slot[i], labelled ? 2 * all + block.label[i] : all);
        }
        for (const Vectors kind : kinds()) {
          places.vectors = kind;
          std::vector<double> same_x;
          EXPECT_EQ(slots<std::uint16_t>(places, block, labelled, same_x), slot);
          EXPECT_EQ(same_x, x);
          const auto wide = slots<std::uint32_t>(places, block, labelled, same_x);
          EXPECT_TRUE(std::equal(wide.begin(), wide.end(), slot.begin(), slot.end()));
        }
      }
    }
  }
}

TEST(PlaceRows, EveryKindOfInstructionsFindsTheSameSlots) {
  Random random(2601);
  expect_same_slots<double>(random);
  expect_same_slots<float>(random);
}

TEST(PlaceRows, EveryKindOfInstructionsSeesABadRowWhereverItIs) {
  Random random(2602);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Vectors kind : kinds()) {
    Places places{.cells = 4, .vectors = kind};
    for (std::size_t at = 0; at < 37; ++at) {
      Block<double> block = block_of<double>(random, 37);
      std::vector<double> x(37);
      for (const double bad : {nan, -nan, infinity, -infinity, -1e-300, 1 + 1e-15}) {
        Block<double> with = block;
        with.score[at] = bad;
        EXPECT_FALSE(turn_rows<double>(places, with.score, with.code.data(), x.data()));
      }
      block.code[at] = 4;
      EXPECT_FALSE(turn_rows<double>(places, block.score, block.code.data(), x.data()));
    }
  }
}

}  // namespace
}  // namespace evenhand::testing::place_rows_test
