#include "tally/binned.h"

#include <evenhand/bad_row.h>
#include <evenhand/text.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "support/dyadic.h"
#include "support/parallel.h"
#include "tally/labels.h"
#include "tally/place_rows.h"
#include "tally/scatter.h"

namespace evenhand {
namespace {

constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();
constexpr std::size_t block = 1024;  // rows placed together, in a cache

// A probability as a linear function of the turned score: the same bits as Reading::probability.
struct Line {
  double factor, offset;
};
std::optional<Line> probability_line(const Reading& reading) {
  if (reading.scale == Scale::signed_) return Line{0.5, 0.5};
  if (reading.scale != Scale::probability) return std::nullopt;
  return Line{1, reading.favorable == Favorable::low ? 1.0 : 0.0};
}

template <class Score>
class Binner {
 public:
  Binner(std::span<const Score> scores, const Rows& rows, const Reading& reading,
         std::optional<int> level, std::size_t cells, unsigned threads)
      : scores_(scores),
        rows_(rows),
        reading_(reading),
        level_(level),
        cells_(cells),
        threads_(thread_count(threads)) {
    out_.parts = rows.labels.given() ? 2 : 1;
    out_.bins = bins_for(scores.size(), cells * out_.parts);
    slots_ = cells * out_.bins * out_.parts;
    choose_range();
    places_ = {reading.favorable == Favorable::low ? -1.0 : 1.0,
               reading.lowest(),
               reading.highest(),
               static_cast<std::uint32_t>(std::min<std::size_t>(cells, unseen_cell)),
               out_.low,
               out_.per_unit,
               static_cast<double>(out_.bins - 1),
               static_cast<unsigned>(std::countr_zero(out_.bins))};
  }

  BinnedRows run(bool sorted_next) && {
    constexpr std::size_t most_short_slots = no_slot<std::uint16_t>;
    if (slots_ > most_short_slots) {
      put_into_slots<std::uint32_t>();
    } else if (sorted_next || rows_.labels.given() || !rows_.weights.empty() ||
               scores_.size() > most_rows_counted) {
      put_into_slots<std::uint16_t>();
    } else {
      keep_as_they_came();
    }
    return {std::move(out_), std::move(chances_)};
  }

 private:
  double turned(std::size_t row) const noexcept {
    const double x = reading_.turn(static_cast<double>(scores_[row]));
    return level_ ? cut(x, *level_, reading_) : x;
  }

  // The range of some of the rows: bins only have to be even enough. Others go to the end bins.
  void choose_range() {
    const std::size_t stride = std::max<std::size_t>(1, scores_.size() / 1024);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t row = 0; row < scores_.size(); row += stride) {
      const double x = turned(row);
      if (!reading_.valid(x)) continue;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    if (!(low < high)) return;  // everything in one bin
    out_.low = low;
    out_.per_unit = static_cast<double>(out_.bins) / (high - low);
    if (!std::isfinite(out_.per_unit)) out_.per_unit = 0;
  }

  // Turned scores and slots of a block of rows; false if one of them is bad.
  template <class Slot>
  bool place(std::size_t row, std::span<double> x, Slot* slot) const {
    const CellCode* const codes = rows_.codes.data() + row;
    if (!turn_rows(places_, scores_.subspan(row, x.size()), codes, x.data())) return false;
    if (level_) std::ranges::transform(x, x.begin(), Cutter(*level_, reading_));
    if (!rows_.labels.given()) {
      slots_of(places_, x, codes, nullptr, slot);
      return true;
    }
    std::array<std::uint8_t, block> labels;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    if (!turn_labels(rows_.labels, reading_.favorable, row, std::span(labels).first(x.size()))) {
      return false;
    }
    slots_of(places_, x, codes, labels.data(), slot);
    return true;
  }

