#include <evenhand/coin.h>

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::coin_test {
namespace {

TEST(Coin, IsTheFirst52BitsOfTheHash) {
  // SHA-256("abc") = ba7816bf8f01cfea..., and so on: worked out with another implementation.
  const Coin coin = Coin::keyed("abc");
  EXPECT_EQ(coin.prefix(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Coin::seeded(7).prefix(), "7");
}

TEST(Coin, IsAFractionAndEvenlySpread) {
  const Coin coin = Coin::keyed("a key");
  double sum = 0;
  constexpr int people = 20000;
  for (int i = 0; i < people; ++i) {
    const double value = coin("person " + std::to_string(i));
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    ASSERT_EQ(value * 0x1p52, std::floor(value * 0x1p52));
    sum += value;
  }
  // Five standard deviations of the mean of 20,000 uniform numbers.
  EXPECT_NEAR(sum / people, 0.5, 5 * std::sqrt(1.0 / 12 / people));
}

TEST(Coin, FallsTheSameForTheSameIdAndKeyOnly) {
  const Coin coin = Coin::keyed("k1");
  EXPECT_EQ(coin("alice"), Coin::keyed("k1")("alice"));
  EXPECT_NE(coin("alice"), coin("bob"));
  EXPECT_NE(coin("alice"), Coin::keyed("k2")("alice"));
  EXPECT_NE(Coin::seeded(0)(std::uint64_t{0}), Coin::seeded(1)(std::uint64_t{0}));
  EXPECT_EQ(Coin::seeded(0)(std::uint64_t{12}), Coin::seeded(0)("12"));
}

TEST(Coin, RejectsAnEmptyKey) {
  testing::expect_throw<std::invalid_argument>([] { Coin::keyed(""); }, "the key is empty");
}

}  // namespace
}  // namespace evenhand::coin_test
