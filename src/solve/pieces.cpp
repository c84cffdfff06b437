#include "solve/pieces.h"

#include <algorithm>
#include <utility>

namespace evenhand {
namespace {

constexpr std::size_t scores_per_lump = 256;  // of a sorted cell

void add_up_reach(Pieces& pieces, std::size_t from = 0) {
  double sum = from == 0 ? 0 : pieces.list[from - 1].reach;
  for (std::size_t i = from; i < pieces.list.size(); ++i) {
    pieces.list[i].reach = sum += pieces.list[i].a;
  }
  pieces.total = sum;
}

// What single scores are worth, in one cell.
struct WorthInCell {
  const Outlook& outlook;
  const Costs& costs;
  CellCode cell;

  Piece piece_of(double score, double n) const {
    return {score, score, n, benefit(outlook.probability(cell, score), costs), n};
  }
};

Piece lump_of_bin(const Tally::Data& data, std::size_t bin, const WorthInCell& worth) {
  const Binned& binned = *data.binned;
  const std::size_t begin = binned.start[binned.slot(worth.cell, bin)];
  const std::size_t end = binned.start[binned.slot(worth.cell, bin + 1)];
  double n = 0;
  if (binned.weight.empty()) {
    n = static_cast<double>(end - begin);
  } else {
    for (std::size_t i = begin; i < end; ++i) n += binned.weight[i];
  }
  // The middle of the bin stands for its scores: looking at one of them would cost a cache miss.
  Piece lump = worth.piece_of(binned.middle(bin), n);
  lump.open = false;
  lump.bin = bin;
  return lump;
}

Piece lump_of_entries(const Tally::Data& data, std::size_t bin, const WorthInCell& worth) {
  const Sorted& sorted = data.sorted();
  const std::size_t begin = sorted.start[worth.cell] + bin * scores_per_lump;
  const std::size_t end = std::min(sorted.start[worth.cell + 1], begin + scores_per_lump);
  double n = 0;
  for (std::size_t i = begin; i < end; ++i) n += sorted.n(i);
  Piece lump = worth.piece_of(sorted.score[begin + (end - begin) / 2], n);
  lump.open = false;
  lump.bin = bin;
  return lump;
}

}  // namespace

Pieces pieces_of_labels(const std::vector<Block>& blocks, CellCode cell, Rate rate,
                        const Costs& costs) {
  Pieces out;
  out.cell = cell;
  out.list.reserve(blocks.size());
  for (const Block& block : blocks) {
    const double n0 = block.n - block.n1;
    const double h = (costs.false_negative * block.n1 - costs.false_positive * n0) / block.n;
    const double a = rate == Rate::selection       ? block.n
                     : rate == Rate::true_positive ? block.n1
                                                   : n0;
    out.list.push_back({block.low, block.high, block.n, h, a});
  }
  add_up_reach(out);
  return out;
}

Pieces pieces_of_scores(const Tally::Data& data, CellCode cell, const Outlook& outlook,
                        const Costs& costs, bool lumps) {
  const WorthInCell worth{outlook, costs, cell};
  Pieces out;
  out.cell = cell;
  if (lumps && data.binned) {
    for (std::size_t bin = data.binned->bins; bin-- > 0;) {
      const Piece lump = lump_of_bin(data, bin, worth);
      if (lump.n > 0) out.list.push_back(lump);
    }
  } else {
    const Sorted& sorted = data.sorted();
    const std::size_t size = sorted.start[cell + 1] - sorted.start[cell];
    if (lumps) {
      for (std::size_t bin = (size + scores_per_lump - 1) / scores_per_lump; bin-- > 0;) {
        out.list.push_back(lump_of_entries(data, bin, worth));
      }
    } else {
      out.list.reserve(size);
      for (std::size_t i = sorted.start[cell + 1]; i-- > sorted.start[cell];) {
        out.list.push_back(worth.piece_of(sorted.score[i], sorted.n(i)));
      }
    }
  }
  add_up_reach(out);
  return out;
}

std::size_t partial_piece(const Pieces& pieces, double rate) {
  // Free pieces are at the ends of the list (the best without unfavourable outcomes, the worst
  // without favourable ones), so that what is accepted comes before what is not.
  const auto accepted = [&](const Piece& piece) {
    return piece.a > 0 ? piece.reach / pieces.total <= rate : piece.h > 0;
  };
  const auto found = std::partition_point(pieces.list.begin(), pieces.list.end(), accepted);
  return static_cast<std::size_t>(found - pieces.list.begin());
}

std::vector<Piece> open_lump(const Tally::Data& data, CellCode cell, std::size_t bin,
                             const Outlook& outlook, const Costs& costs) {
  const WorthInCell worth{outlook, costs, cell};
  std::vector<Piece> out;
  if (data.binned) {
    for (const Entry& entry : open_bin(*data.binned, cell, bin)) {
      out.push_back(worth.piece_of(entry.score, entry.n));
    }
  } else {  // a run of entries
    const Sorted& sorted = data.sorted();
    const std::size_t begin = sorted.start[cell] + bin * scores_per_lump;
    const std::size_t end = std::min(sorted.start[cell + 1], begin + scores_per_lump);
    for (std::size_t i = begin; i < end; ++i) {
      out.push_back(worth.piece_of(sorted.score[i], sorted.n(i)));
    }
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// The piece before, the piece itself and the one after it set the thresholds and the slopes.
std::pair<std::size_t, std::size_t> pieces_around(const Pieces& pieces, double rate) {
  const std::size_t at = partial_piece(pieces, rate);
  return {at == 0 ? 0 : at - 1, std::min(pieces.list.size(), at + 2)};
}

bool open_around(Pieces& pieces, double rate, const OpenLump& open) {
  const auto [begin, end] = pieces_around(pieces, rate);
  std::size_t size = 0;  // of the pieces in their place
  bool opened = false;
  for (std::size_t i = begin; i < end; ++i) {
    const Piece& piece = pieces.list[i];
    size += piece.open ? 1 : open(piece.bin).size();
    opened = opened || !piece.open;
  }
  if (!opened) return false;
  const std::vector<Piece> before = std::exchange(pieces.list, {});
  std::vector<Piece>& list = pieces.list;
  list.reserve(before.size() - (end - begin) + size);
  const auto put = [&](std::size_t from, std::size_t to) {
    list.insert(list.end(), before.begin() + static_cast<std::ptrdiff_t>(from),
                before.begin() + static_cast<std::ptrdiff_t>(to));
  };
  put(0, begin);
  for (std::size_t i = begin; i < end; ++i) {
    if (before[i].open) {
      list.push_back(before[i]);
    } else {
      const std::vector<Piece>& inside = open(before[i].bin);
      list.insert(list.end(), inside.begin(), inside.end());
    }
  }
  put(end, before.size());
  add_up_reach(pieces, begin);
  return true;
}

}  // namespace evenhand
