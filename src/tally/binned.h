// Rows in bins: all rows of a bin have larger scores than those of the bins before it, rows inside
// a bin have no order. Finding a threshold needs a few bins, not all rows sorted.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/column.h>
#include <evenhand/scale.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tally/large_array.h"

namespace evenhand {

// Probabilities add up in fixed point, in units of 2^-52: additions commute exactly, so that no
// order shows in a sum.
__extension__ using Wide = __int128;
inline std::int64_t chance_units(double p) noexcept {
  return static_cast<std::int64_t>(p * 0x1p52);
}

// Scores of somebody else, as they are turned.
struct BorrowedScores {
  const double* doubles = nullptr;
  const float* floats = nullptr;  // or these
  double sign = 1;

  double operator[](std::size_t row) const noexcept {
    return (doubles ? doubles[row] : static_cast<double>(floats[row])) * sign + 0.0;
  }
  void prefetch(std::size_t row) const noexcept {
    doubles ? __builtin_prefetch(doubles + row) : __builtin_prefetch(floats + row);
  }
};

// The slot of each row in the order in which they came, and their turned scores unless these are
// borrowed, in one piece of memory: what is freed as one piece, allocators keep for the next fit.
class SlotOfEachRow {
 public:
  SlotOfEachRow(std::size_t rows, std::optional<BorrowedScores> borrowed)
      : rows_(rows),
        scores_bytes_(borrowed ? 0 : rows * sizeof(double)),
        memory_(scores_bytes_ + rows * sizeof(std::uint16_t)),
        scores_(borrowed.value_or(BorrowedScores{score().data()})) {}
  // Empty if they are borrowed.
  std::span<double> score() noexcept {
    return {reinterpret_cast<double*>(memory_.data()), scores_bytes_ / sizeof(double)};
  }
  std::span<std::uint16_t> slot() noexcept {
    return {reinterpret_cast<std::uint16_t*>(memory_.data() + scores_bytes_), rows_};
  }
  const BorrowedScores& scores() const noexcept { return scores_; }  // its own ones, too

 private:
  std::size_t rows_;
  std::size_t scores_bytes_;
  LargeArray<std::byte> memory_;
  BorrowedScores scores_;
};

// These rows; bins that were found among them are kept.
class RowsAsTheyCame;

struct Binned {
  std::size_t bins = 1;   // for each cell
  std::size_t parts = 1;  // 2 with labels: rows with an unfavourable outcome, then the others
  double low = 0;         // bin = (x - low) * per_unit, cut to [0, bins - 1]; nondecreasing in x
  double per_unit = 0;
  std::vector<std::size_t> start;  // of each (cell, bin, part), and the end
  Doubles weight;                  // empty: 1 each

  std::size_t rows() const noexcept { return start.back(); }
  std::size_t bin_of(double x) const noexcept {
    double at = (x - low) * per_unit;
    at = at > 0 ? at : 0;
    const auto last = static_cast<double>(bins - 1);
    return static_cast<std::size_t>(at < last ? at : last);
  }
  // Above every score of the bins before, below every score of those after; not always inside.
  double middle(std::size_t bin) const noexcept {
    return per_unit > 0 ? low + (static_cast<double>(bin) + 0.5) / per_unit : low;
  }
  std::size_t slot(CellCode cell, std::size_t bin) const noexcept {
    return (cell * bins + bin) * parts;
  }

  std::size_t rows_in(CellCode cell, std::size_t bin) const noexcept {
    const std::size_t first = slot(cell, bin);
    return start[first + parts] - start[first];
  }

  // Of all slots, one after the other. Rows that stayed as they came are put into their slots.
  const Doubles& score() const;
  // Of one bin, without putting all others into theirs, if few are asked for.
  std::span<const double> in_bin(CellCode cell, std::size_t bin) const;
  // Finds these bins in one look at all rows. Each is given by its slot.
  void find(std::span<const std::size_t> slots, unsigned threads) const;
  bool all_of(const std::function<bool(double)>& is) const;

  void set_score(Doubles score) { score_ = std::move(score); }
  void set_rows(SlotOfEachRow rows);  // without labels and weights

 private:
  Doubles score_;
  std::shared_ptr<RowsAsTheyCame> came_;
};

// Labels are 0 or 1, if they are given; weights are integers >= 0 or fractional ones (empty: 1
// each).
struct Rows {
  Numbers score;
  std::span<const CellCode> codes;
  Numbers labels = {};
  std::span<const double> weights = {};
  bool borrow_scores = false;
};

struct BinnedRows {
  Binned binned;
  // Sums of probabilities by slot (Tally::Data::bin_chances), where they came for nothing.
  std::vector<Wide> chances;
};

// Throws for a bad score, code or label. `sorted_next`: all rows are put into their slots right
// away.
BinnedRows bin_rows(const Rows& rows, std::size_t cells, const Reading& reading,
                    std::optional<int> level, unsigned threads, bool sorted_next);

// So many bins for each of `lists` that a bin has few rows, and counting them stays in a cache.
std::size_t bins_for(std::size_t rows, std::size_t lists);

}  // namespace evenhand
