// The scores of several cells in one list, best first, with who has them.
#pragma once

#include <functional>
#include <vector>

#include "solve/column_generation.h"
#include "solve/problem.h"

namespace evenhand {

class PooledScores {
 public:
  PooledScores(const Problem& problem, std::vector<CellCode> cells);

  // The codes by which columns and prices know these cells, if not those of the tally.
  void call_cells(std::vector<CellCode> codes) { cells_ = std::move(codes); }

  // Thresholds: the k best distinct scores are selected, k = 0 ... count(). Each is a column with
  // tag k.
  std::size_t count() const noexcept { return end_.size() - 1; }
  double score(std::size_t k) const noexcept { return score_[k]; }  // the k-th best one, from 0
  Column column(std::size_t k) const;

  // All of them, from k = 0 on.
  void scan(const std::function<void(std::size_t k, const Column& column)>& see) const;

  // The threshold that is best for benefit_weight * benefit - prices, of several the fewest people.
  Blocks::Best best(double benefit_weight, const std::vector<CellPrice>& price) const;

  double magnitude() const;  // sum |n h|, over distinct scores

 private:
  std::vector<CellCode> cells_;
  std::vector<double> score_;      // distinct, falling
  std::vector<std::size_t> end_;   // of the entries of the k best scores; end_[0] = 0
  std::vector<std::uint32_t> of_;  // entries: which of cells_ ...
  std::vector<double> n_, good_, benefit_;
};

}  // namespace evenhand
