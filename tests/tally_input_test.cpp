// Bad input to a tally, one by one: a message that says what and where.
#include <evenhand/tally.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::testing::tally_input_test {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

class TallyInput : public ::testing::Test {
 protected:
  std::vector<double> score = {0.1, 0.2, 0.3};
  std::vector<std::string> group = {"a", "b", "a"};
  Cells cells = Cells::from({{"g", group}});

  void reject(const std::string& part, const TallyOptions& options = {}) {
    expect_throw<std::invalid_argument>([&] { Tally::of(score, cells, options); }, part);
  }
};

TEST_F(TallyInput, RejectsANaNScore) {
  score[2] = nan;
  reject("row 2: the score is NaN");
}

TEST_F(TallyInput, RejectsAnInfiniteScore) {
  score[1] = -infinity;
  reject("row 1: the score is infinite");
  reject("row 1: the score is infinite", {.scale = Scale::logit});
}

TEST_F(TallyInput, RejectsAScoreOutsideItsScale) {
  score[1] = 1.5;
  reject("row 1: the score 1.5 is outside [0, 1], the probability scale");
  reject("row 1: the score 1.5 is outside [0, 1]", {.favorable = Favorable::low});
  reject("row 1: the score 1.5 is outside [-1, 1], the signed scale", {.scale = Scale::signed_});
  score[1] = -0.5;
  reject("row 1: the score -0.5 is outside [0, 1]", {.favorable = Favorable::low});
  reject("row 1: the score -0.5", {.resolution = Resolution::bits(4)});
}

