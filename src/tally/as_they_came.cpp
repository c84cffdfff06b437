#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "tally/binned.h"
#include "tally/scatter.h"

namespace evenhand {

// Thread-safe. What it hands out stays where it is.
class RowsAsTheyCame {
 public:
  explicit RowsAsTheyCame(SlotOfEachRow rows)
      : rows_(std::move(rows)), score_(rows_->score()), slot_(rows_->slot()) {}

  const Doubles& placed(const std::vector<std::size_t>& start) {
    if (!is_placed_) {
      const std::scoped_lock lock(mutex_);
      place(start, 0);
    }
    return placed_;
  }

  std::span<const double> in_slot(const std::vector<std::size_t>& start, std::size_t slot) {
    if (!is_placed_) {
      const std::scoped_lock lock(mutex_);
      find(start, std::span(&slot, 1), 0);
      if (const auto found = found_.find(slot); found != found_.end()) return found->second;
    }
    return std::span(placed_).subspan(start[slot], start[slot + 1] - start[slot]);
  }

  void find_all(const std::vector<std::size_t>& start, std::span<const std::size_t> slots,
                unsigned threads) {
    if (is_placed_) return;
    const std::scoped_lock lock(mutex_);
    find(start, slots, threads);
  }

  bool all_of(const std::function<bool(double)>& is) {
    const std::scoped_lock lock(mutex_);
    const std::span<const double> rows = is_placed_ ? std::span<const double>(placed_) : score_;
    return std::all_of(rows.begin(), rows.end(), is);
  }

 private:
  static constexpr std::size_t most_looks = 8;  // about as long as putting all rows into slots

  void place(const std::vector<std::size_t>& start, unsigned threads) {
    if (is_placed_) return;
    scatter(
        slot_, start.size() - 1, threads, [&](std::size_t total) { placed_.resize(total); },
        [&](std::size_t row, std::size_t at) { placed_[at] = score_[row]; });
    is_placed_ = true;
    score_ = {};
    slot_ = {};
    rows_.reset();
  }

  void find(const std::vector<std::size_t>& start, std::span<const std::size_t> slots,
            unsigned threads) {
    if (is_placed_) return;
    std::vector<std::uint8_t> wanted(start.size() - 1);
    std::size_t rows = 0;
    for (const std::size_t slot : slots) {
      if (wanted[slot] != 0 || found_.contains(slot)) continue;
      wanted[slot] = 1;
      rows += start[slot + 1] - start[slot];
    }
    if (rows == 0) {
      for (const std::size_t slot : slots) found_.try_emplace(slot);
      return;
    }
    if (++looks_ > most_looks || rows > slot_.size() / 4) return place(start, threads);
    look(start, slots, wanted, threads);
  }

  void look(const std::vector<std::size_t>& start, std::span<const std::size_t> slots,
            const std::vector<std::uint8_t>& wanted, unsigned threads) {
    constexpr std::size_t worthwhile = std::size_t{1} << 18U;
    const std::size_t rows = slot_.size();
    const std::size_t chunks = std::clamp<std::size_t>(rows / worthwhile, 1, thread_count(threads));
    std::vector<std::vector<std::size_t>> seen(chunks);
    parallel(chunks, threads, [&](std::size_t chunk) {
      constexpr std::size_t together = 16;  // few are wanted: one question for so many
      std::vector<std::size_t> out;
      const std::uint8_t* const is_wanted = wanted.data();
      const std::uint16_t* const slot = slot_.data();
      const std::size_t end = rows * (chunk + 1) / chunks;
      for (std::size_t row = rows * chunk / chunks; row < end;) {
        const std::size_t stop = std::min(row + together, end);
        unsigned any = 0;
        if (stop - row == together) {
          for (std::size_t i = 0; i < together; ++i) any |= is_wanted[slot[row + i]];
        } else {
          any = 1;
        }
        if (any == 0) {
          row = stop;
          continue;
        }
        for (; row < stop; ++row) {
          if (is_wanted[slot[row]] != 0) out.push_back(row);
        }
      }
      seen[chunk] = std::move(out);
    });
    for (const std::size_t slot : slots) {
      const auto [at, is_new] = found_.try_emplace(slot);
      if (is_new) at->second.reserve(start[slot + 1] - start[slot]);
    }
    // Their scores are elsewhere in the memory: many are on their way at once.
    for (const std::vector<std::size_t>& some : seen) {
      for (const std::size_t row : some) __builtin_prefetch(&score_[row]);
      for (const std::size_t row : some) found_.find(slot_[row])->second.push_back(score_[row]);
    }
  }

  std::mutex mutex_;
  std::optional<SlotOfEachRow> rows_;
  std::span<const double> score_;
  std::span<const std::uint16_t> slot_;
  std::unordered_map<std::size_t, Doubles> found_;
  std::size_t looks_ = 0;
  Doubles placed_;
  std::atomic<bool> is_placed_ = false;
};

const Doubles& Binned::score() const {
  return came_ ? came_->placed(start) : score_;
}

std::span<const double> Binned::in_bin(CellCode cell, std::size_t bin) const {
  const std::size_t first = slot(cell, bin);
  if (came_) return came_->in_slot(start, first);
  return std::span(score_).subspan(start[first], start[first + parts] - start[first]);
}

void Binned::find(std::span<const std::size_t> slots, unsigned threads) const {
  if (came_) came_->find_all(start, slots, threads);
}

bool Binned::all_of(const std::function<bool(double)>& is) const {
  return came_ ? came_->all_of(is) : std::all_of(score_.begin(), score_.end(), is);
}

void Binned::set_rows(SlotOfEachRow rows) {
  came_ = std::make_shared<RowsAsTheyCame>(std::move(rows));
}

}  // namespace evenhand
