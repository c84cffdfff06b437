#include "solve/pooled_scores.h"

#include <algorithm>
#include <cmath>

#include "tally/data.h"

namespace evenhand {
namespace {

struct Place {
  double score;
  std::uint32_t of;
  std::size_t at;  // in the tally's list
};

// Lists that fall one by one, merged two by two.
void merge(std::vector<Place>& list, std::vector<std::size_t> ends) {
  const auto better = [](const Place& a, const Place& b) {
    return a.score != b.score ? a.score > b.score : a.of < b.of;
  };
  const auto from = [&](std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
  while (ends.size() > 2) {
    std::vector<std::size_t> next = {0};
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      const std::size_t last = std::min(i + 2, ends.size() - 1);
      std::inplace_merge(from(ends[i]), from(ends[i + 1]), from(ends[last]), better);
      next.push_back(ends[last]);
    }
    ends = std::move(next);
  }
}

}  // namespace

PooledScores::PooledScores(const Problem& problem, std::vector<CellCode> cells)
    : cells_(std::move(cells)), end_{0} {
  const Sorted& sorted = problem.tally.data().sorted();
  std::vector<Place> list;
  std::vector<std::size_t> ends = {0};
  for (std::uint32_t j = 0; j < cells_.size(); ++j) {
    for (std::size_t i = sorted.start[cells_[j] + 1]; i-- > sorted.start[cells_[j]];) {
      list.push_back({sorted.score[i], j, i});
    }
    ends.push_back(list.size());
  }
  merge(list, std::move(ends));
  const Costs& costs = problem.options.costs;
  for (const Place& place : list) {
    const double n = sorted.n(place.at);
    const double good = problem.from_labels
                            ? sorted.positives(place.at)
                            : n * problem.outlook.probability(cells_[place.of], place.score);
    if (score_.empty() || score_.back() != place.score) {
      score_.push_back(place.score);
      end_.push_back(of_.size());
    }
    of_.push_back(place.of);
    n_.push_back(n);
    good_.push_back(good);
    benefit_.push_back(costs.false_negative * good - costs.false_positive * (n - good));
    end_.back() = of_.size();
  }
}

Column PooledScores::column(std::size_t k) const {
  Column out;
  out.tag = k;
  for (const CellCode c : cells_) out.reach.emplace_back(c, CellPrice{});
  for (std::size_t i = 0; i < end_[k]; ++i) {
    CellPrice& reach = out.reach[of_[i]].second;
    reach.n += n_[i];
    reach.n1 += good_[i];
    out.benefit += benefit_[i];
  }
  return out;
}

void PooledScores::scan(const std::function<void(std::size_t k, const Column& column)>& see) const {
  Column at = column(0);
  see(0, at);
  for (std::size_t k = 0; k < score_.size(); ++k) {
    for (std::size_t i = end_[k]; i < end_[k + 1]; ++i) {
      CellPrice& reach = at.reach[of_[i]].second;
      reach.n += n_[i];
      reach.n1 += good_[i];
      at.benefit += benefit_[i];
    }
    at.tag = k + 1;
    see(k + 1, at);
  }
}

Blocks::Best PooledScores::best(double benefit_weight, const std::vector<CellPrice>& price) const {
  std::vector<CellPrice> own;
  for (const CellCode c : cells_) own.push_back(price[c]);
  double sum = 0;
  double most = 0;
  std::size_t chosen = 0;
  for (std::size_t k = 0; k < score_.size(); ++k) {
    for (std::size_t i = end_[k]; i < end_[k + 1]; ++i) {
      const CellPrice& each = own[of_[i]];
      sum += benefit_weight * benefit_[i] - each.n * n_[i] - each.n1 * good_[i];
    }
    if (sum > most) {
      most = sum;
      chosen = k + 1;
    }
  }
  return {column(chosen), most};
}

double PooledScores::magnitude() const {
  double out = 0;
  for (std::size_t k = 0; k < score_.size(); ++k) {
    double sum = 0;
    for (std::size_t i = end_[k]; i < end_[k + 1]; ++i) sum += benefit_[i];
    out += std::abs(sum);
  }
  return out;
}

}  // namespace evenhand
