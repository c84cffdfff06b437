// The checksum of a tally's bytes: FNV-1a, h -> (h ^ byte) * prime, which finds accidents, not
// attackers. A chain by nature, but a long one can be followed in parts, side by side:
//
// - The lowest 8 bits of h depend on nothing but themselves and the bytes, and bit i only on the
//   bits up to i. Flipping the highest known bit at the start flips that bit at the end, no other.
// - Two states with the same lowest 8 bits stay apart by a multiple that each byte multiplies by
//   the prime.
//
// So each part is followed from the few states that settle the next three bits of all parts'
// starts, three times; then once from its true lowest 8 bits, and what is above them is added.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "support/parallel.h"

namespace evenhand {

// From several states at once: their multiplications overlap.
template <std::size_t lanes = 1>
struct Checksums {
  std::array<std::uint64_t, lanes> at{0xcbf29ce484222325};

  void put(const unsigned char* bytes, std::size_t size) noexcept {
    for (std::size_t i = 0; i < size; ++i) step(bytes[i]);
  }
  // The eight bytes of a number. Zero bytes only multiply, and counts have many of them.
  void number(double value) noexcept {
    auto bits = std::bit_cast<std::uint64_t>(value);
    const unsigned zeros = static_cast<unsigned>(std::countr_zero(bits)) / 8;
    for (std::uint64_t& h : at) h *= powers[zeros];
    bits >>= 4 * zeros;  // in two steps: by 64 it would not be defined
    bits >>= 4 * zeros;
    for (unsigned i = zeros; i < 8; ++i, bits >>= 8U) step(bits & 0xFFU);
  }

  static constexpr std::array<std::uint64_t, 9> powers = [] {
    std::array<std::uint64_t, 9> out{1};
    for (std::size_t i = 1; i < out.size(); ++i) out[i] = out[i - 1] * 0x100000001b3;
    return out;
  }();

 private:
  void step(std::uint64_t byte) noexcept {
    for (std::uint64_t& h : at) h = (h ^ byte) * powers[1];
  }
};

// The state after bytes that come in parts: follow(state, i) moves `state`, Checksums of any number
// of lanes, over part i, which has sizes[i] bytes.
template <class Follow>
std::uint64_t checksum_of_parts(std::uint64_t start, std::span<const std::size_t> sizes,
                                unsigned threads, Follow follow) {
  std::vector<std::uint64_t> low(sizes.size() + 1, start);  // of each part's start: bits so far
  constexpr unsigned all = 8;
  for (unsigned known = 0; known < all;) {
    constexpr std::size_t lanes = 4;
    const unsigned width = std::min(3U, all - known);
    std::vector<std::array<std::uint64_t, lanes>> ends(sizes.size());
    const std::uint64_t settled = (std::uint64_t{1} << known) - 1;
    parallel(sizes.size(), threads, [&](std::size_t i) {
      Checksums<lanes> state;
      for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        state.at[lane] = (low[i] & settled) | lane << known;
      }
      follow(state, i);
      ends[i] = state.at;
    });
    const std::uint64_t highest = std::uint64_t{1} << (known + width - 1);
    low[0] = start & (2 * highest - 1);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::uint64_t lane = (low[i] & (highest - 1)) >> known;
      low[i + 1] = (ends[i][lane] ^ (low[i] & highest)) & (2 * highest - 1);
    }
    known += width;
  }
  std::vector<std::uint64_t> from_low(sizes.size());
  parallel(sizes.size(), threads, [&](std::size_t i) {
    Checksums<1> state{{low[i]}};
    follow(state, i);
    from_low[i] = state.at[0];
  });
  std::uint64_t h = start;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::uint64_t power = 1;
    std::uint64_t factor = Checksums<>::powers[1];
    for (std::size_t bytes = sizes[i]; bytes > 0; bytes /= 2, factor *= factor) {
      if (bytes % 2 == 1) power *= factor;
    }
    h = (h - low[i]) * power + from_low[i];
  }
  return h;
}

}  // namespace evenhand
