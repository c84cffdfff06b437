#include <evenhand/bad_row.h>
#include <evenhand/text.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "support/dyadic.h"
#include "support/parallel.h"
#include "tally/data.h"

namespace evenhand {
namespace {

constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();

template <class Score>
class Binner {
 public:
  Binner(std::span<const Score> scores, const Rows& rows, const Reading& reading,
         std::optional<int> level, std::size_t cells, unsigned threads)
      : scores_(scores), rows_(rows), reading_(reading), level_(level), cells_(cells) {
    threads_ = thread_count(threads);
    out_.parts = rows.labels.empty() ? 1 : 2;
    out_.bins = bins_for(scores.size(), cells * out_.parts);
    slots_ = cells * out_.bins * out_.parts;
    // A thread's counts must not cost more than its rows.
    const std::size_t worthwhile = scores.size() / std::max<std::size_t>(4 * slots_, 16384);
    chunks_ = std::clamp<std::size_t>(worthwhile, 1, threads_);
    choose_range();
  }

  Binned run() && {
    if (rows_.weights.empty()) {
      rows_.labels.empty() ? fill<false, false>() : fill<true, false>();
    } else {
      rows_.labels.empty() ? fill<false, true>() : fill<true, true>();
    }
    return std::move(out_);
  }

 private:
  double turned(std::size_t row) const noexcept {
    const double x = reading_.turn(static_cast<double>(scores_[row]));
    return level_ ? cut(x, *level_, reading_) : x;
  }

  // All that a row's place depends on, in registers while many rows are placed.
  struct Placer {
    double sign, low, per_unit, last;
    unsigned bin_bits;

    explicit Placer(const Binned& out, const Reading& reading)
        : sign(reading.favorable == Favorable::low ? -1 : 1),
          low(out.low),
          per_unit(out.per_unit),
          last(static_cast<double>(out.bins - 1)),
          bin_bits(static_cast<unsigned>(std::countr_zero(out.bins))) {}

    double turn(double score) const noexcept { return score * sign + 0.0; }
    std::size_t bin(CellCode code, double x) const noexcept {  // as Binned::bin_of
      double at = (x - low) * per_unit;
      at = at > 0 ? at : 0;
      at = at < last ? at : last;
      return (std::size_t{code} << bin_bits) + static_cast<std::size_t>(static_cast<int>(at));
    }
  };

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

  std::size_t chunk_start(std::size_t chunk) const noexcept {
    return scores_.size() / chunks_ * chunk + std::min(chunk, scores_.size() % chunks_);
  }

  template <bool labelled, bool weighted>
  void fill() {
    level_ ? fill<labelled, weighted, true>() : fill<labelled, weighted, false>();
  }

  template <bool labelled, bool weighted, bool leveled>
  void fill() {
    if (scores_.size() < std::numeric_limits<std::uint32_t>::max()) {
      fill<labelled, weighted, leveled, std::uint32_t>();
    } else {
      fill<labelled, weighted, leveled, std::uint64_t>();
    }
  }

  // Calls put(row, x, slot) for the rows of a chunk, while `valid` is true of their scores.
  template <bool labelled, bool weighted, bool leveled, class Valid, class Put>
  std::size_t place(std::size_t chunk, Valid valid, Put put) const {
    const Placer placer(out_, reading_);
    const std::span<const Score> scores = scores_;
    const std::span<const CellCode> codes = rows_.codes;
    const std::size_t end = chunk_start(chunk + 1);
    for (std::size_t row = chunk_start(chunk); row < end; ++row) {
      double x = placer.turn(static_cast<double>(scores[row]));
      if (!valid(x, codes[row])) return row;
      if constexpr (weighted) {
        if (rows_.weights[row] == 0) continue;
      }
      if constexpr (leveled) x = cut(x, *level_, reading_);
      std::size_t slot = placer.bin(codes[row], x);
      if constexpr (labelled) slot = slot * 2 + rows_.labels[row];
      put(row, x, slot);
    }
    return no_row;
  }

  template <bool labelled, bool weighted, bool leveled, class Index>
  void fill() {
    std::vector<std::vector<Index>> next(chunks_);
    std::vector<std::size_t> bad(chunks_, no_row);
    parallel(chunks_, threads_, [&](std::size_t chunk) {
      std::vector<Index> counts(slots_);
      const double low = reading_.lowest();
      const double high = reading_.highest();
      bad[chunk] = place<labelled, weighted, leveled>(
          chunk,
          [low, high, cells = cells_](double x, CellCode code) {
            return x >= low && x <= high && code < cells;
          },
          [at = counts.data()](std::size_t, double, std::size_t slot) { ++at[slot]; });
      next[chunk] = std::move(counts);
    });
    if (const std::size_t row = *std::min_element(bad.begin(), bad.end()); row != no_row) {
      fail(row);
    }
    // Rows of a slot lie together, chunk after chunk.
    out_.start.resize(slots_ + 1);
    Index total = 0;
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      out_.start[slot] = total;
      for (std::vector<Index>& at : next) total += std::exchange(at[slot], total);
    }
    out_.start[slots_] = total;
    out_.score.resize(total);
    if constexpr (weighted) {
      out_.weight.resize(total);
    }
    parallel(chunks_, threads_, [&](std::size_t chunk) {
      place<labelled, weighted, leveled>(
          chunk, [](double, CellCode) { return true; },
          [&, at = next[chunk].data(), score = out_.score.data()](std::size_t row, double x,
                                                                  std::size_t slot) {
            const Index to = at[slot]++;
            score[to] = x;
            if constexpr (weighted) out_.weight[to] = rows_.weights[row];
          });
    });
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
  std::size_t chunks_ = 1;
  Binned out_;
};

}  // namespace

std::size_t bins_for(std::size_t rows, std::size_t lists) {
  constexpr std::size_t most_slots = std::size_t{1} << 12U;
  constexpr std::size_t rows_per_slot = 32;
  const std::size_t slots = std::min(most_slots, rows / rows_per_slot);
  return std::bit_floor(std::max<std::size_t>(1, slots / std::max<std::size_t>(1, lists)));
}

Binned bin_rows(const Rows& rows, std::size_t cells, const Reading& reading,
                std::optional<int> level, unsigned threads) {
  const auto run = [&](auto scores) {
    return Binner(scores, rows, reading, level, cells, threads).run();
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
