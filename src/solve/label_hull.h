// The upper hull of a cell's ROC curve, as far as somebody looked: runs of neighbouring scores stay
// closed, each as one block, until they bear on an edge that is asked for. An edge of the hull so
// far is one of the true hull if no closed run could rise above it, whatever the order of its
// labels; so that a fit sorts the scores near its thresholds, and no others.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "lottery/points.h"
#include "solve/chain.h"
#include "tally/large_array.h"

namespace evenhand {

// Benefits come from labels. Thread-safe.
class LabelHull : public CellVertices {
 public:
  // `whole` is the cell's curve with everything told apart; asked for where weights are not
  // integers, and sums depend on their order, and for the lower hull. Refers to the data.
  using Whole = std::function<const CellCurve&()>;
  // `threads` is how many look for the best vertex.
  LabelHull(const Tally::Data& data, CellCode cell, const Costs& costs, Whole whole,
            unsigned threads);

  // What is known: edges on or below the true hull, with ends on the ROC curve.
  struct Known {
    Chain chain;
    std::vector<char> closed;  // of each run
  };
  std::shared_ptr<const Known> known() const;

  // Opens what may lie above these edges, what they hold, and the scores next to them. False if
  // there is nothing left to open: these are the true ones.
  bool open_around(const Known& seen, std::size_t first_edge, std::size_t last_edge,
                   unsigned threads) const;

  // The points between runs, the best first.
  const std::vector<At>& ends() const noexcept { return ends_; }
  void find_entries(std::span<const std::size_t> runs, unsigned threads) const;
  std::span<const Entry> entries(std::size_t run) const;  // ascending; once they were found

  Best best(double benefit_weight, const CellPrice& price) const override;
  Reach total() const override;
  double magnitude() const override;
  double most_benefit(double n) const override;

 private:
  struct Run {
    std::size_t at;  // a bin, or the first of some sorted entries
    bool found = false;
    bool open = false;
    std::span<const Entry> entries = {};
    std::vector<Block> blocks = {};
  };

  void make_runs();
  std::size_t end_of_sorted(const Run& run) const;  // of its entries, where `at` is the first
  // Entries of runs go to memory that is taken at once for all that are still to be found.
  using Room = std::span<Entry>;
  std::vector<Room> make_room(std::span<const std::size_t> runs) const;
  std::span<const Entry> entries_of(const Run& run, Room room) const;
  void find(Run& run, Room room) const;
  void open(std::span<const std::size_t> runs, unsigned threads) const;
  void connect() const;
  template <class Number>
  void add_above(const Known& seen, std::size_t edge, std::vector<char>& wanted) const;

  const Tally::Data& data_;
  CellCode cell_;
  Costs costs_;
  Whole whole_;
  unsigned threads_;
  std::vector<At> ends_;
  mutable std::mutex mutex_;
  mutable std::vector<Run> runs_;
  mutable std::deque<LargeArray<Entry>> entries_;
  mutable std::shared_ptr<const Known> known_;
};

}  // namespace evenhand
