#include "solve/ladder.h"

#include <algorithm>

namespace evenhand {
namespace {

bool few_between(const Ladder& ladder, std::size_t a, std::size_t b, double share) {
  for (std::size_t i = 0; i < ladder.cells.size(); ++i) {
    const double most = share * ladder.at(ladder.end(), i).n * (1 + 1e-12);
    if (ladder.at(b, i).n - ladder.at(a, i).n > most) return false;
  }
  return true;
}

}  // namespace

Ladder::Ladder(const PooledScores& pool, const std::optional<double>& share) {
  pool.scan([&](std::size_t, const Column& column) {
    benefit.push_back(column.benefit);
    people.push_back(0);
    if (cells.empty()) {
      for (const auto& [cell, sums] : column.reach) cells.push_back(cell);
    }
    for (const auto& [cell, sums] : column.reach) {
      reach.push_back(sums);
      people.back() += sums.n;
    }
  });
  std::size_t b = 0;
  for (std::size_t a = 0; a <= end(); ++a) {
    b = std::max(b, share ? std::min(a + 1, end()) : a);
    while (share && b < end() && few_between(*this, a, b + 1, *share)) ++b;
    if (!last.empty() && b == last.back()) continue;  // inside the window before
    first.push_back(a);
    last.push_back(b);
  }
}

Column Ladder::column(std::size_t k) const {
  Column out;
  out.tag = k;
  out.benefit = benefit[k];
  for (std::size_t i = 0; i < cells.size(); ++i) out.reach.emplace_back(cells[i], at(k, i));
  return out;
}

std::size_t Ladder::window_from(std::size_t k) const {
  const auto after = std::upper_bound(first.begin(), first.end(), k);
  return static_cast<std::size_t>(after - first.begin()) - 1;
}

}  // namespace evenhand