  template <class Slot>
  void put_into_slots() {
    const Chunks chunks(scores_.size(), slots_, threads_);
    LargeArray<Slot> slot(scores_.size());
    ChunkCounts next(chunks.count);
    std::vector<std::size_t> bad(chunks.count, no_row);
    parallel(chunks.count, threads_, [&](std::size_t chunk) {
      std::vector<std::size_t> counts(slots_);
      std::array<double, block> x;  // NOLINT(cppcoreguidelines-pro-type-member-init)
      const std::size_t end = chunks.end(chunk);
      for (std::size_t row = chunks.begin(chunk); row < end; row += block) {
        const std::size_t count = std::min(block, end - row);
        Slot* const to = slot.data() + row;
        if (!place(row, std::span(x).first(count), to)) {
          bad[chunk] = row;
          return;
        }
        if (rows_.weights.empty()) {
          for (std::size_t i = 0; i < count; ++i) ++counts[to[i]];
          continue;
        }
        for (std::size_t i = 0; i < count; ++i) {
          rows_.weights[row + i] == 0 ? (void)(to[i] = no_slot<Slot>) : (void)++counts[to[i]];
        }
      }
      next[chunk] = std::move(counts);
    });
    refuse(bad);
    out_.start = starts_of(next, slots_, threads_);
    Doubles score(out_.rows());
    const auto put_all = [&](auto value) {
      if (rows_.weights.empty()) {
        scatter(std::span<const Slot>(slot), chunks, next, threads_,
                [&](std::size_t row, std::size_t to) { put_into_slot(score, to, value(row)); });
        return;
      }
      out_.weight.resize(score.size());
      scatter(std::span<const Slot>(slot), chunks, next, threads_,
              [&](std::size_t row, std::size_t to) {
                put_into_slot(score, to, value(row));
                put_into_slot(out_.weight, to, rows_.weights[row]);
              });
    };
    if (level_) {
      put_all([this](std::size_t row) { return turned(row); });
    } else {
      put_all([this](std::size_t row) {
        return static_cast<double>(scores_[row]) * places_.sign + 0.0;
      });
    }
    out_.set_score(std::move(score));
  }

  // How many rows a slot has, and the sum of their probabilities in units: 64 bits, then what they
  // carry, below the number of rows.
  struct Counted {
    std::uint64_t low = 0, high = 0;

    void add(std::int64_t units) noexcept {
      const bool carry = __builtin_add_overflow(low, static_cast<std::uint64_t>(units), &low);
      high += (std::uint64_t{1} << 32U) + (carry ? 1 : 0);
    }
    std::size_t rows() const noexcept { return high >> 32U; }
    Wide chances() const noexcept {
      return static_cast<Wide>(high & std::numeric_limits<std::uint32_t>::max()) << 64U | low;
    }
  };
  static constexpr std::size_t most_rows_counted = std::numeric_limits<std::uint32_t>::max();

  std::optional<BorrowedScores> borrowed() const {
    if (!rows_.borrow_scores) return std::nullopt;
    BorrowedScores out{.sign = places_.sign};
    if constexpr (std::is_same_v<Score, double>) {
      out.doubles = scores_.data();
    } else {
      out.floats = scores_.data();
    }
    return out;
  }

  void keep_as_they_came() {
    SlotOfEachRow rows(scores_.size(), borrowed());
    const std::optional<Line> line = probability_line(reading_);
    const Line chance = line.value_or(Line{0, 0});
    // A thread's counts must not cost more than its rows.
    const std::size_t worthwhile = scores_.size() / std::max<std::size_t>(4 * slots_, 16384);
    const std::size_t workers = std::clamp<std::size_t>(worthwhile, 1, threads_);
    // Each takes the next blocks that are left: threads do not start at once, nor run alike. Where
    // there are many rows they take many, so that no two of them have the same new page cleared.
    const std::size_t at_once =
        std::max<std::size_t>(16, scores_.size() / (16 * workers * block)) * block;
    constexpr std::size_t cached = std::size_t{1} << 22U;  // rows that may stay in caches
    const bool borrow = rows_.borrow_scores;
    const bool past_caches = borrow || scores_.size() > cached;
    std::vector<std::vector<Counted>> counts(workers);
    std::vector<std::size_t> bad(workers, no_row);  // rows before it were taken, and are looked at
    std::atomic<std::size_t> next = 0;
    parallel(workers, threads_, [&](std::size_t worker) {
      std::vector<Counted> own(slots_);
      std::array<double, block> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
      for (std::size_t row = next.fetch_add(at_once); row < scores_.size();
           row = next.fetch_add(at_once)) {
        for (const std::size_t end = std::min(scores_.size(), row + at_once); row < end;) {
          const std::size_t count = std::min(block, end - row);
          double* const to = borrow ? nullptr : rows.score().data() + row;
          const std::span x(past_caches ? buffer.data() : to, count);
          const std::uint16_t* const slot = rows.slot().data() + row;
          if (!place(row, x, rows.slot().data() + row)) {
            bad[worker] = row;
            return;
          }
          if (past_caches && !borrow) copy_past_caches(x, to);
          for (std::size_t i = 0; i < count; ++i) {
            own[slot[i]].add(chance_units(x[i] * chance.factor + chance.offset));
          }
          row += count;
        }
      }
      counts[worker] = std::move(own);
    });
    refuse(bad);
    out_.start.assign(slots_ + 1, 0);
    std::vector<Wide> chances(slots_);
    for (std::size_t s = 0; s < slots_; ++s) {
      std::size_t count = 0;
      for (const std::vector<Counted>& own : counts) {
        count += own[s].rows();
        chances[s] += own[s].chances();
      }
      out_.start[s + 1] = out_.start[s] + count;
    }
    if (line) chances_ = std::move(chances);
    out_.set_rows(std::move(rows));
  }

