// Benefits of cells that lack an outcome that the criterion divides by, from its definition: those
// of the cells of their stratum that have it, of all cells if there are none there.
#pragma once

#include <evenhand/scale.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/isotonic.h"

namespace evenhand::testing {

struct NeededOutcomes {
  bool good = false, bad = false;
};

// Atoms have x, n, n1 and nh, ascending in x.
template <class Atom>
void borrow(std::vector<std::vector<Atom>>& cells, const std::vector<std::string>& stratum,
            const NeededOutcomes& needed, const Costs& costs) {
  std::vector<std::pair<bool, bool>> has;  // outcomes of the two kinds
  for (const auto& cell : cells) {
    has.emplace_back();
    for (const Atom& atom : cell) {
      has.back().first = has.back().first || atom.n1 > 0;
      has.back().second = has.back().second || atom.n1 < atom.n;
    }
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (cells[c].empty()) continue;
    const bool lacks_good = needed.good && !has[c].first;
    if (!lacks_good && !(needed.bad && !has[c].second)) continue;
    std::map<double, std::pair<double, double>> people;
    for (const bool all_strata : {false, true}) {
      if (!people.empty()) break;
      for (std::size_t other = 0; other < cells.size(); ++other) {
        const bool lends = lacks_good ? has[other].first : has[other].second;
        if (!lends || (!all_strata && stratum[other] != stratum[c])) continue;
        for (const Atom& atom : cells[other]) {
          people[atom.x].first += atom.n;
          people[atom.x].second += atom.n1;
        }
      }
    }
    if (people.empty()) continue;
    std::vector<double> x, n, share;
    for (const auto& [at, sums] : people) {
      x.push_back(at);
      n.push_back(sums.first);
      share.push_back(sums.second / sums.first);
    }
    share = isotonic(share, n);
    for (Atom& atom : cells[c]) {
      double p = atom.x <= x.front() ? share.front() : share.back();
      for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        if (atom.x < x[i] || atom.x > x[i + 1]) continue;
        const double part = (atom.x - x[i]) / (x[i + 1] - x[i]);
        p = (1 - part) * share[i] + part * share[i + 1];
      }
      atom.nh = atom.n * (p * costs.false_negative - (1 - p) * costs.false_positive);
    }
  }
}

}  // namespace evenhand::testing
