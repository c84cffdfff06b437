// Tallies that tell no small number of people apart.
#pragma once

#include <evenhand/tally.h>

#include <cstddef>

namespace evenhand {

struct PooledTally {
  Tally tally;
  std::size_t entries_before = 0;
  std::size_t rare = 0;  // of those: entries with fewer rows than asked for
  std::size_t entries_after = 0;
};

// Pools neighbouring scores of each cell until no entry has fewer than `min_count` rows. A pooled
// entry has the mean score of its rows, cut to the tally's level where it has one. Throws
// std::invalid_argument for a weighted tally, for a count that is no whole number, and for a cell
// with fewer rows than that, by name.
PooledTally pool_rare(const Tally& tally, double min_count);

}  // namespace evenhand
