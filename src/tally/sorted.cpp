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

// The rows of a bin, of which those from `split` on have the favourable outcome. Without labels all
// are before it.
struct BinRows {
  std::span<const double> score;
  std::span<const double> weight;  // empty: 1 each
  std::size_t split;
};

// Bin `b` is counted over all cells.
BinRows bin_rows_at(const Binned& binned, std::size_t b, std::span<const double> score) {
  const std::size_t slot = b * binned.parts;
  const std::size_t begin = binned.start[slot];
  const std::span<const double> weight(binned.weight);
  return {score, weight.empty() ? weight : weight.subspan(begin, score.size()),
          binned.start[slot + 1] - begin};
}

// The distinct scores of a bin, from its rows with either outcome. Rows are thrown into as many
// buckets as there are rows, so that neighbours are nearly in order, then sorted by insertion.
// Buckets that stay large are sorted on their own: never worse than std::sort by more than the
// throwing.
class CountedBin {
 public:
  template <class Put>
  void operator()(const BinRows& bin, Put put) {
    const std::span<const double> rows = bin.score;
    if (rows.empty()) return;
    const double first = rows.front();
    const auto positives = rows.subspan(bin.split);
    if (std::all_of(rows.begin(), rows.end(), [&](double x) { return x == first; })) {
      put(first, static_cast<double>(rows.size()), static_cast<double>(positives.size()));
      return;
    }
    rows_.resize(rows.size());
    throw_into_buckets(rows.first(bin.split), positives);
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      const Row row = rows_[i];
      std::size_t at = i;
      for (; at > 0 && rows_[at - 1].score > row.score; --at) rows_[at] = rows_[at - 1];
      rows_[at] = row;
    }
    for (std::size_t i = 0; i < rows_.size();) {
      const double score = rows_[i].score;
      double n = 0;
      double n1 = 0;
      do {
        n += 1;
        n1 += rows_[i].positive;
      } while (++i < rows_.size() && rows_[i].score == score);
      put(score, n, n1);
    }
  }

 private:
  struct Row {
    double score;
    double positive;  // 0 or 1
  };

  void throw_into_buckets(std::span<const double> negatives, std::span<const double> positives) {
    constexpr std::size_t few = 24;
    constexpr std::uint32_t crowded = 24;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const auto& rows : {negatives, positives}) {
      for (const double x : rows) {
        low = std::min(low, x);
        high = std::max(high, x);
      }
    }
    const double per_unit = static_cast<double>(rows_.size() - 1) / (high - low);
    if (rows_.size() <= few || rows_.size() > std::numeric_limits<std::uint32_t>::max() ||
        !std::isfinite(per_unit)) {  // too far apart or too near for the division
      Row* to = rows_.data();
      for (const double x : negatives) *to++ = {x, 0};
      for (const double x : positives) *to++ = {x, 1};
      if (rows_.size() > few) sort(rows_.begin(), rows_.end());
      return;
    }
    start_.assign(rows_.size() + 1, 0);
    const auto bucket = [&](double x) { return static_cast<std::uint32_t>((x - low) * per_unit); };
    for (const double x : negatives) ++start_[bucket(x)];
    for (const double x : positives) ++start_[bucket(x)];
    std::uint32_t total = 0;
    std::uint32_t largest = 0;
    for (std::uint32_t& count : start_) {
      largest = std::max(largest, count);
      total += std::exchange(count, total);
    }
    for (const double x : negatives) rows_[start_[bucket(x)]++] = {x, 0};
    for (const double x : positives) rows_[start_[bucket(x)]++] = {x, 1};
    if (largest <= crowded) return;
    std::uint32_t begin = 0;
    for (const std::uint32_t end : start_) {  // start_[b] is now the end of bucket b
      if (end - begin > crowded) sort(rows_.begin() + begin, rows_.begin() + end);
      begin = end;
    }
  }

  static void sort(std::vector<Row>::iterator begin, std::vector<Row>::iterator end) {
    const auto less = [](const Row& a, const Row& b) { return a.score < b.score; };
    if (!std::is_sorted(begin, end, less)) std::sort(begin, end, less);  // often all are equal
  }

  std::vector<Row> rows_;
  std::vector<std::uint32_t> start_;
};

// The same of weighted rows.
class WeightedBin {
 public:
  template <class Put>
  void operator()(const BinRows& bin, Put put) {
    rows_.clear();
    for (std::size_t i = 0; i < bin.score.size(); ++i) {
      rows_.push_back({bin.score[i], bin.weight[i]});
    }
    const auto negatives = std::span(rows_).first(bin.split);
    const auto positives = std::span(rows_).subspan(bin.split);
    std::sort(negatives.begin(), negatives.end());
    std::sort(positives.begin(), positives.end());
    distinct(negatives, positives, put);
  }

 private:
  std::vector<Weighted> rows_;
};

// Neighbours in a column, and where they belong: right behind those before them.
struct Stretch {
  std::size_t from = 0, size = 0, to = 0;
};

// Each one's first part goes to where others are, so it waits until these have moved.
class Gaps {
 public:
  Gaps(const std::vector<Stretch>& stretches, unsigned threads)
      : stretches_(stretches), threads_(threads) {
    for (const Stretch& one : stretches) waits_at_.push_back(waits_at_.back() + ahead(one));
    waiting_.resize(waits_at_.back());
  }

