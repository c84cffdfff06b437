#include "solve/label_hull.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

#include "support/parallel.h"

namespace evenhand {
namespace {

constexpr std::size_t entries_per_run = 256;  // of a sorted cell
// Products of two weights are exact in doubles below this.
constexpr double products_exact_below = 0x1p26;

}  // namespace

LabelHull::LabelHull(const Tally::Data& data, CellCode cell, const Costs& costs, Whole whole,
                     unsigned threads)
    : data_(data), cell_(cell), costs_(costs), whole_(std::move(whole)), threads_(threads) {
  if (data_.integer_weights) make_runs();
}

void LabelHull::make_runs() {
  ends_.emplace_back();
  const auto add = [&](std::size_t at, double n, double n1) {
    if (n == 0) return;
    runs_.push_back({at});
    ends_.push_back({ends_.back().n + n, ends_.back().y + n1});
  };
  if (data_.binned) {
    for (std::size_t bin = data_.binned->bins; bin-- > 0;) {
      const CellTotal total = total_of(*data_.binned, cell_, bin);
      add(bin, total.n, total.n1);
    }
  } else {
    const Sorted& sorted = data_.sorted();
    const std::size_t begin = sorted.start[cell_];
    for (std::size_t end = sorted.start[cell_ + 1]; end > begin;) {
      const std::size_t first = end - begin > entries_per_run ? end - entries_per_run : begin;
      double n = 0;
      double n1 = 0;
      for (std::size_t i = first; i < end; ++i) {
        n += sorted.n(i);
        n1 += sorted.positives(i);
      }
      add(first, n, n1);
      end = first;
    }
  }
}

std::size_t LabelHull::end_of_sorted(const Run& run) const {
  return &run == runs_.data() ? data_.sorted().start[cell_ + 1] : (&run - 1)->at;
}

std::vector<LabelHull::Room> LabelHull::make_room(std::span<const std::size_t> runs) const {
  std::vector<std::size_t> begin{0};
  for (const std::size_t j : runs) {
    const Run& run = runs_[j];
    const std::size_t most = run.found      ? 0
                             : data_.binned ? data_.binned->rows_in(cell_, run.at)
                                            : end_of_sorted(run) - run.at;
    begin.push_back(begin.back() + most);
  }
  const std::span<Entry> all(entries_.emplace_back(begin.back()));
  std::vector<Room> out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    out.push_back(all.subspan(begin[i], begin[i + 1] - begin[i]));
  }
  return out;
}

std::span<const Entry> LabelHull::entries_of(const Run& run, Room room) const {
  const Sorted* const sorted = data_.sorted_if_made();
  if (!sorted) return room.first(open_bin(*data_.binned, cell_, run.at, room));
  std::size_t begin = run.at;
  std::size_t end = begin;
  if (data_.binned) {
    const auto entries = std::views::iota(sorted->start[cell_], sorted->start[cell_ + 1]);
    const auto bin = [&](std::size_t i) { return data_.binned->bin_of(sorted->score[i]); };
    begin = *std::ranges::partition_point(entries, [&](std::size_t i) { return bin(i) < run.at; });
    end = *std::ranges::partition_point(entries, [&](std::size_t i) { return bin(i) <= run.at; });
  } else {
    end = end_of_sorted(run);
  }
  for (std::size_t i = begin; i < end; ++i) {
    room[i - begin] = {sorted->score[i], sorted->n(i), sorted->positives(i)};
  }
  return room.first(end - begin);
}

void LabelHull::find(Run& run, Room room) const {
  if (run.found) return;
  run.entries = entries_of(run, room);
  run.found = true;
}

std::shared_ptr<const LabelHull::Known> LabelHull::known() const {
  const std::scoped_lock lock(mutex_);
  if (!known_) connect();
  return known_;
}

// The runs' blocks as one hull.
void LabelHull::connect() const {
  auto out = std::make_shared<Known>();
  if (!data_.integer_weights) {
    out->chain = whole_().chain(true);
    known_ = std::move(out);
    return;
  }
  std::vector<Block> blocks;
  for (std::size_t j = runs_.size(); j-- > 0;) {
    out->closed.push_back(runs_[j].open ? 0 : 1);
    if (!runs_[j].open) {
      push_block(blocks, {0, 0, ends_[j + 1].n - ends_[j].n, ends_[j + 1].y - ends_[j].y});
    }
    for (const Block& block : runs_[j].blocks) push_block(blocks, block);
  }
  std::reverse(out->closed.begin(), out->closed.end());
  out->chain = chain_of_blocks(std::move(blocks));
  known_ = std::move(out);
}

