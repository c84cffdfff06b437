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
#include <utility>

#include <fmt/format.h>

#include "support/dyadic.h"
#include "support/parallel.h"
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
    out_.parts = rows.labels.empty() ? 1 : 2;
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
    } else if (sorted_next || !rows_.labels.empty() || !rows_.weights.empty() ||
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

  // Calls put(worker, first row, turned scores, their slots) for blocks of rows. Each worker takes
  // the next few that are left: threads do not start at once, nor run alike.
  template <class Put>
  void place(std::size_t workers, Put put) const {
    std::vector<std::size_t> bad(workers, no_row);  // rows before it were taken, and are looked at
    std::atomic<std::size_t> next = 0;
    parallel(workers, threads_, [&](std::size_t worker) {
      constexpr std::size_t at_once = 16 * block;
      for (std::size_t row = next.fetch_add(at_once); row < scores_.size() && bad[worker] == no_row;
           row = next.fetch_add(at_once)) {
        bad[worker] = place_rows(row, std::min(scores_.size(), row + at_once),
                                 [&](auto... rows) { put(worker, rows...); });
      }
    });
    if (const std::size_t row = *std::ranges::min_element(bad); row != no_row) fail(row);
  }

  // The first bad row, if there is one.
  template <class Put>
  std::size_t place_rows(std::size_t begin, std::size_t end, Put put) const {
    std::array<double, block> x;            // NOLINT(cppcoreguidelines-pro-type-member-init)
    std::array<std::uint32_t, block> slot;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    for (std::size_t row = begin; row < end; row += block) {
      const std::size_t count = std::min(block, end - row);
      const CellCode* const codes = rows_.codes.data() + row;
      const std::span turned = std::span(x).first(count);
      if (!turn_rows(places_, scores_.subspan(row, count), codes, x.data())) {
        return first_bad(row, row + count);
      }
      if (level_) std::ranges::transform(turned, x.begin(), Cutter(*level_, reading_));
      slots_of(places_, turned, codes, slot.data());
      put(row, std::span<const double>(turned), static_cast<const std::uint32_t*>(slot.data()));
    }
    return no_row;
  }

  std::size_t first_bad(std::size_t begin, std::size_t end) const {
    for (std::size_t row = begin; row < end; ++row) {
      const double x = reading_.turn(static_cast<double>(scores_[row]));
      if (!reading_.valid(x) || rows_.codes[row] >= cells_) return row;
    }
    return end;
  }

  template <class Slot>
  void put_into_slots() {
    LargeArray<Slot> slot(scores_.size());
    constexpr std::size_t worthwhile = std::size_t{1} << 14U;
    place(std::clamp<std::size_t>(scores_.size() / worthwhile, 1, threads_),
          [&](std::size_t, std::size_t row, std::span<const double> x, const std::uint32_t* at) {
            for (std::size_t i = 0; i < x.size(); ++i) slot[row + i] = static_cast<Slot>(at[i]);
            if (!rows_.labels.empty()) {
              for (std::size_t i = 0; i < x.size(); ++i) {
                slot[row + i] = static_cast<Slot>(2 * at[i] + rows_.labels[row + i]);
              }
            }
            if (rows_.weights.empty()) return;
            for (std::size_t i = 0; i < x.size(); ++i) {
              if (rows_.weights[row + i] == 0) slot[row + i] = no_slot<Slot>;
            }
          });
    Doubles score;
    const auto size = [&](std::size_t total) {
      score.resize(total);
      if (!rows_.weights.empty()) out_.weight.resize(total);
    };
    const auto put_all = [&](auto value) {
      out_.start = scatter(std::span<const Slot>(slot), slots_, threads_, size,
                           [&](std::size_t row, std::size_t to) {
                             score[to] = value(row);
                             if (!rows_.weights.empty()) out_.weight[to] = rows_.weights[row];
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

  // A slot's rows and the sum of their probabilities are counted in one addition: the sum has the
  // 96 bits below.
  static constexpr unsigned sum_bits = 96;
  static constexpr std::size_t most_rows_counted = std::numeric_limits<std::uint32_t>::max();

  void keep_as_they_came() {
    SlotOfEachRow rows(scores_.size());
    const std::optional<Line> line = probability_line(reading_);
    const Line chance = line.value_or(Line{0, 0});
    // A thread's counts must not cost more than its rows.
    const std::size_t worthwhile = scores_.size() / std::max<std::size_t>(4 * slots_, 16384);
    const std::size_t workers = std::clamp<std::size_t>(worthwhile, 1, threads_);
    std::vector<std::vector<Wide>> counts(workers);
    place(workers, [&](std::size_t worker, std::size_t row, std::span<const double> x,
                       const std::uint32_t* at) {
      std::vector<Wide>& own = counts[worker];
      if (own.empty()) own.resize(slots_);
      copy_past_caches(x, rows.score().data() + row);
      std::uint16_t* const to = rows.slot().data() + row;
      for (std::size_t i = 0; i < x.size(); ++i) to[i] = static_cast<std::uint16_t>(at[i]);
      Wide* const sums = own.data();
      constexpr Wide one = Wide{1} << sum_bits;
      for (std::size_t i = 0; i < x.size(); ++i) {
        sums[at[i]] += one + chance_units(x[i] * chance.factor + chance.offset);
      }
    });
    out_.start.assign(slots_ + 1, 0);
    std::vector<Wide> chances(slots_);
    for (std::size_t s = 0; s < slots_; ++s) {
      std::size_t count = 0;
      for (const std::vector<Wide>& own : counts) {
        if (own.empty()) continue;
        count += static_cast<std::size_t>(own[s] >> sum_bits);
        chances[s] += own[s] & ((Wide{1} << sum_bits) - 1);
      }
      out_.start[s + 1] = out_.start[s] + count;
    }
    if (line) chances_ = std::move(chances);
    out_.set_rows(std::move(rows));
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
