// The thresholds that all cells of a stratum share, with what each reaches in these cells.
#pragma once

#include <optional>
#include <vector>

#include "solve/pooled_scores.h"

namespace evenhand {

struct Ladder {
  std::vector<CellCode> cells;
  std::vector<CellPrice> reach;  // cell by cell, then threshold by threshold
  std::vector<double> benefit;   // of each threshold
  std::vector<double> people;    // that it selects
  // Windows of thresholds that may be mixed, the largest ones, so that both ends rise.
  std::vector<std::size_t> first, last;

  // Coins may decide this share of each cell, one score always; none: no coins at all.
  Ladder(const PooledScores& pool, const std::optional<double>& share);

  std::size_t end() const { return benefit.size() - 1; }
  const CellPrice& at(std::size_t k, std::size_t cell) const {
    return reach[k * cells.size() + cell];
  }
  Column column(std::size_t k) const;

  // The last window that begins at this threshold or before it.
  std::size_t window_from(std::size_t k) const;
};

}  // namespace evenhand