  // Throws for the first bad row, if there is one: each task has stopped at its first bad block.
  void refuse(const std::vector<std::size_t>& bad) const {
    std::size_t row = *std::ranges::min_element(bad);
    if (row == no_row) return;
    if (rows_.labels.given()) check_labels(rows_.labels);
    const auto is_good = [this](std::size_t r) {
      return rows_.codes[r] < cells_ &&
             reading_.valid(reading_.turn(static_cast<double>(scores_[r])));
    };
    while (is_good(row)) ++row;
    fail(row);
  }

  [[noreturn]] void fail(std::size_t row) const {
    if (rows_.codes[row] >= cells_) {
      throw BadRow(row, fmt::format("there is no cell with code {}, only {} cells",
                                    rows_.codes[row], cells_));
    }
    const auto score = static_cast<double>(scores_[row]);
    if (std::isnan(score)) throw BadRow(row, "the score is NaN");
    if (std::isinf(score)) {
      throw BadRow(row, "the score is infinite");
    }
    const double one_end = reading_.turn(reading_.lowest());
    const double other_end = reading_.turn(reading_.highest());
    const bool may_be_percent = reading_.scale == Scale::probability && score > 1 && score <= 100;
    throw BadRow(
        row, fmt::format("the score {} is outside [{}, {}], the {} scale; {}choose another scale",
                         shortest(score), std::min(one_end, other_end),
                         std::max(one_end, other_end), to_string(reading_.scale),
                         may_be_percent ? "divide percentages by 100, or " : ""));
  }

  std::span<const Score> scores_;
  const Rows& rows_;
  const Reading& reading_;
  std::optional<int> level_;
  std::size_t cells_;
  unsigned threads_ = 1;
  std::size_t slots_ = 1;
  Places places_;
  Binned out_;
  std::vector<Wide> chances_;
};

}  // namespace

std::size_t bins_for(std::size_t rows, std::size_t lists) {
  // Of many rows, opening bins costs more than counting in a larger cache.
  constexpr std::size_t many = std::size_t{1} << 10U;
  const std::size_t most_slots =
      std::clamp(rows / many, std::size_t{1} << 12U, std::size_t{1} << 14U);
  constexpr std::size_t rows_per_slot = 32;
  const std::size_t slots = std::min(most_slots, rows / rows_per_slot);
  return std::bit_floor(std::max<std::size_t>(1, slots / std::max<std::size_t>(1, lists)));
}

BinnedRows bin_rows(const Rows& rows, std::size_t cells, const Reading& reading,
                    std::optional<int> level, unsigned threads, bool sorted_next) {
  const auto run = [&](auto scores) {
    return Binner(scores, rows, reading, level, cells, threads).run(sorted_next);
  };
  if (const auto* doubles = std::get_if<std::span<const double>>(&rows.score.view())) {
    return run(*doubles);
  }
  if (const auto* floats = std::get_if<std::span<const float>>(&rows.score.view())) {
    return run(*floats);
  }
  throw std::invalid_argument("scores must be double or float");
}

}  // namespace evenhand
