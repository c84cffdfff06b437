// Tallies as bytes: read back the same, and nothing but tallies is read.
#include <bit>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::tally_bytes_test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes some_bytes(Random& random, Resolution resolution = Resolution::exact()) {
  return random_rows(random, {.groups = 2, .strata = 2, .most_rows = 10})
      .tally(resolution)
      .to_bytes();
}

// Puts the right checksum (FNV-1a) at the end of changed bytes.
Bytes signed_again(Bytes bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i + 8 < bytes.size(); ++i) {
    hash = (hash ^ static_cast<std::uint64_t>(bytes[i])) * 0x100000001b3;
  }
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[bytes.size() - 8 + i] = static_cast<std::byte>((hash >> (8 * i)) & 0xFFU);
  }
  return bytes;
}

TEST(TallyBytes, ReadBackTheSame) {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Rows rows =
        random_rows(random, {.groups = 3, .strata = 2, .integer_weights = trial % 2 == 0});
    for (const Resolution resolution :
         {Resolution::exact(), Resolution::bits(5), Resolution::at_most(4)}) {
      const Tally tally = rows.tally(resolution);
      const Tally back = Tally::from_bytes(tally.to_bytes());
      ASSERT_EQ(back, tally);
      ASSERT_EQ(back.to_bytes(), tally.to_bytes());
      ASSERT_EQ(back.total().n, tally.total().n);
    }
  }
}

TEST(TallyBytes, RejectsANewerVersion) {
  Random random(2);
  Bytes bytes = some_bytes(random);
  bytes[8] = std::byte{2};
  expect_throw<std::invalid_argument>([&] { Tally::from_bytes(signed_again(bytes)); },
                                      "it has version 2, this program reads up to version 1");
}

TEST(TallyBytes, RejectsTruncationAtEveryByte) {
  Random random(3);
  const Bytes bytes = some_bytes(random);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    expect_throw<std::invalid_argument>([&] { Tally::from_bytes(part); }, "not a valid tally: ");
  }
}

TEST(TallyBytes, RejectsEveryChangedByte) {
  Random random(4);
  const Bytes bytes = some_bytes(random);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Bytes changed = bytes;
    changed[at] ^= std::byte{0x10};
    expect_throw<std::invalid_argument>([&] { Tally::from_bytes(changed); }, "not a valid tally: ");
  }
}

TEST(TallyBytes, SurvivesEveryChangedByteWithARightChecksum) {
  // Whatever it reads must be a tally: used, written and read again without harm.
  Random random(5);
  for (int trial = 0; trial < 4; ++trial) {
    const Bytes bytes =
        some_bytes(random, trial % 2 == 0 ? Resolution::exact() : Resolution::bits(6));
    for (std::size_t at = 0; at + 8 < bytes.size(); ++at) {
      for (const int value : {0, 1, 127, 128, 255, random.below(256)}) {
        Bytes changed = bytes;
        changed[at] = static_cast<std::byte>(value);
        try {
          const Tally tally = Tally::from_bytes(signed_again(changed));
          EXPECT_GT(tally.total().n, 0);
          EXPECT_EQ(Tally::from_bytes(tally.to_bytes()), tally);
        } catch (const std::invalid_argument&) {
        }
      }
    }
  }
}

TEST(TallyBytes, RejectsWhatIsNoTally) {
  const auto reject = [](std::string_view text) {
    Bytes bytes;
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
    expect_throw<std::invalid_argument>([&] { Tally::from_bytes(bytes); },
                                        "it does not begin like one");
  };
  reject("");
  reject("PAR1 and so on");
  reject("sex,race,score\nF,Black,0.5\n");
}

TEST(TallyBytes, RejectsEntriesThatNoTallyHas) {
  const std::vector<double> score = {0.0, 0.5};
  const std::vector<std::string> group = {"a", "a"};
  const Bytes bytes = Tally::of(score, Cells::from({{"g", group}})).to_bytes();
  const std::size_t entries = bytes.size() - 8 - 4 * 8;
  const auto with = [&](std::size_t number, double value) {
    Bytes changed = bytes;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < 8; ++i) {
      changed[entries + 8 * number + i] = static_cast<std::byte>((bits >> (8 * i)) & 0xFFU);
    }
    return signed_again(changed);
  };
  const auto reject = [&](const Bytes& changed, const std::string& part) {
    expect_throw<std::invalid_argument>([&] { Tally::from_bytes(changed); }, part);
  };
  EXPECT_NO_THROW(Tally::from_bytes(with(0, 0.25)));
  reject(with(0, -0.0), "outside its scale");
  reject(with(0, 0.75), "do not ascend");
  reject(with(1, 0.5), "not an integer");
  reject(with(1, 0), "a count is out of range");
  reject(with(1, 0x1p53), "its counts are too large");
}

TEST(TallyBytes, RejectsHugeCountsWithoutAllocatingThem) {
  Random random(6);
  Bytes bytes = some_bytes(random);
  // The number of attributes follows magic, version, five settings, a level, a cap and a level.
  const std::size_t at = 8 + 4 + 5 + 4 + 8 + 4;
  for (std::size_t i = 0; i < 7; ++i) bytes[at + i] = std::byte{0xFF};
  expect_throw<std::invalid_argument>([&] { Tally::from_bytes(signed_again(bytes)); }, "truncated");
}

}  // namespace
}  // namespace evenhand::testing::tally_bytes_test
