#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "support/parallel.h"
#include "tally/data.h"

namespace evenhand {
namespace {

struct Weighted {
  double score;
  double weight;
  auto operator<=>(const Weighted&) const = default;
};

// Walks two sorted lists of rows together; calls put(score, n, n1) for each distinct score. The
// order of additions is that of (score, weight), so it does not depend on the order of rows.
template <class Put>
void distinct(std::span<const Weighted> negatives, std::span<const Weighted> positives, Put put) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < negatives.size() || j < positives.size()) {
    const bool from_negatives =
        j == positives.size() || (i < negatives.size() && negatives[i].score <= positives[j].score);
    const double score = from_negatives ? negatives[i].score : positives[j].score;
    double n0 = 0;
    double n1 = 0;
    for (; i < negatives.size() && negatives[i].score == score; ++i) n0 += negatives[i].weight;
    for (; j < positives.size() && positives[j].score == score; ++j) n1 += positives[j].weight;
    put(score, n0 + n1, n1);
  }
}

// The same of counted rows: without branches on which list the next score comes from, since labels
// are random.
template <class Put>
void distinct(std::span<const double> negatives, std::span<const double> positives, Put put) {
  std::size_t i = 0;
  std::size_t j = 0;
  double score = 0;
  double n = 0;
  double n1 = 0;
  const auto add = [&](double next, bool positive) {
    if (next != score || n == 0) {
      if (n > 0) put(score, n, n1);
      score = next;
      n = n1 = 0;
    }
    n += 1;
    n1 += positive ? 1 : 0;
  };
  while (i < negatives.size() && j < positives.size()) {
    const double a = negatives[i];
    const double b = positives[j];
    const bool positive = b < a;
    add(positive ? b : a, positive);
    j += positive ? 1 : 0;
    i += positive ? 0 : 1;
  }
  for (; i < negatives.size(); ++i) add(negatives[i], false);
  for (; j < positives.size(); ++j) add(positives[j], true);
  if (n > 0) put(score, n, n1);
}

// Sorts by throwing the rows into as many buckets as there are rows, so that neighbours are nearly
// in order, then insertion. Buckets that stay large are sorted on their own: never worse than
// std::sort by more than the throwing.
class BucketSort {
 public:
  void operator()(std::span<double> rows) {
    constexpr std::size_t few = 24;
    constexpr std::uint32_t crowded = 24;
    if (rows.size() <= few || rows.size() > std::numeric_limits<std::uint32_t>::max()) {
      std::sort(rows.begin(), rows.end());
      return;
    }
    const auto [lowest, highest] = std::minmax_element(rows.begin(), rows.end());
    const double low = *lowest;
    const double per_unit = static_cast<double>(rows.size() - 1) / (*highest - low);
    if (!std::isfinite(per_unit)) {  // all equal, or too far apart or too near for the division
      std::sort(rows.begin(), rows.end());
      return;
    }
    start_.assign(rows.size() + 1, 0);
    copy_.assign(rows.begin(), rows.end());
    const auto bucket = [&](double x) { return static_cast<std::uint32_t>((x - low) * per_unit); };
    for (const double x : copy_) ++start_[bucket(x)];
    std::uint32_t total = 0;
    std::uint32_t largest = 0;
    for (std::uint32_t& count : start_) {
      largest = std::max(largest, count);
      total += std::exchange(count, total);
    }
    for (const double x : copy_) rows[start_[bucket(x)]++] = x;
    if (largest > crowded) {  // start_[b] is now the end of bucket b
      std::uint32_t begin = 0;
      for (const std::uint32_t end : start_) {
        if (end - begin > crowded) std::sort(rows.begin() + begin, rows.begin() + end);
        begin = end;
      }
    }
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const double x = rows[i];
      std::size_t at = i;
      for (; at > 0 && rows[at - 1] > x; --at) rows[at] = rows[at - 1];
      rows[at] = x;
    }
  }
  void operator()(std::span<Weighted> rows) { std::sort(rows.begin(), rows.end()); }

 private:
  std::vector<std::uint32_t> start_;
  std::vector<double> copy_;
};

template <class Row>
void copy_rows(const Binned& binned, std::size_t from, std::size_t to, Row* out) {
  if constexpr (std::is_same_v<Row, double>) {
    std::copy(binned.score.data() + from, binned.score.data() + to, out);
  } else {
    for (std::size_t i = from; i < to; ++i) *out++ = {binned.score[i], binned.weight[i]};
  }
}

// The rows of bin `b` (counted over all cells) begin, split and end here. Without labels all rows
// are in the first list.
struct Extent {
  std::size_t begin, split, end;
};
Extent extent(const Binned& binned, std::size_t b) {
  const std::size_t slot = b * binned.parts;
  return {binned.start[slot], binned.start[slot + 1], binned.start[slot + binned.parts]};
}

