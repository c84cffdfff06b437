// Puts rows where their slots are: rows of a slot lie together, in the order in which they came.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "support/parallel.h"

namespace evenhand {

// Rows that belong nowhere.
template <class Slot>
constexpr Slot no_slot = std::numeric_limits<Slot>::max();

// Row `i` belongs into slot[i] of `slots`. Calls size(total), then put(row, place) for each row, on
// several threads. Returns where each slot starts, and the end.
template <class Slot, class Size, class Put>
std::vector<std::size_t> scatter(std::span<const Slot> slot, std::size_t slots, unsigned threads,
                                 Size size, Put put) {
  // A thread's counts must not cost more than its rows.
  const std::size_t worthwhile = slot.size() / std::max<std::size_t>(4 * slots, 16384);
  const std::size_t chunks = std::clamp<std::size_t>(worthwhile, 1, thread_count(threads));
  const auto rows_of = [&](std::size_t chunk) {
    return std::pair(slot.size() * chunk / chunks, slot.size() * (chunk + 1) / chunks);
  };
  std::vector<std::vector<std::size_t>> next(chunks);
  parallel(chunks, threads, [&](std::size_t chunk) {
    const auto [begin, end] = rows_of(chunk);
    std::vector<std::size_t> counts(slots);
    for (std::size_t row = begin; row < end; ++row) {
      if (slot[row] != no_slot<Slot>) ++counts[slot[row]];
    }
    next[chunk] = std::move(counts);
  });
  std::vector<std::size_t> start(slots + 1);
  std::size_t total = 0;
  for (std::size_t s = 0; s < slots; ++s) {
    start[s] = total;
    for (std::vector<std::size_t>& at : next) total += std::exchange(at[s], total);
  }
  start[slots] = total;
  size(total);
  parallel(chunks, threads, [&](std::size_t chunk) {
    const auto [begin, end] = rows_of(chunk);
    std::size_t* const at = next[chunk].data();
    for (std::size_t row = begin; row < end; ++row) {
      if (slot[row] != no_slot<Slot>) put(row, at[slot[row]]++);
    }
  });
  return start;
}

}  // namespace evenhand
