#include "calibrate/pool.h"

#include <algorithm>
#include <array>

#include "support/parallel.h"

namespace evenhand {
namespace {

constexpr std::size_t most_at_once = 512;

// Pools runs of entries along which the share does not rise, a few hundred entries at a time. Runs
// are found without a branch: labels are random, so that branches on them are slow. Sums come from
// differences, which is exact for integers.
template <class Positives>
void push_runs(std::vector<Block>& blocks, const Sorted& sorted, std::size_t begin, std::size_t end,
               Positives positives) {
  struct Mark {
    std::size_t at;
    double n, n1;  // before it
  };
  std::array<Mark, most_at_once + 1> marks;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  marks[0] = {begin, 0, 0};
  std::size_t count = 1;
  double n = sorted.n(begin);
  double n1 = positives(begin);
  for (std::size_t i = begin + 1; i < end; ++i) {
    marks[count] = {i, n, n1};
    count += positives(i) * sorted.n(i - 1) > positives(i - 1) * sorted.n(i) ? 1 : 0;
    n += sorted.n(i);
    n1 += positives(i);
  }
  marks[count] = {end, n, n1};
  for (std::size_t k = 0; k < count; ++k) {
    const Mark& from = marks[k];
    const Mark& to = marks[k + 1];
    push_block(blocks,
               {sorted.score[from.at], sorted.score[to.at - 1], to.n - from.n, to.n1 - from.n1});
  }
}

template <class Positives>
std::vector<Block> pool_some(const Sorted& sorted, std::size_t begin, std::size_t end,
                             std::size_t step, Positives positives) {
  std::vector<Block> blocks;
  for (; begin < end; begin += step) {
    push_runs(blocks, sorted, begin, std::min(end, begin + step), positives);
  }
  return blocks;
}

// Parts of the scores are pooled side by side, then their blocks. Sums of integers do not depend on
// the order; the parts do not depend on the number of threads.
template <class Positives>
std::vector<Block> pool_by(const Sorted& sorted, CellCode cell, bool integer_weights,
                           unsigned threads, Positives positives) {
  const std::size_t first = sorted.start[cell];
  const std::size_t end = sorted.start[cell + 1];
  if (!integer_weights) return pool_some(sorted, first, end, 1, positives);
  constexpr std::size_t part = std::size_t{1} << 17U;
  std::vector<std::vector<Block>> parts((end - first) / part + 1);
  parallel(parts.size(), threads, [&](std::size_t i) {
    const std::size_t from = first + i * part;
    parts[i] = pool_some(sorted, from, std::min(end, from + part), most_at_once, positives);
  });
  std::vector<Block> blocks = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (const Block& block : parts[i]) push_block(blocks, block);
  }
  return blocks;
}

}  // namespace

void push_block(std::vector<Block>& blocks, Block block) {
  while (!blocks.empty() && blocks.back().n1 * block.n >= block.n1 * blocks.back().n) {
    const Block& before = blocks.back();
    block = {before.low, block.high, before.n + block.n, before.n1 + block.n1};
    blocks.pop_back();
  }
  blocks.push_back(block);
}

std::vector<Block> pool(const Sorted& sorted, CellCode cell, bool integer_weights, bool falling,
                        unsigned threads) {
  if (!falling) {
    return pool_by(sorted, cell, integer_weights, threads,
                   [&](std::size_t i) { return sorted.n1[i]; });
  }
  // A falling share of favourable outcomes is a rising share of the others.
  std::vector<Block> blocks = pool_by(sorted, cell, integer_weights, threads,
                                      [&](std::size_t i) { return sorted.n(i) - sorted.n1[i]; });
  for (Block& block : blocks) block.n1 = block.n - block.n1;
  return blocks;
}

Response isotonic_share(const Sorted& sorted, CellCode cell, bool integer_weights) {
  Response out{Response::Shape::ramp, 0, {}};
  double p = 0;
  for (const Block& block : pool(sorted, cell, integer_weights)) {
    p = std::max(p, block.n1 / block.n);  // sums of fractional weights may be rounded
    out.points.push_back({block.low, p});
    if (block.high > block.low) out.points.push_back({block.high, p});
  }
  return out;
}

}  // namespace evenhand
