// CellRows: the rows of one cell while they stream in, for front ends that see rows one by one and
// on several threads. Give each thread its own, let one absorb the other, and make a tally of all.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/scale.h>
#include <evenhand/tally.h>

#include <bit>
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
  void add(double score, bool label) {
    const bool favourable = is_favourable(label);
    Pending& to = pending_[favourable];
    if (to.size == to.rows.size()) make_room(favourable);
    to.rows[to.size++] = score * sign_ + 0.0;  // never -0
  }
  void add(double score, bool label, double weight);
  void absorb(CellRows&& other);  // made with the same options

  std::size_t rows() const noexcept { return rows_ + pending_[0].size + pending_[1].size; }

  // Memory that a fit on these rows takes at its peak, roughly: a listed score comes into bins,
  // into order and into the fingerprint of the tally; slots of counted ones have room for all that.
  std::size_t peak_bytes() const noexcept {
    return 10 * sizeof(double) * listed_ + sizeof(Count) * table_.size();
  }

 private:
  friend class CellRowsAccess;

  static constexpr std::uint64_t no_key = ~std::uint64_t{0};  // the bits of no score
  struct Count {
    std::uint64_t key = no_key;   // the bits of a turned score
    std::uint32_t n[2] = {0, 0};  // by outcome: unfavourable, favourable
    double score() const noexcept { return std::bit_cast<double>(key); }
  };
  // Rows in blocks, so that neither growing nor absorbing moves them.
  using Blocks = std::vector<std::vector<double>>;

  bool is_favourable(bool label) const noexcept { return labelled_ & (label ^ low_); }
  void flush(bool favourable);
  void flush();
  void make_room(bool favourable);
  template <class Cut>
  std::size_t count_some(std::span<double> rows, bool favourable, Cut cut_to_level);
  // The top bits of a product spread evenly spaced scores evenly.
  std::size_t slot_of(std::uint64_t key) const noexcept {
    return (key * 0x9E3779B97F4A7C15U) >> shift_;
  }
  void count(double x, bool favourable, std::uint32_t times);
  void rebuild(std::size_t size, std::optional<int> level);
  void choose_form();

  CellRowsOptions options_;
  double sign_;
  bool labelled_, low_;
  std::optional<int> level_;  // of the counted scores
  std::vector<Count> table_;  // open addressing; a power of two in size, at most half full
  unsigned shift_ = 64;
  std::size_t distinct_ = 0;
  std::vector<Count> full_;  // counts that would not fit in 32 bits together with further ones
  bool listing_ = false;
  // Rows wait, by outcome, until there are so many that counting them finds the table in a cache.
  struct Pending {
    std::vector<double> rows;  // as many as there is room for
    std::size_t size = 0;
  };
  Pending pending_[2];
  std::size_t batch_ = 256;
  Blocks scores_[2];  // by outcome
  Blocks weights_[2];
  std::size_t rows_ = 0;
  std::size_t listed_ = 0;  // scores and weights in blocks
};

// Cell c of the tally has the rows of `cells[c]`, all made with `options`. Bit for bit what
// Tally::of makes of the same rows. Throws std::invalid_argument if there are none, or all weights
// are zero.
Tally tally_of(const CellNames& names, std::span<CellRows> cells, const CellRowsOptions& options);

}  // namespace evenhand
