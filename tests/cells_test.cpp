#include <evenhand/cells.h>
#include <evenhand/integers.h>

#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::cells_test {
namespace {

using Strings = std::vector<std::string>;
using testing::expect_throw;

TEST(Cells, CodesDoNotDependOnTheOrderOfRows) {
  const Strings sex = {"M", "F", "M", "F"};
  const Strings race = {"b", "a", "a", "a"};
  const Strings sex_reversed(sex.rbegin(), sex.rend());
  const Strings race_reversed(race.rbegin(), race.rend());
  const Cells cells = Cells::from({{"sex", sex}, {"race", race}});
  const Cells reversed = Cells::from({{"sex", sex_reversed}, {"race", race_reversed}});
  EXPECT_EQ(cells.names, reversed.names);
  EXPECT_EQ(cells.codes, std::vector<CellCode>(reversed.codes.rbegin(), reversed.codes.rend()));
  EXPECT_EQ(cells.names.size(), 3);  // F a, M a, M b: only combinations that occur
}

TEST(Cells, CodedColumnsGiveTheSameCellsAsTexts) {
  const Strings texts = {"x", "y", "x", "z"};
  const Strings dictionary = {"unused", "z", "x", "y", "x"};  // with a repeated value
  const std::vector<std::uint32_t> codes = {2, 3, 4, 1};
  const Cells plain = Cells::from({{"a", texts}});
  const Cells coded = Cells::from({{"a", {}, codes, dictionary}});
  EXPECT_EQ(plain.names, coded.names);
  EXPECT_EQ(plain.codes, coded.codes);
}

TEST(Cells, CodesThatAreThoseOfCellsAreNotCopied) {
  const Strings ascending = {"a", "b", "c"};
  const Strings falling = {"c", "b", "a"};
  const std::vector<std::uint32_t> codes = {2, 0, 1, 0};
  const std::vector<std::uint32_t> gap = {2, 0, 0, 2};  // nobody has b
  const auto of = [](const Strings& dictionary, const std::vector<std::uint32_t>& rows) {
    const Attribute attribute{"g", {}, rows, dictionary};
    return BorrowedCells::from(std::span(&attribute, 1));
  };
  EXPECT_EQ(of(ascending, codes).codes.data(), codes.data());
  EXPECT_NE(of(falling, codes).codes.data(), codes.data());
  EXPECT_NE(of(ascending, gap).codes.data(), gap.data());
  EXPECT_EQ(of(falling, codes).own, (std::vector<CellCode>{0, 2, 1, 2}));
  EXPECT_EQ(of(ascending, gap).own, (std::vector<CellCode>{1, 0, 0, 1}));
  EXPECT_EQ(of(ascending, codes).copied().codes, codes);
}

// What each row's value is called, by its code.
template <class Integer>
void expect_names(const std::vector<Integer>& values) {
  const CodedIntegers coded = code_integers(std::span<const Integer>(values));
  ASSERT_EQ(coded.codes.size(), values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    ASSERT_EQ(coded.dictionary.at(coded.codes[row]), std::to_string(values[row])) << row;
  }
  const Strings names(coded.dictionary);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(Cells, WholeNumbersAreNamedWhateverTheirRange) {
  expect_names<std::int64_t>({});
  expect_names<std::int64_t>({7});
  expect_names<std::int64_t>({3, -2, 10, 9, 3});
  expect_names<std::uint8_t>({255, 0, 1});
  expect_names<std::int8_t>({-128, 127});
  expect_names<std::uint64_t>({std::numeric_limits<std::uint64_t>::max(), 0, 5});
  expect_names<std::int64_t>(
      {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), 0});
  expect_names<std::int32_t>({0, 65'535, 65'536, 1'000'000});
  // Many rows, of which a look at some does not see what is rare.
  for (const std::int64_t rare : {-3, 90, 1'000'000}) {
    std::vector<std::int64_t> many(300'000, 4);
    for (std::size_t row = 0; row < many.size(); row += 2) many[row] = 5;
    many[123'457] = rare;
    expect_names(many);
  }
}

TEST(Cells, CodesOfWholeNumbersAreInTheOrderOfTheirTexts) {
  const std::vector<int> values = {9, 10, -1, 9};
  const CodedIntegers coded = code_integers(std::span<const int>(values));
  EXPECT_EQ(coded.dictionary, (Strings{"-1", "10", "9"}));
  const Attribute attribute{"g", {}, coded.codes, coded.dictionary};
  EXPECT_EQ(BorrowedCells::from(std::span(&attribute, 1)).codes.data(), coded.codes.data());
}

TEST(Cells, ManyCombinationsAreToldApart) {
  // More combinations than a direct table holds, so that they are hashed.
  Strings a;
  Strings b;
  for (int i = 0; i < 5000; ++i) {
    a.push_back(std::to_string(i % 2500));
    b.push_back(std::to_string(i));
  }
  const Cells cells = Cells::from({{"a", a}, {"b", b}});
  ASSERT_EQ(cells.names.size(), 5000);
  for (std::size_t i = 0; i < a.size(); i += 71) {
    EXPECT_EQ(cells.codes[i], cells.code_of({a[i], b[i]}));
  }
}

TEST(Cells, NamesShowValuesWhateverTheyContain) {
  const CellNames names({"sex", "odd name"},
                        {{"F", "O'Neil, A"}, {"F", "a\"b\\\n"}, {"F", "größe"}});
  EXPECT_EQ(names.name(0), "sex=F, \"odd name\"=\"O'Neil, A\"");
  EXPECT_EQ(names.name(1), "sex=F, \"odd name\"=\"a\\\"b\\\\\\u000a\"");
  EXPECT_EQ(names.name(2), "sex=F, \"odd name\"=größe");
  const CellNames empty_value({"sex"}, {{""}});
  EXPECT_EQ(empty_value.name(0), "sex=\"\"");
}

TEST(Cells, EveryCellIsFoundByItsValues) {
  const CellNames names({"a", "b"}, {{"", ""}, {"", "x"}, {"x", ""}, {"x", "x"}});
  for (CellCode c = 0; c < names.size(); ++c) {
    const auto values = names.values(c);
    const std::vector<std::string_view> views(values.begin(), values.end());
    EXPECT_EQ(names.find(views), c);
  }
  const std::vector<std::string_view> unknown = {"x", "y"};
  EXPECT_EQ(names.find(unknown), std::nullopt);
}

TEST(Cells, SuggestsTheNearestCellAndAttribute) {
  const CellNames names({"sex", "race"}, {{"F", "Black"}, {"F", "White"}});
  expect_throw<std::out_of_range>(
      [&] {
        names.code_of({"F", "Blak"});
      },
      "did you mean 'sex=F, race=Black'?");
  expect_throw<std::out_of_range>([&] { names.attribute("sexx"); }, "did you mean 'sex'?");
  expect_throw<std::out_of_range>([&] { names.code_of({"F"}); }, "a cell has 2 values");
}

TEST(Cells, TranslateMatchesAttributesByName) {
  const CellNames from({"race", "extra", "sex"},
                       {{"B", "1", "F"}, {"W", "1", "F"}, {"W", "1", "M"}});
  const CellNames to({"sex", "race"}, {{"F", "B"}, {"M", "W"}});
  EXPECT_EQ(translate(from, to), (std::vector<CellCode>{0, unseen_cell, 1}));
  expect_throw<std::out_of_range>([&] { translate(to, from); }, "there is no attribute extra");
}

TEST(Cells, RejectsColumnsOfDifferentLengths) {
  const Strings two = {"a", "b"};
  const Strings three = {"a", "b", "c"};
  expect_throw<std::invalid_argument>(
      [&] {
        Cells::from({{"x", two}, {"y", three}});
      },
      "the attribute y has 3 rows, but x has 2");
}

TEST(Cells, RejectsNoAttributes) {
  expect_throw<std::invalid_argument>([] { Cells::from({}); }, "at least one attribute");
}

TEST(Cells, RejectsAnAttributeGivenTwice) {
  const Strings a = {"a"};
  expect_throw<std::invalid_argument>(
      [&] {
        Cells::from({{"x", a}, {"x", a}});
      },
      "x is given twice");
}

TEST(Cells, RejectsAnEmptyAttributeName) {
  const Strings a = {"a"};
  expect_throw<std::invalid_argument>([&] { Cells::from({{"", a}}); }, "empty name");
}

TEST(Cells, RejectsTextThatIsNotUtf8) {
  for (const char* text :
       {"caf\xE9", "\x80", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    const Strings values = {text};
    expect_throw<std::invalid_argument>([&] { Cells::from({{"x", values}}); }, "not valid UTF-8");
  }
  const Strings fine = {"\xF0\x9F\x98\x80 \xE2\x82\xAC \xC3\xA9 \xED\x9F\xBF"};
  EXPECT_NO_THROW(Cells::from({{"x", fine}}));
}

TEST(Cells, RejectsACodeOutsideTheDictionary) {
  const Strings dictionary = {"a", "b"};
  const std::vector<std::uint32_t> codes = {0, 1, 2};
  expect_throw<std::invalid_argument>(
      [&] {
        Cells::from({{"x", {}, codes, dictionary}});
      },
      "row 2: the attribute x has code 2");
}

TEST(Cells, RejectsNamesThatDoNotAscend) {
  expect_throw<std::invalid_argument>(
      [] {
        CellNames({"x"}, {{"b"}, {"a"}});
      },
      "cells must ascend");
  expect_throw<std::invalid_argument>(
      [] {
        CellNames({"x"}, {{"a"}, {"a"}});
      },
      "cells must ascend");
  expect_throw<std::invalid_argument>(
      [] {
        CellNames({"x"}, {{"a", "b"}});
      },
      "cell 0 has 2 values for 1 attributes");
}

}  // namespace
}  // namespace evenhand::cells_test