template <class Row>
Sorted sort_all(const Binned& binned, std::size_t cells, unsigned threads) {
  const std::size_t all_bins = cells * binned.bins;
  const std::size_t tasks = std::min(all_bins, std::size_t{4} * thread_count(threads));
  const auto first_bin = [&](std::size_t task) { return all_bins * task / tasks; };
  const bool labelled = binned.parts == 2;
  // Each bin first writes where its rows were: there is room, as it has no more entries than rows.
  const std::size_t rows = binned.start.back();
  Sorted out;
  out.score.resize(rows);
  out.n.resize(rows);
  if (labelled) out.n1.resize(rows);
  std::vector<std::size_t> entries(all_bins);
  parallel(tasks, threads, [&](std::size_t task) {
    BucketSort sort;
    std::vector<Row> copy;
    for (std::size_t b = first_bin(task); b < first_bin(task + 1); ++b) {
      const Extent at = extent(binned, b);
      copy.resize(at.end - at.begin);
      copy_rows(binned, at.begin, at.end, copy.data());
      const auto negatives = std::span(copy).first(at.split - at.begin);
      const auto positives = std::span(copy).subspan(at.split - at.begin);
      sort(negatives);
      sort(positives);
      std::size_t to = at.begin;
      distinct(std::span<const Row>(negatives), std::span<const Row>(positives),
               [&](double score, double n, double n1) {
                 out.score[to] = score;
                 out.n[to] = n;
                 if (labelled) out.n1[to] = n1;
                 ++to;
               });
      entries[b] = to - at.begin;
    }
  });
  // Then close the gaps that repeated scores left.
  std::vector<std::size_t> first(all_bins + 1, 0);  // of each bin's entries
  std::partial_sum(entries.begin(), entries.end(), first.begin() + 1);
  for (std::size_t c = 0; c <= cells; ++c) out.start.push_back(first[c * binned.bins]);
  if (first.back() == rows) return out;
  for (Doubles* column : {&out.score, &out.n, &out.n1}) {
    if (column->empty()) continue;
    Doubles closed(first.back());
    parallel(tasks, threads, [&](std::size_t task) {
      for (std::size_t b = first_bin(task); b < first_bin(task + 1); ++b) {
        const double* const from = column->data() + binned.start[b * binned.parts];
        std::copy(from, from + entries[b], closed.data() + first[b]);
      }
    });
    *column = std::move(closed);
  }
  return out;
}

template <class Row>
std::vector<Entry> open(const Binned& binned, std::size_t b) {
  const Extent at = extent(binned, b);
  std::vector<Row> rows(at.end - at.begin);
  copy_rows(binned, at.begin, at.end, rows.data());
  const auto negatives = std::span(rows).first(at.split - at.begin);
  const auto positives = std::span(rows).subspan(at.split - at.begin);
  std::sort(negatives.begin(), negatives.end());
  std::sort(positives.begin(), positives.end());
  std::vector<Entry> out;
  distinct(std::span<const Row>(negatives), std::span<const Row>(positives),
           [&](double score, double n, double n1) {
             out.push_back({score, n, n1});
           });
  return out;
}

}  // namespace

Sorted sort_bins(const Binned& binned, std::size_t cells, unsigned threads) {
  return binned.weight.empty() ? sort_all<double>(binned, cells, threads)
                               : sort_all<Weighted>(binned, cells, threads);
}

std::vector<Entry> open_bin(const Binned& binned, CellCode cell, std::size_t bin) {
  const std::size_t b = cell * binned.bins + bin;
  return binned.weight.empty() ? open<double>(binned, b) : open<Weighted>(binned, b);
}

std::vector<CellTotal> totals_of(const Sorted& sorted) {
  std::vector<CellTotal> totals(sorted.start.size() - 1);
  for (std::size_t c = 0; c < totals.size(); ++c) {
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      totals[c].n += sorted.n[i];
      totals[c].n1 += sorted.positives(i);
    }
  }
  return totals;
}

Sorted add_up(std::span<const Sorted* const> inputs, std::span<const std::vector<CellCode>> to,
              std::size_t cells, bool labelled) {
  struct Range {
    const Sorted* from;
    std::size_t at, end;
  };
  std::vector<std::vector<Range>> ranges(cells);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t c = 0; c < to[i].size(); ++c) {
      ranges[to[i][c]].push_back({inputs[i], inputs[i]->start[c], inputs[i]->start[c + 1]});
    }
  }
  Sorted out;
  out.start.push_back(0);
  std::vector<Entry> merged;
  std::vector<Entry> longer;
  for (const std::vector<Range>& cell : ranges) {
    merged.clear();
    for (const Range& range : cell) {
      longer.clear();
      std::size_t at = range.at;
      for (const Entry& entry : merged) {
        for (; at < range.end && range.from->score[at] < entry.score; ++at) {
          longer.push_back({range.from->score[at], range.from->n[at], range.from->positives(at)});
        }
        longer.push_back(entry);
        if (at < range.end && range.from->score[at] == entry.score) {
          longer.back().n += range.from->n[at];
          longer.back().n1 += range.from->positives(at);
          ++at;
        }
      }
      for (; at < range.end; ++at) {
        longer.push_back({range.from->score[at], range.from->n[at], range.from->positives(at)});
      }
      std::swap(merged, longer);
    }
    for (const Entry& entry : merged) {
      out.score.push_back(entry.score);
      out.n.push_back(entry.n);
      if (labelled) out.n1.push_back(entry.n1);
    }
    out.start.push_back(out.score.size());
  }
  return out;
}

}  // namespace evenhand
