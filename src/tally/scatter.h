// Puts rows where their slots are: rows of a slot lie together, in the order in which they came.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "support/parallel.h"
#include "tally/large_array.h"

namespace evenhand {

// Rows that belong nowhere.
template <class Slot>
constexpr Slot no_slot = std::numeric_limits<Slot>::max();

// Rows in chunks, each the work of one thread: few, since each has counts of its own, which must
// not cost more than its rows.
struct Chunks {
  std::size_t rows;
  std::size_t count;

  Chunks(std::size_t all_rows, std::size_t slots, unsigned threads) : rows(all_rows) {
    const std::size_t worthwhile = rows / std::max<std::size_t>(4 * slots, 16384);
    const std::size_t wanted =
        thread_count(threads) > 1 ? std::size_t{4} * thread_count(threads) : 1;
    count = std::clamp<std::size_t>(worthwhile, 1, wanted);
  }
  std::size_t begin(std::size_t chunk) const noexcept { return rows * chunk / count; }
  std::size_t end(std::size_t chunk) const noexcept { return begin(chunk + 1); }
};

// How many rows of each chunk belong into each slot.
using ChunkCounts = std::vector<std::vector<std::size_t>>;

// Where each slot starts, and the end; counts become places of the chunks' next rows.
inline std::vector<std::size_t> starts_of(ChunkCounts& next, std::size_t slots, unsigned threads) {
  std::vector<std::size_t> start(slots + 1);  // at first how many rows the slot before it has
  constexpr std::size_t together = 512;
  const std::size_t tasks = (slots + together - 1) / together;
  const auto for_slots = [&](const auto& each) {
    parallel(tasks, threads_for(next.size() * slots, threads), [&](std::size_t task) {
      const std::size_t first = task * together;
      const std::size_t end = std::min(slots, first + together);
      for (std::vector<std::size_t>& at : next) {
        for (std::size_t s = first; s < end; ++s) each(s, at[s]);
      }
    });
  };
  for_slots([&](std::size_t s, std::size_t count) { start[s + 1] += count; });
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::size_t> free = start;
  for_slots([&](std::size_t s, std::size_t& at) { free[s] += std::exchange(at, free[s]); });
  return start;
}

// Thousands of slots are filled at once, too many for caches to see what comes next: the line of
// memory after this one is fetched now, so that the slot's later rows need not wait for it.
inline void put_into_slot(Doubles& column, std::size_t at, double value) noexcept {
  constexpr std::uintptr_t line = 64;
  column[at] = value;
  const std::uintptr_t next = reinterpret_cast<std::uintptr_t>(&column[at]) + line;
  __builtin_prefetch(reinterpret_cast<const void*>(next), 1);
}

template <class Slot>
ChunkCounts count_slots(std::span<const Slot> slot, std::size_t slots, const Chunks& chunks,
                        unsigned threads) {
  ChunkCounts out(chunks.count);
  parallel(chunks.count, threads, [&](std::size_t chunk) {
    std::vector<std::size_t> counts(slots);
    for (std::size_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
      if (slot[row] != no_slot<Slot>) ++counts[slot[row]];
    }
    out[chunk] = std::move(counts);
  });
  return out;
}

// Row `i` belongs into slot[i]; `next` has gone through starts_of. Calls put_row(row, place) for
// each row, on several threads.
template <class Slot, class PutRow>
void scatter(std::span<const Slot> slot, const Chunks& chunks, ChunkCounts& next, unsigned threads,
             PutRow put_row) {
  parallel(chunks.count, threads, [&](std::size_t chunk) {
    std::size_t* const at = next[chunk].data();
    for (std::size_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
      if (slot[row] != no_slot<Slot>) put_row(row, at[slot[row]]++);
    }
  });
}

}  // namespace evenhand
