// Rows into slots, a block of rows at a time: as vectors of whatever width the processor has, with
// the same bits.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/scale.h>

#include <cstdint>
#include <span>

namespace evenhand {

// The kinds of instructions there is code for, the widest last.
enum class Vectors { plain, avx2, avx512 };
Vectors widest_vectors() noexcept;  // that this processor has

// What a row's place depends on.
struct Places {
  double sign = 1;  // of turned scores
  double lowest = 0, highest = 1;
  std::uint32_t cells = 1;
  double low = 0, per_unit = 0, last = 0;  // as in Binned
  unsigned bin_bits = 0;
  Vectors vectors = widest_vectors();  // or fewer
};

// Turns scores into `x`; whether all of them and all codes are valid.
template <class Score>
bool turn_rows(const Places& places, std::span<const Score> scores, const CellCode* codes,
               double* x);

// The bin of each, counted over all cells; with labels, the slot: twice that, plus the label.
template <class Slot>
void slots_of(const Places& places, std::span<const double> x, const CellCode* codes,
              const std::uint8_t* labels, Slot* slot);

// Copies to where nobody reads soon: past the caches, if the processor can. `to` is aligned to 16
// bytes.
void copy_past_caches(std::span<const double> from, double* to) noexcept;

}  // namespace evenhand
