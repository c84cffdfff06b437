#include "calibrate/tabulate.h"

#include <algorithm>
#include <cmath>

#include "support/parallel.h"

namespace evenhand {
namespace {

// Sums in fixed point. A row counts in units of 2^-52 (or, with fractional weights, of the total
// weight's 2^-100), as fine as the rounding of a sum of doubles.
struct FixedPoint {
  int exponent = 52;
  bool integers = true;

  explicit FixedPoint(const Tally::Data& data) : integers(data.integer_weights) {
    if (!integers) exponent = 100 - std::ilogb(data.weight());
  }
  Wide of(double p, double n) const noexcept {
    if (integers) return Wide{chance_units(p)} * static_cast<std::int64_t>(n);
    return static_cast<Wide>(std::ldexp(p * n, exponent));
  }
  double value(Wide sum) const noexcept { return std::ldexp(static_cast<double>(sum), -exponent); }
};

struct WideSums {
  double n = 0;
  double n1 = 0;
  Wide p = 0;
};

// A run of bins or of sorted entries of one cell; the same ones whatever the number of threads.
struct Task {
  CellCode cell;
  std::size_t begin, end;
};

std::vector<Task> tasks_of(const Tally::Data& data) {
  constexpr std::size_t entries_per_task = std::size_t{1} << 16U;
  std::vector<Task> tasks;
  const auto split = [&](CellCode c, std::size_t begin, std::size_t end, std::size_t step) {
    for (; begin < end; begin += step) tasks.push_back({c, begin, std::min(end, begin + step)});
  };
  for (CellCode c = 0; c < data.names.size(); ++c) {
    if (data.binned) {
      const Binned& binned = *data.binned;
      const std::size_t rows =
          binned.start[binned.slot(c, binned.bins)] - binned.start[binned.slot(c, 0)];
      const std::size_t pieces = rows / entries_per_task + 1;
      split(c, 0, binned.bins, (binned.bins + pieces - 1) / pieces);
    } else {
      const Sorted& sorted = data.sorted();
      split(c, sorted.start[c], sorted.start[c + 1], entries_per_task);
    }
  }
  return tasks;
}

// Rows of bins of one cell.
class BinSums {
 public:
  BinSums(const Tally::Data& data, const FixedPoint& fixed, CellCode cell,
          const Outlook* expectations, const Wide* chances)
      : binned_(*data.binned),
        fixed_(fixed),
        cell_(cell),
        expectations_(expectations),
        chances_(chances) {}

  // All rows of the bins from `bin` to before `end`.
  void add_whole(std::size_t bin, std::size_t end, WideSums& sums) const {
    const std::size_t from = binned_.slot(cell_, bin);
    const std::size_t to = binned_.slot(cell_, end);
    const std::vector<std::size_t>& start = binned_.start;
    if (!binned_.weight.empty() || (expectations_ && !chances_)) {
      for (std::size_t slot = from; slot < to; ++slot) {
        const bool positive = slot % binned_.parts == 1;
        for (std::size_t i = start[slot]; i < start[slot + 1]; ++i) {
          add_row(i, binned_.score()[i], positive, sums);
        }
      }
      return;
    }
    sums.n += static_cast<double>(start[to] - start[from]);
    if (binned_.parts == 2) {
      std::size_t positives = 0;
      for (std::size_t slot = from; slot < to; slot += 2) {
        positives += start[slot + 2] - start[slot + 1];
      }
      sums.n1 += static_cast<double>(positives);
    }
    if (!chances_) return;
    Wide p = 0;
    for (std::size_t slot = from; slot < to; ++slot) p += chances_[slot];
    sums.p += p;
  }

  void add_row(std::size_t i, double score, bool positive, WideSums& sums) const {
    const double n = binned_.weight.empty() ? 1 : binned_.weight[i];
    sums.n += n;
    if (positive) sums.n1 += n;
    if (expectations_) sums.p += fixed_.of(expectations_->probability(cell_, score), n);
  }