  void close(Doubles& column) {
    if (column.empty()) return;
    if (!waiting_.empty()) {
      parallel(stretches_.size(), threads_, [&](std::size_t i) {
        const Stretch& one = stretches_[i];
        double* const at = column.data() + one.from;
        std::copy(at, at + ahead(one), waiting_.data() + waits_at_[i]);
        std::copy(at + ahead(one), at + one.size, at);
      });
      parallel(stretches_.size(), threads_, [&](std::size_t i) {
        const std::span<const double> waiting(waiting_);
        std::ranges::copy(waiting.subspan(waits_at_[i], ahead(stretches_[i])),
                          column.data() + stretches_[i].to);
      });
    }
    const std::size_t size = stretches_.back().to + stretches_.back().size;
    const bool hardly_used = size < column.size() / 2;
    column.resize(size);
    if (hardly_used) column.shrink_to_fit();
  }

 private:
  static std::size_t ahead(const Stretch& one) { return std::min(one.from - one.to, one.size); }

  const std::vector<Stretch>& stretches_;
  unsigned threads_;
  std::vector<std::size_t> waits_at_{0};
  Doubles waiting_;
};

template <class Bin>
Sorted sort_all(const Binned& binned, std::size_t cells, unsigned threads) {
  const std::size_t all_bins = cells * binned.bins;
  const std::size_t tasks = std::min(all_bins, std::size_t{4} * thread_count(threads));
  const auto first_bin = [&](std::size_t task) { return all_bins * task / tasks; };
  const bool labelled = binned.parts == 2;
  // Each task first writes where its rows were: there is room, as there are no more entries than
  // rows. Counts are written where they are not all 1; pages that nobody writes cost nothing.
  const std::size_t rows = binned.rows();
  const std::span<const double> score(binned.score());
  Sorted out;
  out.score.resize(rows);
  out.counts.resize(rows);
  if (labelled) out.n1.resize(rows);
  std::vector<std::size_t> entries(all_bins);
  std::vector<Stretch> written(tasks);
  std::vector<char> counted(tasks);
  const auto ones = [&](std::size_t begin, std::size_t end) {
    std::fill(out.counts.data() + begin, out.counts.data() + end, 1.0);
  };
  parallel(tasks, threads, [&](std::size_t task) {
    Bin bin;
    const std::size_t from = binned.start[first_bin(task) * binned.parts];
    std::size_t to = from;
    bool counting = false;
    for (std::size_t b = first_bin(task); b < first_bin(task + 1); ++b) {
      const std::size_t begin = binned.start[b * binned.parts];
      const std::size_t end = binned.start[(b + 1) * binned.parts];
      const std::size_t before = to;
      bin(bin_rows_at(binned, b, score.subspan(begin, end - begin)),
          [&](double x, double n, double n1) {
            if (n != 1 && !std::exchange(counting, true)) ones(from, to);
            if (counting) out.counts[to] = n;
            out.score[to] = x;
            if (labelled) out.n1[to] = n1;
            ++to;
          });
      entries[b] = to - before;
    }
    written[task] = {from, to - from};
    counted[task] = counting ? 1 : 0;
  });
  if (std::ranges::none_of(counted, [](char some) { return some != 0; })) {
    out.counts = {};
  } else {
    parallel(tasks, threads, [&](std::size_t task) {
      if (counted[task] == 0) ones(written[task].from, written[task].from + written[task].size);
    });
  }
  for (std::size_t task = 1; task < tasks; ++task) {
    written[task].to = written[task - 1].to + written[task - 1].size;
  }
  Gaps gaps(written, threads);
  for (Doubles* column : {&out.score, &out.counts, &out.n1}) gaps.close(*column);
  std::vector<std::size_t> first(all_bins + 1, 0);  // of each bin's entries
  std::partial_sum(entries.begin(), entries.end(), first.begin() + 1);
  for (std::size_t c = 0; c <= cells; ++c) out.start.push_back(first[c * binned.bins]);
  return out;
}

template <class Bin>
std::size_t open(const BinRows& rows, std::span<Entry> to) {
  std::size_t size = 0;
  Bin()(rows, [&](double score, double n, double n1) { to[size++] = {score, n, n1}; });
  return size;
}

}  // namespace

Sorted sort_bins(const Binned& binned, std::size_t cells, unsigned threads) {
  return binned.weight.empty() ? sort_all<CountedBin>(binned, cells, threads)
                               : sort_all<WeightedBin>(binned, cells, threads);
}

std::size_t open_bin(const Binned& binned, CellCode cell, std::size_t bin, std::span<Entry> to) {
  const BinRows rows = bin_rows_at(binned, cell * binned.bins + bin, binned.in_bin(cell, bin));
  return binned.weight.empty() ? open<CountedBin>(rows, to) : open<WeightedBin>(rows, to);
}

std::vector<Entry> open_bin(const Binned& binned, CellCode cell, std::size_t bin) {
  std::vector<Entry> out(binned.rows_in(cell, bin));
  out.resize(open_bin(binned, cell, bin, out));
  return out;
}

std::vector<CellTotal> totals_of(const Sorted& sorted) {
  std::vector<CellTotal> totals(sorted.start.size() - 1);
  for (std::size_t c = 0; c < totals.size(); ++c) {
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      totals[c].n += sorted.n(i);
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
          longer.push_back({range.from->score[at], range.from->n(at), range.from->positives(at)});
        }
        longer.push_back(entry);
        if (at < range.end && range.from->score[at] == entry.score) {
          longer.back().n += range.from->n(at);
          longer.back().n1 += range.from->positives(at);
          ++at;
        }
      }
      for (; at < range.end; ++at) {
        longer.push_back({range.from->score[at], range.from->n(at), range.from->positives(at)});
      }
      std::swap(merged, longer);
    }
    for (const Entry& entry : merged) {
      out.score.push_back(entry.score);
      out.counts.push_back(entry.n);
      if (labelled) out.n1.push_back(entry.n1);
    }
    out.start.push_back(out.score.size());
  }
  return out;
}

}  // namespace evenhand