TEST_F(TallyInput, NamesTheFirstBadRowWhateverTheThreads) {
  std::vector<double> many(300'000, 0.5);
  std::vector<CellCode> codes(many.size(), 0);
  many[299'999] = many[123'456] = nan;
  const CellNames names({"g"}, {{"a"}});
  // Rows are looked at in blocks, of vectors of several rows, on several threads.
  for (const std::size_t bad : {0, 1, 1023, 1024, 16'383, 16'384, 299'999}) {
    std::vector<double> one(many.size(), 0.5);
    one[bad] = 1.5;
    expect_throw<std::invalid_argument>([&] { Tally::of(one, names, codes, {.threads = 3}); },
                                        "row " + std::to_string(bad) + ":");
    std::vector<CellCode> other = codes;
    other[bad] = 1;
    one[bad] = 0.5;
    expect_throw<std::invalid_argument>([&] { Tally::of(one, names, other, {.threads = 3}); },
                                        "row " + std::to_string(bad) + ": there is no cell");
  }
  for (const unsigned threads : {1U, 2U, 5U}) {
    expect_throw<std::invalid_argument>(
        [&] { Tally::of(many, names, codes, {.threads = threads}); }, "row 123456:");
  }
}

TEST_F(TallyInput, RejectsScoresThatAreNotFloatingPoint) {
  const std::vector<std::int32_t> integers = {0, 1, 1};
  expect_throw<std::invalid_argument>([&] { Tally::of(integers, cells); },
                                      "scores must be double or float");
}

TEST_F(TallyInput, RejectsALabelThatIsNeither0Nor1) {
  const std::vector<std::int32_t> integers = {0, 1, 2};
  reject("row 2: the label 2 is neither 0 nor 1", {.label = integers});
  const std::vector<double> doubles = {0, nan, 1};
  reject("row 1: the label nan is neither 0 nor 1", {.label = doubles});
  const std::vector<double> half = {0.5, 0, 1};
  reject("row 0: the label 0.5", {.label = half});
}

TEST_F(TallyInput, RejectsANegativeWeight) {
  const std::vector<double> weight = {1, -2, 1};
  reject("row 1: the weight -2 is negative", {.weight = weight});
}

TEST_F(TallyInput, RejectsANaNOrInfiniteWeight) {
  const std::vector<double> with_nan = {1, 1, nan};
  reject("row 2: the weight nan is not a number", {.weight = with_nan});
  const std::vector<double> with_infinity = {1, 1, infinity};
  reject("row 2: the weight inf is infinite", {.weight = with_infinity});
  const std::vector<double> too_much = {1e308, 1e308, 1};
  reject("the sum of weights is infinite", {.weight = too_much});
}

TEST_F(TallyInput, RejectsWeightsThatAreAllZero) {
  const std::vector<double> weight = {0, 0, 0};
  reject("every weight is zero", {.weight = weight});
}

TEST_F(TallyInput, LeavesRowsOfWeightZeroOut) {
  const std::vector<double> weight = {1, 0, 2};
  const Tally tally = Tally::of(score, cells, {.weight = weight});
  EXPECT_EQ(tally.total().n, 3);
  EXPECT_TRUE(tally.entries(cells.code_of({"b"})).empty());
}

TEST_F(TallyInput, RejectsColumnsOfDifferentLengths) {
  const std::vector<std::uint8_t> label = {0, 1};
  reject("3 scores but 2 labels", {.label = label});
  const std::vector<double> weight = {1, 1, 1, 1};
  reject("3 scores but 4 weights", {.weight = weight});
  score.push_back(0.5);
  reject("4 scores but 3 cell codes");
}

TEST_F(TallyInput, RejectsNoRows) {
  score.clear();
  cells.codes.clear();
  reject("there are no rows");
}

TEST_F(TallyInput, RejectsACodeWithoutACell) {
  cells.codes[1] = 2;
  reject("row 1: there is no cell with code 2, only 2 cells");
}

TEST_F(TallyInput, RejectsAResolutionOutOfRange) {
  expect_throw<std::invalid_argument>([] { Resolution::bits(53); },
                                      "from -1000 to 52 bits, not 53");
  expect_throw<std::invalid_argument>([] { Resolution::bits(-1001); }, "not -1001");
  expect_throw<std::invalid_argument>([] { Resolution::at_most(1); }, "at least 2");
}

TEST_F(TallyInput, RejectsCountsThatMakeNoSense) {
  const std::vector<double> count = {2, 3, 4};
  const auto counted = [&](const std::vector<double>& n, const std::vector<double>& n1) {
    Tally::counted(score, n, cells, {.positives = n1});
  };
  expect_throw<std::invalid_argument>(
      [&] {
        counted(count, {1, 4, 0});
      },
      "row 1: 4 positives among 3 rows");
  expect_throw<std::invalid_argument>([&] { counted(count, {1, -1, 0}); }, "row 1: -1 positives");
  expect_throw<std::invalid_argument>([&] { counted(count, {1, nan, 0}); }, "row 1: nan positives");
  expect_throw<std::invalid_argument>(
      [&] {
        counted({2, -3, 4}, {0, 0, 0});
      },
      "row 1: the count -3 is negative");
  expect_throw<std::invalid_argument>(
      [&] {
        counted({0, 0, 0}, {0, 0, 0});
      },
      "every count is zero");
  expect_throw<std::invalid_argument>([&] { counted({1, 1}, {0, 0}); }, "3 scores but 2 counts");
  score[2] = 7;
  expect_throw<std::invalid_argument>(
      [&] {
        counted(count, {1, 1, 1});
      },
      "row 2: the score 7 is outside [0, 1]");
}

TEST_F(TallyInput, LookingUpACodeWithoutACellSaysSo) {
  const Tally tally = Tally::of(score, cells);
  expect_throw<std::out_of_range>([&] { (void)tally.entries(2); }, "no cell with code 2, only 2");
  expect_throw<std::out_of_range>([&] { (void)tally.total(2); }, "no cell with code 2, only 2");
}

TEST_F(TallyInput, ProjectingOntoAnUnknownAttributeSuggestsOne) {
  const std::vector<std::string> kept = {"gg"};
  expect_throw<std::out_of_range>([&] { (void)Tally::of(score, cells).project(kept); },
                                  "there is no attribute gg; did you mean 'g'?");
}

}  // namespace
}  // namespace evenhand::testing::tally_input_test