void LabelHull::open(std::span<const std::size_t> runs, unsigned threads) const {
  double most = 0;  // entries in them
  for (const std::size_t run : runs) most += ends_[run + 1].n - ends_[run].n;
  const std::vector<Room> room = make_room(runs);
  parallel(runs.size(), threads_for(static_cast<std::size_t>(most), threads), [&](std::size_t i) {
    Run& run = runs_[runs[i]];
    if (run.open) return;
    find(run, room[i]);
    std::vector<Block> blocks;
    for (const Entry& entry : run.entries) {
      push_block(blocks, {entry.score, entry.score, entry.n, entry.n1});
    }
    run.blocks = std::move(blocks);
    run.open = true;
  });
  connect();
}

// A closed run begins on the ROC curve and then goes up as far as it has favourable outcomes.
template <class Number>
void LabelHull::add_above(const Known& seen, std::size_t edge, std::vector<char>& wanted) const {
  const Chain& chain = seen.chain;
  const auto x0 = static_cast<Number>(chain.s0[edge]);
  const auto y0 = static_cast<Number>(chain.s1[edge]);
  const auto dx = static_cast<Number>(chain.s0[edge + 1]) - x0;
  const auto dy = static_cast<Number>(chain.s1[edge + 1]) - y0;
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    const auto top = static_cast<Number>(ends_[j + 1].y);
    const Number x = static_cast<Number>(ends_[j].n) + (top - static_cast<Number>(ends_[j].y)) - x0;
    const Number y = top - y0;
    wanted[j] |= static_cast<char>(y * dx >= x * dy);
  }
}

bool LabelHull::open_around(const Known& seen, std::size_t first_edge, std::size_t last_edge,
                            unsigned threads) const {
  if (seen.closed.empty()) return false;
  std::vector<char> wanted(runs_.size());
  const bool small = ends_.back().n < products_exact_below;
  for (std::size_t edge = first_edge; edge <= last_edge; ++edge) {
    small ? add_above<double>(seen, edge, wanted) : add_above<Wide>(seen, edge, wanted);
  }
  // Runs in these edges, and one more on either side.
  const double from = seen.chain.s0[first_edge];
  const double to = seen.chain.s0[last_edge + 1];
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (ends_[j + 1].n >= from && ends_[j].n <= to) wanted[j] = 1;
  }
  std::vector<std::size_t> runs;
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (wanted[j] != 0 && seen.closed[j] != 0) runs.push_back(j);
  }
  if (runs.empty()) return false;
  const std::scoped_lock lock(mutex_);
  open(runs, threads);
  return true;
}

void LabelHull::find_entries(std::span<const std::size_t> runs, unsigned threads) const {
  const std::scoped_lock lock(mutex_);
  const std::vector<Room> room = make_room(runs);
  parallel(runs.size(), threads, [&](std::size_t i) { find(runs_[runs[i]], room[i]); });
}

std::span<const Entry> LabelHull::entries(std::size_t run) const {
  const std::scoped_lock lock(mutex_);
  return runs_[run].entries;
}

CellVertices::Best LabelHull::best(double benefit_weight, const CellPrice& price) const {
  const PricedLine z = priced_line(true, costs_, benefit_weight, price);
  if (!z.upper) return whole_().best(benefit_weight, price);
  for (;;) {
    const std::shared_ptr<const Known> seen = known();
    const Chain& chain = seen->chain;
    const std::size_t k = count_above(chain, z, 0);
    const std::size_t edges = chain.size();
    if (edges > 0 && open_around(*seen, k > 0 ? k - 1 : 0, std::min(k, edges - 1), threads_))
      continue;
    return {reach_of_labels(chain.s0[k], chain.s1[k], costs_),
            z.kappa * chain.s1[k] - z.tau * chain.s0[k]};
  }
}

Reach LabelHull::total() const {
  if (!data_.integer_weights) return whole_().total();
  return reach_of_labels(ends_.back().n, ends_.back().y, costs_);
}

double LabelHull::magnitude() const {
  return magnitude_of_vertices(*this);
}

double LabelHull::most_benefit(double n) const {
  return whole_().most_benefit(n);
}

}  // namespace evenhand
