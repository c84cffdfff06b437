#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "tally/binned.h"
#include "tally/scatter.h"

namespace evenhand {

// Thread-safe. What it hands out stays where it is.
class RowsAsTheyCame {
 public:
  explicit RowsAsTheyCame(SlotOfEachRow rows)
      : rows_(std::move(rows)), score_(rows_->scores()), slot_(rows_->slot()) {}

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
    if (is_placed_) return std::all_of(placed_.begin(), placed_.end(), is);
    for (std::size_t row = 0; row < slot_.size(); ++row) {
      if (!is(score_[row])) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t most_looks = 8;  // about as long as putting all rows into slots

  void place(const std::vector<std::size_t>& start, unsigned threads) {
    if (is_placed_) return;
    const std::size_t slots = start.size() - 1;
    const Chunks chunks(slot_.size(), slots, threads);
    ChunkCounts next = count_slots(slot_, slots, chunks, threads);
    (void)starts_of(next, slots, threads);
    placed_.resize(slot_.size());
    scatter(slot_, chunks, next, threads,
            [&](std::size_t row, std::size_t at) { put_into_slot(placed_, at, score_[row]); });
    is_placed_ = true;
    score_ = {};
    slot_ = {};
    rows_.reset();
  }

  void find(const std::vector<std::size_t>& start, std::span<const std::size_t> slots,
            unsigned threads) {
    if (is_placed_) return;
    Wanted wanted(start.size() - 1);
    std::size_t rows = 0;
    for (const std::size_t slot : slots) {
      if (wanted.has(slot) || found_.contains(slot)) continue;
      wanted.add(slot);
      rows += start[slot + 1] - start[slot];
    }
    if (rows == 0) {
      for (const std::size_t slot : slots) found_.try_emplace(slot);
      return;
    }
    if (++looks_ > most_looks || rows > slot_.size() / 4) return place(start, threads);
    look(start, wanted, threads);
  }

  // Slots that are looked for, counted from 1.
  struct Wanted {
    std::vector<std::uint16_t> place;  // of each slot; 0: nobody asks for it
    std::vector<std::size_t> slots;

    explicit Wanted(std::size_t all) : place(all) {}
    bool has(std::size_t slot) const noexcept { return place[slot] != 0; }
    void add(std::size_t slot) {
      slots.push_back(slot);
      place[slot] = static_cast<std::uint16_t>(slots.size());
    }
  };

  // One of the rows that were looked for.
  struct Seen {
    double score;
    std::uint16_t place;
  };

  void look(const std::vector<std::size_t>& start, const Wanted& wanted, unsigned threads) {
    constexpr std::size_t worthwhile = std::size_t{1} << 18U;
    const std::size_t rows = slot_.size();
    const std::size_t chunks = std::clamp<std::size_t>(rows / worthwhile, 1, thread_count(threads));
    std::vector<std::vector<Seen>> seen(chunks);
    ChunkCounts next(chunks);
    parallel(chunks, threads, [&](std::size_t chunk) {
      next[chunk].resize(wanted.slots.size());
      look_among(rows * chunk / chunks, rows * (chunk + 1) / chunks, wanted, seen[chunk]);
      for (const Seen& one : seen[chunk]) ++next[chunk][one.place - 1];
    });
    const std::vector<std::size_t> begin = starts_of(next, wanted.slots.size(), threads);
    Doubles& scores = looked_for_.emplace_back(begin.back());
    parallel(chunks, threads, [&](std::size_t chunk) {
      for (const Seen& one : seen[chunk]) scores[next[chunk][one.place - 1]++] = one.score;
    });
    for (std::size_t k = 0; k < wanted.slots.size(); ++k) {
      const std::size_t slot = wanted.slots[k];
      found_[slot] = std::span(scores).subspan(begin[k], start[slot + 1] - start[slot]);
    }
  }

  void look_among(std::size_t row, std::size_t end, const Wanted& wanted,
                  std::vector<Seen>& out) const {
    constexpr std::size_t together = 16;  // few are wanted: one question for so many
    constexpr std::size_t at_once = 1024;
    const std::uint16_t* const place = wanted.place.data();
    const std::uint16_t* const slot = slot_.data();
    std::array<std::size_t, at_once> rows;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    while (row < end) {
      std::size_t found = 0;
      for (const std::size_t stop = std::min(end, row + at_once); row < stop;) {
        const std::size_t next = std::min(stop, row + together);
        unsigned any = 0;
        for (std::size_t i = row; i < next; ++i) any |= place[slot[i]];
        if (any == 0) {
          row = next;
          continue;
        }
        for (; row < next; ++row) {
          rows[found] = row;
          found += place[slot[row]] != 0 ? 1 : 0;
        }
      }
      // Their scores are elsewhere in the memory: many are on their way at once.
      for (const std::size_t at : std::span(rows).first(found)) score_.prefetch(at);
      for (const std::size_t at : std::span(rows).first(found)) {
        out.push_back({score_[at], place[slot[at]]});
      }
    }
  }

  std::mutex mutex_;
  std::optional<SlotOfEachRow> rows_;
  BorrowedScores score_;
  std::span<const std::uint16_t> slot_;
  std::deque<Doubles> looked_for_;
  std::unordered_map<std::size_t, std::span<const double>> found_;
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
