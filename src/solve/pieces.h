// A cell as the solver sees it: pieces of neighbouring scores, best first, among which a rate is
// spent. Which pieces a rate accepts is a step down this list.
#pragma once

#include <evenhand/criterion.h>

#include <functional>
#include <utility>
#include <vector>

#include "calibrate/outlook.h"
#include "calibrate/pool.h"
#include "tally/data.h"

namespace evenhand {

struct Piece {
  double low, high;  // the scores it spans
  double n;          // weight
  double h;          // benefit of a positive decision, per unit weight
  double a;          // share in the rate: n, n1 or n - n1; 0: free, decided by its benefit
  double reach = 0;  // sum of a down to this piece
  bool open = true;  // false: several scores lumped together, to be told apart when it matters
  std::size_t bin = 0;
};

struct Pieces {
  CellCode cell = 0;
  double total = 0;  // sum of a
  std::vector<Piece> list;
};

// One piece for each block of pooled labels, the best first; the benefit comes from the labels.
Pieces pieces_of_labels(const std::vector<Block>& blocks, CellCode cell, Rate rate,
                        const Costs& costs);

// One piece for each score (rate: selection); the benefit comes from what the score says. With
// `lumps`, bins stay closed, each with the benefit of one of its scores.
Pieces pieces_of_scores(const Tally::Data& data, CellCode cell, const Outlook& outlook,
                        const Costs& costs, bool lumps);

// The first piece that is not fully accepted at this rate.
std::size_t partial_piece(const Pieces& pieces, double rate);

// The pieces of one lump, best first.
std::vector<Piece> open_lump(const Tally::Data& data, CellCode cell, std::size_t bin,
                             const Outlook& outlook, const Costs& costs);

// The pieces that bear on the threshold at this rate: from the first to before the second.
std::pair<std::size_t, std::size_t> pieces_around(const Pieces& pieces, double rate);

// Opens the lumps that bear on the threshold at this rate; false if there were none.
using OpenLump = std::function<const std::vector<Piece>&(std::size_t bin)>;
bool open_around(Pieces& pieces, double rate, const OpenLump& open);

}  // namespace evenhand