 private:
  const Binned& binned_;
  const FixedPoint& fixed_;
  CellCode cell_;
  const Outlook* expectations_;
  const Wide* chances_;  // of each slot, where its rows need not be seen
};

void add_bins(const Tally::Data& data, const FixedPoint& fixed, const Task& task,
              const std::vector<double>& cuts, const Outlook* expectations, const Wide* chances,
              std::vector<WideSums>& sums) {
  const Binned& binned = *data.binned;
  const BinSums bin_sums(data, fixed, task.cell, expectations, chances);
  // Only the bin of a cut has rows on both sides of it, since bin_of is nondecreasing.
  std::vector<std::size_t> cut_bins;
  for (const double cut : cuts) cut_bins.push_back(binned.bin_of(cut));
  std::size_t below = 0;  // cuts that no row from here on is below
  for (std::size_t bin = task.begin; bin < task.end; ++bin) {
    while (below < cuts.size() && cut_bins[below] < bin) ++below;
    const std::size_t next = below < cuts.size() ? cut_bins[below] : task.end;
    if (bin < next) {
      const std::size_t end = std::min(next, task.end);
      bin_sums.add_whole(bin, end, sums[below]);
      bin = end;
      if (bin == task.end) break;
    }
    std::size_t after = below;
    while (after < cuts.size() && cut_bins[after] == bin) ++after;
    const std::size_t slot = binned.slot(task.cell, bin);
    std::size_t i = binned.start[slot];
    for (const double score : binned.in_bin(task.cell, bin)) {
      std::size_t at = below;
      while (at < after && cuts[at] <= score) ++at;
      bin_sums.add_row(i, score, i >= binned.start[slot + 1], sums[at]);
      ++i;
    }
  }
}

// In one look, should rows be as they came.
void find_bins_of(const Binned& binned, const std::vector<std::vector<double>>& cuts,
                  unsigned threads) {
  std::vector<std::size_t> slots;
  for (CellCode c = 0; c < cuts.size(); ++c) {
    for (const double cut : cuts[c]) slots.push_back(binned.slot(c, binned.bin_of(cut)));
  }
  binned.find(slots, threads);
}

void add_entries(const Tally::Data& data, const FixedPoint& fixed, const Task& task,
                 const std::vector<double>& cuts, const Outlook* expectations,
                 std::vector<WideSums>& sums) {
  const Sorted& sorted = data.sorted();
  std::size_t at = 0;
  for (std::size_t i = task.begin; i < task.end; ++i) {
    while (at < cuts.size() && cuts[at] <= sorted.score[i]) ++at;
    sums[at].n += sorted.n(i);
    sums[at].n1 += sorted.positives(i);
    if (expectations) {
      sums[at].p += fixed.of(expectations->probability(task.cell, sorted.score[i]), sorted.n(i));
    }
  }
}

}  // namespace

std::vector<std::vector<Sums>> tabulate(const Tally::Data& data,
                                        const std::vector<std::vector<double>>& cuts,
                                        const Outlook* expectations, unsigned threads,
                                        const Wide* chances) {
  const FixedPoint fixed(data);
  const std::vector<Task> tasks = tasks_of(data);
  std::vector<std::vector<WideSums>> parts(tasks.size());
  const bool counted = data.binned && data.binned->weight.empty();
  if (!chances && counted && expectations && expectations->linear()) {
    chances = data.bin_chances(threads).data();
  }
  // Where rows need not be seen there is little to do.
  const bool little = counted && (chances || !expectations);
  const std::size_t seen = little        ? data.binned->start.size()
                           : data.binned ? data.binned->rows()
                                         : data.sorted().score.size();
  if (little) find_bins_of(*data.binned, cuts, threads);
  parallel(tasks.size(), threads_for(seen, threads), [&](std::size_t t) {
    const Task& task = tasks[t];
    parts[t].resize(cuts[task.cell].size() + 1);
    if (data.binned) {
      add_bins(data, fixed, task, cuts[task.cell], expectations, chances, parts[t]);
    } else {
      add_entries(data, fixed, task, cuts[task.cell], expectations, parts[t]);
    }
  });
  std::vector<std::vector<WideSums>> sums(cuts.size());
  for (std::size_t c = 0; c < cuts.size(); ++c) sums[c].resize(cuts[c].size() + 1);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (std::size_t i = 0; i < parts[t].size(); ++i) {
      WideSums& to = sums[tasks[t].cell][i];
      to.n += parts[t][i].n;
      to.n1 += parts[t][i].n1;
      to.p += parts[t][i].p;
    }
  }
  std::vector<std::vector<Sums>> out(cuts.size());
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    for (const WideSums& from : sums[c]) out[c].push_back({from.n, from.n1, fixed.value(from.p)});
  }
  return out;
}

}  // namespace evenhand
