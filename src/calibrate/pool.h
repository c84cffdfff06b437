// Pooling labels: isotonic regression of n1 / n on the score, by pool-adjacent-violators.
#pragma once

#include <evenhand/response.h>

#include <vector>

#include "tally/data.h"

namespace evenhand {

// Neighbouring scores with one common share of favourable outcomes. Blocks are the edges of the
// upper convex hull of the cell's ROC curve.
struct Block {
  double low, high;  // the scores it spans
  double n, n1;      // exact sums
};

// Adds a block with the largest scores so far, or a run of them that stays one: blocks ascend in
// n1 / n. While the last one has at least the new one's share they are one block.
void push_block(std::vector<Block>& blocks, Block block);

// Blocks ascend in score and, strictly, in n1 / n; with `falling`, they descend in n1 / n instead:
// the edges of the lower hull.
std::vector<Block> pool(const Sorted& sorted, CellCode cell, bool integer_weights,
                        bool falling = false, unsigned threads = 1);

// n1 / n as a function of the score: constant on blocks, linear between them.
Response isotonic_share(const Sorted& sorted, CellCode cell, bool integer_weights);

}  // namespace evenhand
