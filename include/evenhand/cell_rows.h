// CellRows: the rows of one cell while they stream in, for front ends that see rows one by one and
// on several threads. Give each thread its own, let one absorb the other, and make a tally of all.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/scale.h>
#include <evenhand/tally.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace evenhand {

struct CellRowsOptions {
  Reading reading = {};
  Resolution resolution = Resolution::exact();
  bool labelled = false;
  bool weighted = false;
};

// Unweighted rows are counted by score, so that memory grows with the number of distinct scores:
// with a resolution of bits or at_most it stays bounded however many rows there are. Rows whose
// scores hardly ever repeat are listed, at 8 bytes each; so are weighted rows, at 16, because their
// sums must not depend on the order they came in.
class CellRows {
 public:
  explicit CellRows(const CellRowsOptions& options);

  // The score must be valid in the reading, the weight finite and >= 0: check them first. Without
  // labels the label is ignored.
  void add(double score, bool label);
  void add(double score, bool label, double weight);
  void absorb(CellRows&& other);  // made with the same options

  std::size_t rows() const noexcept { return rows_; }

 private:
  friend class CellRowsAccess;

  struct Count {
    double score;        // turned
    std::uint32_t n[2];  // by outcome: unfavourable, favourable; both 0 in an empty slot
  };
  // Rows in blocks, so that neither growing nor absorbing moves them.
  using Blocks = std::vector<std::vector<double>>;

  bool is_favourable(bool label) const noexcept;
  void count(double x, bool favourable, std::uint32_t times);
  void count_into_empty(std::size_t slot, double x, bool favourable, std::uint32_t times);
  void rebuild(std::size_t size, std::optional<int> level);
  void choose_form();

  CellRowsOptions options_;
  std::optional<int> level_;  // of the counted scores
  std::vector<Count> table_;  // open addressing; a power of two in size, at most half full
  unsigned shift_ = 64;
  std::size_t distinct_ = 0;
  std::vector<Count> full_;  // counts that would not fit in 32 bits together with further ones
  bool listing_ = false;
  Blocks scores_[2];  // by outcome
  Blocks weights_[2];
  std::size_t rows_ = 0;
};

// Cell c of the tally has the rows of `cells[c]`, all made with `options`. Bit for bit what
// Tally::of makes of the same rows. Throws std::invalid_argument if there are none, or all weights
// are zero.
Tally tally_of(const CellNames& names, std::span<CellRows> cells, const CellRowsOptions& options);

}  // namespace evenhand
