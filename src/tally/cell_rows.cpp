#include <evenhand/cell_rows.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include "support/dyadic.h"
#include "tally/cell_rows_access.h"
#include "tally/large_array.h"

namespace evenhand {
namespace {

constexpr std::size_t first_block = 64;
constexpr std::size_t largest_block = std::size_t{1} << 20U;

// So that counting saves no memory.
bool is_mostly_distinct(std::size_t rows, std::size_t distinct) {
  return rows < 4 * distinct;
}

void append(std::vector<std::vector<double>>& blocks, double value) {
  if (blocks.empty() || blocks.back().size() == blocks.back().capacity()) {
    const std::size_t before = blocks.empty() ? 0 : blocks.back().size();
    std::vector<double>& block = blocks.emplace_back();
    block.reserve(std::clamp(2 * before, first_block, largest_block));
    ask_for_huge_pages(block.data(), block.capacity() * sizeof(double));
  }
  blocks.back().push_back(value);
}

void append_all(std::vector<std::vector<double>>& blocks, std::span<const double> values) {
  while (!values.empty()) {
    append(blocks, values.front());
    std::vector<double>& block = blocks.back();
    const std::size_t room = std::min(block.capacity() - block.size(), values.size() - 1);
    block.insert(block.end(), values.begin() + 1,
                 values.begin() + 1 + static_cast<std::ptrdiff_t>(room));
    values = values.subspan(1 + room);
  }
}

void move_blocks(std::vector<std::vector<double>>& from, std::vector<std::vector<double>>& to) {
  // The block that is still being filled stays last.
  to.insert(to.begin(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

}  // namespace

CellRows::CellRows(const CellRowsOptions& options)
    : options_(options),
      sign_(options.reading.favorable == Favorable::low ? -1 : 1),
      labelled_(options.labelled),
      low_(options.reading.favorable == Favorable::low),
      level_(options.resolution.fixed_level()),
      listing_(options.weighted) {}

// Counts rows while the level stays what it is; how many.
template <class Cut>
std::size_t CellRows::count_some(std::span<double> rows, bool favourable, Cut cut_to_level) {
  constexpr std::size_t ahead = 16;
  const std::optional<int> level = level_;
  for (double& x : rows.first(std::min(ahead, rows.size()))) x = cut_to_level(x);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + ahead < rows.size()) {
      double& next = rows[i + ahead];
      next = cut_to_level(next);
      __builtin_prefetch(&table_[slot_of(std::bit_cast<std::uint64_t>(next))], 1);
    }
    const auto key = std::bit_cast<std::uint64_t>(rows[i]);
    Count& at = table_[slot_of(key)];
    if (at.key == key && at.n[favourable] < std::numeric_limits<std::uint32_t>::max()) {
      ++at.n[favourable];
      continue;
    }
    count(rows[i], favourable, 1);
    if (level_ != level) return i + 1;  // cutting what was cut already changes nothing
  }
  return rows.size();
}

void CellRows::flush(bool favourable) {
  const std::span<double> rows =
      std::span(pending_[favourable].rows).first(std::exchange(pending_[favourable].size, 0));
  if (rows.empty()) return;
  rows_ += rows.size();
  if (listing_) {
    listed_ += rows.size();
    append_all(scores_[favourable], rows);
    return;
  }
  if (table_.empty()) rebuild(16, level_);
  std::size_t done = 0;
  while (done < rows.size()) {  // counting may lower the level at any row
    done += level_ ? count_some(rows.subspan(done), favourable, Cutter(*level_, options_.reading))
                   : count_some(rows.subspan(done), favourable, std::identity{});
  }
}

void CellRows::make_room(bool favourable) {
  std::vector<double>& rows = pending_[favourable].rows;
  if (rows.size() < batch_) {
    rows.resize(std::clamp<std::size_t>(2 * rows.size(), 16, batch_));
  } else {
    flush(favourable);
  }
}

void CellRows::flush() {
  flush(false);
  flush(true);
}

void CellRows::add(double score, bool label, double weight) {
  ++rows_;
  listed_ += 2;
  const bool favourable = is_favourable(label);
  append(scores_[favourable], options_.reading.turn(score));
  append(weights_[favourable], weight);
}

void CellRows::count(double x, bool favourable, std::uint32_t times) {
  if (table_.empty()) rebuild(16, level_);
  const auto key = std::bit_cast<std::uint64_t>(x);
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = slot_of(key);
  while (table_[slot].key != key && table_[slot].key != no_key) slot = (slot + 1) & mask;
  Count& at = table_[slot];
  if (at.key == no_key) {
    at = {key};
    at.n[favourable] = times;
    ++distinct_;
    if (2 * distinct_ > table_.size()) choose_form();
    return;
  }
  if (at.n[favourable] > std::numeric_limits<std::uint32_t>::max() - times) {
    full_.push_back(std::exchange(at, {key}));
  }
  at.n[favourable] += times;
}

void CellRows::rebuild(std::size_t size, std::optional<int> level) {
  std::vector<Count> old = std::exchange(table_, std::vector<Count>(size));
  const std::vector<Count> full = std::exchange(full_, {});
  old.insert(old.end(), full.begin(), full.end());
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(size));
  level_ = level;
  distinct_ = 0;
  for (const Count& at : old) {
    const double x = level_ ? cut(at.score(), *level_, options_.reading) : at.score();
    for (const bool favourable : {false, true}) {
      if (at.n[favourable] > 0) count(x, favourable, at.n[favourable]);
    }
  }
}

void CellRowsAccess::append_counts(const CellRows& cell, Sorted& out) {
  std::vector<CellRows::Count> counts = cell.full_;
  std::copy_if(cell.table_.begin(), cell.table_.end(), std::back_inserter(counts),
               [](const CellRows::Count& at) { return at.n[0] > 0 || at.n[1] > 0; });
  std::sort(counts.begin(), counts.end(),
            [](const auto& a, const auto& b) { return a.score() < b.score(); });
  const std::size_t first = out.size();
  for (const CellRows::Count& at : counts) {
    const double n1 = at.n[1];
    const double n = at.n[0] + n1;
    if (out.size() > first && out.score.back() == at.score()) {
      out.counts.back() += n;
      if (cell.options_.labelled) out.n1.back() += n1;
      continue;
    }
    out.score.push_back(at.score());
    out.counts.push_back(n);
    if (cell.options_.labelled) out.n1.push_back(n1);
  }
  out.start.push_back(out.size());
}

Sorted CellRowsAccess::counts_of(std::span<const CellRows> cells) {
  Sorted out;
  out.start.push_back(0);
  for (const CellRows& cell : cells) append_counts(cell, out);
  return out;
}

void CellRowsAccess::lower_to(CellRows& cell, std::optional<int> level) {
  if (level && (!cell.level_ || *level < *cell.level_) && !cell.table_.empty()) {
    cell.rebuild(cell.table_.size(), level);
  }
}

std::size_t CellRowsAccess::listed(const CellRows& cell, bool favourable) {
  std::size_t total = 0;
  for (const auto& block : cell.scores_[favourable]) total += block.size();
  return total;
}

void CellRowsAccess::list_counts(CellRows& cell) {
  for (const std::vector<CellRows::Count>* counts : {&cell.table_, &cell.full_}) {
    for (const CellRows::Count& at : *counts) {
      for (const bool favourable : {false, true}) {
        for (std::uint32_t i = 0; i < at.n[favourable]; ++i) {
          append(cell.scores_[favourable], at.score());
        }
        cell.listed_ += at.n[favourable];
      }
    }
  }
  cell.table_.clear();
  cell.full_.clear();
  cell.distinct_ = 0;
}

// Called whenever the table has become too full.
void CellRows::choose_form() {
  constexpr std::size_t many = std::size_t{1} << 15U;
  if (options_.resolution == Resolution::exact() && distinct_ > many &&
      is_mostly_distinct(rows_, distinct_)) {
    listing_ = true;  // what was counted stays counted
  }
  const auto cap = options_.resolution.cap();
  if (cap && distinct_ > *cap) {
    Sorted sorted = CellRowsAccess::counts_of(std::span(this, 1));
    rebuild(table_.size(), level_for(sorted, *cap, options_.reading));
  }
  if (2 * distinct_ > table_.size()) rebuild(2 * table_.size(), level_);
  batch_ = std::clamp<std::size_t>(distinct_, 256, std::size_t{1} << 15U);
}

void CellRows::absorb(CellRows&& other) {
  flush();
  other.flush();
  rows_ += other.rows_;
  CellRowsAccess::lower_to(*this, other.level_);
  if (!level_) level_ = other.level_;
  const std::size_t counted = other.rows_ - CellRowsAccess::listed(other);
  if (other.listing_ && is_mostly_distinct(counted, other.distinct_)) {
    CellRowsAccess::list_counts(other);
  }
  listed_ += other.listed_;
  for (const std::vector<Count>* counts : {&other.table_, &other.full_}) {
    for (const Count& at : *counts) {
      for (const bool favourable : {false, true}) {
        if (at.n[favourable] == 0) continue;
        count(level_ ? cut(at.score(), *level_, options_.reading) : at.score(), favourable,
              at.n[favourable]);
      }
    }
  }
  for (const bool favourable : {false, true}) {
    move_blocks(other.scores_[favourable], scores_[favourable]);
    move_blocks(other.weights_[favourable], weights_[favourable]);
  }
  listing_ = listing_ || other.listing_;
}

}  // namespace evenhand
