// What a tally holds. Rows are kept as they came, thrown into bins, as long as that is exact; the
// sorted form is made when something first needs it.
#pragma once

#include <evenhand/tally.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <vector>

namespace evenhand {

constexpr std::size_t huge_page = std::size_t{1} << 21U;
constexpr std::size_t huge_worthwhile = 2 * huge_page;
void ask_for_huge_pages(void* at, std::size_t bytes) noexcept;  // tally/huge_pages.cpp

// Leaves new elements as they are: they are written right away, by several threads. Long arrays ask
// for huge pages, since clearing small ones takes the kernel longer than filling them takes us.
template <class T>
struct LeaveUninitialised : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = LeaveUninitialised<U>;
  };
  T* allocate(std::size_t n) {
    if (n * sizeof(T) < huge_worthwhile) return std::allocator<T>::allocate(n);
    void* const at = ::operator new (n * sizeof(T), std::align_val_t{huge_page});
    ask_for_huge_pages(at, n * sizeof(T));
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t n) noexcept {
    if (n * sizeof(T) < huge_worthwhile) return std::allocator<T>::deallocate(at, n);
    ::operator delete (at, std::align_val_t{huge_page});
  }
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};
using Doubles = std::vector<double, LeaveUninitialised<double>>;

// The distinct scores of all cells, ascending inside each cell. Cell c has entries
// start[c] ... start[c + 1] - 1.
struct Sorted {
  std::vector<std::size_t> start;
  Doubles score;
  Doubles n;
  Doubles n1;  // empty without labels

  double positives(std::size_t i) const noexcept { return n1.empty() ? 0 : n1[i]; }
  std::size_t size() const noexcept { return score.size(); }
};

// Rows in bins: all rows of a bin have larger scores than those of the bins before it, rows inside
// a bin have no order. Finding a threshold needs a few bins sorted, not all rows.
struct Binned {
  std::size_t bins = 1;   // for each cell
  std::size_t parts = 1;  // 2 with labels: rows with an unfavourable outcome, then the others
  double low = 0;         // bin = (x - low) * per_unit, cut to [0, bins - 1]; nondecreasing in x
  double per_unit = 0;
  std::vector<std::size_t> start;  // of each (cell, bin, part), and the end
  Doubles score;
  Doubles weight;  // empty: 1 each

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
};

// Probabilities add up in fixed point, in units of 2^-52: additions commute exactly, so that no
// order shows in a sum.
__extension__ using Wide = __int128;
inline std::int64_t chance_units(double p) noexcept {
  return static_cast<std::int64_t>(p * 0x1p52);
}

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
  const Sorted& sorted() const;  // thread-safe
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
  bool has_sorted_ = false;
};

// tally/binned.cpp: rows into bins. Labels are 0 or 1 (empty: none), already
// turned; weights are integers >= 0 or fractional ones (empty: 1 each). Throws for a bad score or
// code.
struct Rows {
  Numbers score;
  std::span<const CellCode> codes;
  std::span<const std::uint8_t> labels;
  std::span<const double> weights;
};
Binned bin_rows(const Rows& rows, std::size_t cells, const Reading& reading,
                std::optional<int> level, unsigned threads);

// So many bins for each of `lists` that a bin has few rows, and counting them stays in a cache.
std::size_t bins_for(std::size_t rows, std::size_t lists);

// tally/tally.cpp
std::vector<CellTotal> totals_of(const Binned& binned, std::size_t cells);
// Brings a sorted tally to its resolution and completes it.
Tally finish(std::shared_ptr<Tally::Data> data, Sorted sorted);

// tally/sorted.cpp
Sorted sort_bins(const Binned& binned, std::size_t cells, unsigned threads);
// Rows of one bin: their distinct scores, ascending.
std::vector<Entry> open_bin(const Binned& binned, CellCode cell, std::size_t bin);
std::vector<CellTotal> totals_of(const Sorted& sorted);
// Adds up several tallies' entries; cell c of input i becomes cell `to[i][c]` of the output.
Sorted add_up(std::span<const Sorted* const> inputs, std::span<const std::vector<CellCode>> to,
              std::size_t cells, bool labelled);

// tally/resolution.cpp
Sorted coarsen(const Sorted& sorted, int level, const Reading& reading);
// The finest level at which no cell has more than `most` distinct scores; none if they are exact.
std::optional<int> level_for(const Sorted& sorted, std::size_t most, const Reading& reading);

}  // namespace evenhand
