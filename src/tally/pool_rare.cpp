#include <evenhand/pool_rare.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "support/dyadic.h"
#include "tally/data.h"

namespace evenhand {
namespace {

// From the lowest score up; what is left over at the top joins the last pool.
std::vector<std::vector<Entry>> pools_of(const std::vector<Entry>& entries, double min_count) {
  std::vector<std::vector<Entry>> pools;
  double rows = min_count;
  for (const Entry& entry : entries) {
    if (rows >= min_count) {
      pools.emplace_back();
      rows = 0;
    }
    pools.back().push_back(entry);
    rows += entry.n;
  }
  if (rows < min_count && pools.size() > 1) {
    const std::vector<Entry> last = std::move(pools.back());
    pools.pop_back();
    pools.back().insert(pools.back().end(), last.begin(), last.end());
  }
  return pools;
}

Entry pooled(const std::vector<Entry>& entries, const Tally& tally) {
  if (entries.size() == 1) return entries.front();
  Entry sum{0, 0, 0};
  for (const Entry& entry : entries) {
    sum.n += entry.n;
    sum.n1 += entry.n1;
  }
  // The mean, kept between its ends in spite of rounding, so that pools stay in order.
  for (const Entry& entry : entries) sum.score += entry.n / sum.n * entry.score;
  sum.score = std::clamp(sum.score, entries.front().score, entries.back().score) + 0.0;
  if (tally.level()) sum.score = cut(sum.score, *tally.level(), tally.reading());
  return sum;
}

}  // namespace

PooledTally pool_rare(const Tally& tally, double min_count) {
  if (!tally.unit_weights()) {
    throw std::invalid_argument("a weighted tally does not say how many rows an entry has");
  }
  if (!(min_count >= 0)) throw std::invalid_argument("the smallest count cannot be negative");
  if (std::floor(min_count) != min_count) {
    throw std::invalid_argument(
        fmt::format("the smallest count is a whole number of rows, not {}", shortest(min_count)));
  }
  auto data = std::make_shared<Tally::Data>();
  const Tally::Data& from = tally.data();
  data->names = from.names;
  data->reading = from.reading;
  data->resolution = from.resolution;
  data->level = from.level;
  data->labelled = from.labelled;
  PooledTally out{tally};
  Sorted sorted;
  sorted.start.push_back(0);
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    if (tally.total(c).n < min_count) {
      throw std::invalid_argument(
          fmt::format("the cell {} has {} rows in all, fewer than {}; put it together with another",
                      tally.cells().name(c), shortest(tally.total(c).n), shortest(min_count)));
    }
    const std::vector<Entry> entries = tally.entries(c);
    out.entries_before += entries.size();
    out.rare += static_cast<std::size_t>(std::count_if(
        entries.begin(), entries.end(), [&](const Entry& entry) { return entry.n < min_count; }));
    for (const std::vector<Entry>& pool : pools_of(entries, min_count)) {
      const Entry entry = pooled(pool, tally);
      sorted.score.push_back(entry.score);
      sorted.counts.push_back(entry.n);
      if (tally.labelled()) sorted.n1.push_back(entry.n1);
    }
    sorted.start.push_back(sorted.size());
  }
  out.entries_after = sorted.size();
  out.tally = finish(std::move(data), std::move(sorted));
  return out;
}

}  // namespace evenhand
