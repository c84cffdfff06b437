// What a tally holds. Rows are kept in bins, as long as that is exact; the sorted form is made when
// something first needs it.
#pragma once

#include <evenhand/tally.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "tally/binned.h"

namespace evenhand {

// The distinct scores of all cells, ascending inside each cell. Cell c has entries
// start[c] ... start[c + 1] - 1.
struct Sorted {
  std::vector<std::size_t> start;
  Doubles score;
  Doubles counts;  // weights; empty in a tally if each is 1
  Doubles n1;      // empty without labels

  double n(std::size_t i) const noexcept { return counts.empty() ? 1 : counts[i]; }
  double positives(std::size_t i) const noexcept { return n1.empty() ? 0 : n1[i]; }
  std::size_t size() const noexcept { return score.size(); }
};

struct Tally::Data {
  CellNames names;
  Reading reading;
  Resolution resolution;
  std::optional<int> level;
  bool labelled = false;
  bool unit_weights = true;     // rows were counted, not weighted
  bool integer_weights = true;  // sums are exact, whatever their order
  std::vector<CellTotal> totals;
  std::optional<Binned> binned;

  Data() = default;
  void set_binned(BinnedRows rows);
  const Sorted& sorted() const;                   // thread-safe
  const Sorted* sorted_if_made() const noexcept;  // null while nobody asked
  // The units of all rows of each slot of `binned`, where these are not weighted and probabilities
  // linear in the score. Made when first asked for; thread-safe.
  const std::vector<Wide>& bin_chances(unsigned threads) const;
  void set_sorted(Sorted sorted);
  double weight() const noexcept;  // of all rows

 private:
  mutable std::once_flag once_;
  mutable Sorted sorted_;
  mutable std::once_flag chances_once_;
  mutable std::vector<Wide> chances_;
  mutable std::atomic<bool> has_sorted_ = false;
};

// tally/tally.cpp
CellTotal total_of(const Binned& binned, CellCode cell, std::size_t bin);
std::vector<CellTotal> totals_of(const Binned& binned, std::size_t cells);
// Brings a sorted tally to its resolution and completes it.
Tally finish(std::shared_ptr<Tally::Data> data, Sorted sorted);

// tally/sorted.cpp
Sorted sort_bins(const Binned& binned, std::size_t cells, unsigned threads);
// Rows of one bin: their distinct scores, ascending.
std::vector<Entry> open_bin(const Binned& binned, CellCode cell, std::size_t bin);
// The same into memory that has room for all of the bin's rows; how many entries there are.
std::size_t open_bin(const Binned& binned, CellCode cell, std::size_t bin, std::span<Entry> to);
std::vector<CellTotal> totals_of(const Sorted& sorted);
// Adds up several tallies' entries; cell c of input i becomes cell `to[i][c]` of the output.
Sorted add_up(std::span<const Sorted* const> inputs, std::span<const std::vector<CellCode>> to,
              std::size_t cells, bool labelled);

// tally/resolution.cpp
Sorted coarsen(const Sorted& sorted, int level, const Reading& reading);
// The finest level at which no cell has more than `most` distinct scores; none if they are exact.
std::optional<int> level_for(const Sorted& sorted, std::size_t most, const Reading& reading);

}  // namespace evenhand
