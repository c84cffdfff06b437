// What solvers see of each cell: its hull, its thresholds, its bins. None of it depends on the
// criterion's tolerance, so fits that differ in that alone share it.
#pragma once

#include <evenhand/tally.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "calibrate/outlook.h"
#include "solve/chain.h"
#include "solve/pieces.h"

namespace evenhand {

class LabelHull;
struct Points;
class PointSums;

// Each part is made when first asked for; all of it is thread-safe. The tally outlives it.
class CellShapes {
 public:
  CellShapes(const Tally& tally, bool from_labels, Outlook outlook, const Costs& costs,
             unsigned threads);
  CellShapes(const CellShapes&) = delete;
  CellShapes& operator=(const CellShapes&) = delete;
  ~CellShapes();

  void make_curves(unsigned threads) const;  // side by side
  const CellCurve& curve(CellCode cell, unsigned threads = 1) const;
  const LabelHull& hull(CellCode cell) const;  // benefits from labels
  const Points& points(CellCode cell) const;
  PointSums sums(CellCode cell) const;  // quick to make

  // Puts rows that stayed as they came into their bins: quicker than finding many of these.
  void place_rows() const;

  // What thresholds of a cell reach: its curve if that was made, else as little of it as is asked
  // for.
  void make_vertices(unsigned threads) const;
  const CellVertices& vertices(CellCode cell) const;
  const Wide* chances(unsigned threads) const;  // of all slots of such bins (tally/bin_chances.h)

  // Benefits from scores: the cell's lumps, and what one of them holds.
  const Pieces& lumps(CellCode cell) const;
  bool open_around(Pieces& pieces, double rate) const;
  // Finds in one look what the next calls of open_around, of these pieces at these rates, open.
  using Around = std::pair<const Pieces*, double>;
  void find_around(std::span<const Around> cells, unsigned threads) const;

 private:
  struct Cell;

  bool by_bins() const;

  const Tally::Data& data_;
  bool from_labels_;
  Outlook outlook_;
  Costs costs_;
  unsigned threads_;
  mutable std::once_flag curves_once_, chances_once_;
  mutable std::atomic<bool> has_curves_ = false;
  mutable std::vector<Wide> chances_;  // unless the tally itself has them
  std::unique_ptr<Cell[]> cells_;      // NOLINT(*-avoid-c-arrays): they cannot be moved
};

}  // namespace evenhand
