#include "sgd/draws.h"

#include <numeric>

#include "tally/data.h"

namespace evenhand::sgd {
namespace {

std::mt19937_64 engine(std::uint64_t seed, std::size_t number) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U),
                      static_cast<std::uint32_t>(number)};
  return std::mt19937_64(words);
}

}  // namespace

Draws::Draws(const StratumPlan& stratum, const Problem& problem, std::uint64_t seed,
             std::size_t number)
    : random_(engine(seed, number)) {
  const Sorted& sorted = problem.tally.data().sorted();
  std::vector<double> weight;
  for (std::uint32_t g = 0; g < stratum.cells.size(); ++g) {
    const CellCode c = stratum.cells[g];
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      const double p = problem.outlook.probability(c, sorted.score[i]);
      rows_.push_back({benefit(p, problem.options.costs), g});
      weight.push_back(sorted.n(i));
    }
  }
  // Slots of equal chance: each row too light for a slot is filled up by a heavy one.
  size_ = static_cast<double>(rows_.size());
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  keep_.assign(rows_.size(), 1);
  other_.resize(rows_.size());
  std::iota(other_.begin(), other_.end(), 0);
  std::vector<std::uint32_t> light;
  std::vector<std::uint32_t> heavy;
  for (std::uint32_t i = 0; i < weight.size(); ++i) {
    weight[i] *= size_ / total;
    (weight[i] < 1 ? light : heavy).push_back(i);
  }
  while (!light.empty() && !heavy.empty()) {
    const std::uint32_t small = light.back();
    light.pop_back();
    const std::uint32_t large = heavy.back();
    keep_[small] = weight[small];
    other_[small] = large;
    weight[large] -= 1 - weight[small];
    if (weight[large] < 1) {
      heavy.pop_back();
      light.push_back(large);
    }
  }
}

}  // namespace evenhand::sgd
