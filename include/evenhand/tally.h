// Tally: the weight of rows, and of positive labels among them, for each cell and score. The only
// thing that ever sees rows; all that follows needs nothing else.
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
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// How finely scores are told apart. Cutting to dyadic intervals [k, k + 1) / 2^level is nested, so
// that tallies of any parts of the rows, merged in any order, are the same bit for bit.
class Resolution {
 public:
  static constexpr Resolution exact() { return {}; }  // every score as it is: the default
  // Intervals of width 2^-bits; bits from -1000 to 52. Throws std::invalid_argument otherwise.
  static Resolution bits(int bits);
  // Exact while no cell has more than `most` distinct scores, then the finest level at which none
  // has. Bounds memory. At least 2.
  static Resolution at_most(std::size_t most = 65536);

  std::optional<int> fixed_level() const noexcept { return level_; }
  std::optional<std::size_t> cap() const noexcept { return cap_; }
  bool operator==(const Resolution&) const = default;

 private:
  std::optional<int> level_;
  std::optional<std::size_t> cap_;
};
std::string to_string(const Resolution& resolution);  // "exact", "16", "auto", "at-most 1000"
Resolution resolution_from(std::string_view text);    // throws std::invalid_argument

struct TallyOptions {
  Numbers label = {};   // 0 or 1; none: the tally serves criteria that need no labels
  Numbers weight = {};  // finite and >= 0, not all 0; none: 1 each
  Scale scale = Scale::probability;
  Favorable favorable = Favorable::high;
  Resolution resolution = Resolution::exact();
  unsigned threads = 0;  // 0: as many as there are cores. The result does not depend on it.
  // Exact scores need not be copied if they stay as they are while the tally, or a copy of it,
  // lives: 2 bytes a row instead of 10. Those of labelled or weighted rows are copied all the same.
  bool borrow_scores = false;
};

// Columns that were already counted, as from SELECT cell, score, count(*), sum(label) GROUP BY.
struct CountedOptions {
  Numbers positives = {};  // weight of the rows with label 1, at most the count
  Scale scale = Scale::probability;
  Favorable favorable = Favorable::high;
  Resolution resolution = Resolution::exact();
  std::optional<int> level = {};  // with a capped resolution: what the scores were cut to already
  bool weighted = false;          // counts are weights, even if they are integers
};

// One distinct score of a cell. `score` is turned, and `n1` counts favourable outcomes (scale.h).
struct Entry {
  double score;
  double n;   // weight of the rows
  double n1;  // of those with a favourable outcome; 0 in a tally without labels
  bool operator==(const Entry&) const = default;
};

struct CellTotal {
  double n = 0;
  double n1 = 0;
  bool operator==(const CellTotal&) const = default;
};

class Tally {
 public:
  // Throws std::invalid_argument that names the first bad row. Scores are double or float; rows of
  // weight 0 are left out.
  static Tally of(const Numbers& score, const Cells& cells, const TallyOptions& options = {});
  static Tally of(const Numbers& score, const CellNames& names, std::span<const CellCode> codes,
                  const TallyOptions& options = {});
  static Tally counted(const Numbers& score, const Numbers& count, const Cells& cells,
                       const CountedOptions& options = {});

  // The tally of both tallies' rows. Bit for bit the same in any order and grouping as long as
  // weights are integers and their sum is below 2^53. Throws std::invalid_argument unless both have
  // the same attributes, reading, resolution and either both labels or neither.
  Tally merge(const Tally& other) const;

  // The tally over some of the attributes only, in the given order.
  Tally project(std::span<const std::string> attributes) const;

  const CellNames& cells() const noexcept;
  const Reading& reading() const noexcept;
  const Resolution& resolution() const noexcept;
  std::optional<int> level() const noexcept;  // of the intervals, none while scores are exact
  bool labelled() const noexcept;
  bool unit_weights() const noexcept;  // every row counted once: n is a number of people
  const CellTotal& total(
      CellCode cell) const;  // throws std::out_of_range for a code without a cell
  CellTotal total() const noexcept;

  // Distinct scores of a cell, ascending. Throws std::out_of_range like total().
  std::vector<Entry> entries(CellCode cell) const;
  std::size_t distinct_scores(CellCode cell) const;  // as many as there are entries

  // A portable form with a version and a checksum (docs/formats.md).
  std::vector<std::byte> to_bytes() const;
  // Throws std::invalid_argument for anything but the bytes of a tally of a version it knows.
  static Tally from_bytes(std::span<const std::byte> bytes);

  // Same cells, settings and entries, bit for bit.
  bool operator==(const Tally& other) const;

  struct Data;  // src/tally/data.h
  explicit Tally(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  const Data& data() const noexcept { return *data_; }

 private:
  void check_cell(CellCode cell) const;

  std::shared_ptr<const Data> data_;
};

}  // namespace evenhand
