#include "solve/cell_shapes.h"

#include <deque>
#include <utility>
#include <vector>

#include "lottery/points.h"
#include "solve/binned_curve.h"
#include "solve/label_hull.h"
#include "support/parallel.h"
#include "tally/bin_chances.h"

namespace evenhand {

struct CellShapes::Cell {
  struct Lump {
    std::once_flag once;
    std::vector<Piece> pieces;
  };
  std::once_flag curve_once, hull_once, bins_once, points_once, lumps_once;
  std::unique_ptr<CellCurve> curve;
  std::unique_ptr<LabelHull> hull;
  std::unique_ptr<BinnedCurve> bins;
  Points points;
  Pieces lumps;
  std::deque<Lump> opened;
};

CellShapes::CellShapes(const Tally& tally, bool from_labels, Outlook outlook, const Costs& costs,
                       unsigned threads)
    : data_(tally.data()),
      from_labels_(from_labels),
      outlook_(std::move(outlook)),
      costs_(costs),
      threads_(threads),
      cells_(new Cell[tally.cells().size()]) {}

CellShapes::~CellShapes() = default;

void CellShapes::make_curves(unsigned threads) const {
  std::call_once(curves_once_, [&] {
    data_.sorted();  // with all threads, before they split
    const std::size_t count = data_.names.size();
    parallel(count, threads, [&](std::size_t c) { curve(static_cast<CellCode>(c), threads); });
    has_curves_ = true;
  });
}

const CellCurve& CellShapes::curve(CellCode cell, unsigned threads) const {
  Cell& at = cells_[cell];
  std::call_once(at.curve_once, [&] {
    at.curve = std::make_unique<CellCurve>(data_, cell, from_labels_, outlook_, costs_, threads);
  });
  return *at.curve;
}

const LabelHull& CellShapes::hull(CellCode cell) const {
  Cell& at = cells_[cell];
  std::call_once(at.hull_once, [&] {
    at.hull = std::make_unique<LabelHull>(
        data_, cell, costs_, [this, cell]() -> const CellCurve& { return curve(cell); }, threads_);
  });
  return *at.hull;
}

PointSums CellShapes::sums(CellCode cell) const {
  return {data_, cell, from_labels_, outlook_, costs_, threads_};
}

const Points& CellShapes::points(CellCode cell) const {
  Cell& at = cells_[cell];
  std::call_once(at.points_once, [&] {
    const PointSums all = sums(cell);
    at.points = all.stretch(0, all.size(), threads_);
  });
  return at.points;
}

bool CellShapes::by_bins() const {
  return !from_labels_ && BinnedCurve::serves(data_, outlook_);
}

const Wide* CellShapes::chances(unsigned threads) const {
  if (!by_bins()) return nullptr;
  if (outlook_.linear()) return data_.bin_chances(threads).data();
  std::call_once(chances_once_, [&] {
    chances_ = chances_of(*data_.binned, threads, [&](CellCode cell, double score) {
      return outlook_.probability(cell, score);
    });
  });
  return chances_.data();
}

void CellShapes::make_vertices(unsigned threads) const {
  if (!chances(threads)) return make_curves(threads);
  place_rows();  // linear programs ask for many bins
}

void CellShapes::place_rows() const {
  if (data_.binned) (void)data_.binned->score();
}

const CellVertices& CellShapes::vertices(CellCode cell) const {
  if (!by_bins() && (has_curves_ || !from_labels_)) return curve(cell);
  if (from_labels_) return hull(cell);
  Cell& at = cells_[cell];
  std::call_once(at.bins_once, [&] {
    at.bins = std::make_unique<BinnedCurve>(data_, chances(1), cell, outlook_, costs_);
  });
  return *at.bins;
}

const Pieces& CellShapes::lumps(CellCode cell) const {
  Cell& at = cells_[cell];
  std::call_once(at.lumps_once, [&] {
    at.lumps = pieces_of_scores(data_, cell, outlook_, costs_, true);
    at.opened.resize(at.lumps.list.empty() ? 0 : at.lumps.list.front().bin + 1);  // best first
  });
  return at.lumps;
}

void CellShapes::find_around(std::span<const Around> cells, unsigned threads) const {
  if (!data_.binned) return;
  const Binned& binned = *data_.binned;
  std::vector<std::size_t> slots;
  for (const auto& [pieces, rate] : cells) {
    const auto [begin, end] = pieces_around(*pieces, rate);
    for (std::size_t i = begin; i < end; ++i) {
      const Piece& piece = pieces->list[i];
      if (!piece.open) slots.push_back(binned.slot(pieces->cell, piece.bin));
    }
    // Evaluating what comes of it asks where benefits begin.
    const double zero = outlook_.first_above(pieces->cell, costs_, 0);
    slots.push_back(binned.slot(pieces->cell, binned.bin_of(zero)));
  }
  binned.find(slots, threads);
}

bool CellShapes::open_around(Pieces& pieces, double rate) const {
  const CellCode cell = pieces.cell;
  return evenhand::open_around(pieces, rate, [&](std::size_t bin) -> const std::vector<Piece>& {
    Cell::Lump& lump = cells_[cell].opened[bin];
    std::call_once(lump.once, [&] { lump.pieces = open_lump(data_, cell, bin, outlook_, costs_); });
    return lump.pieces;
  });
}

}  // namespace evenhand
