// Certificates of infeasibility, checked by arithmetic alone.
#include <evenhand/solve.h>

#include <algorithm>

#include "calibrate/outlook.h"
#include "solve/rows.h"
#include "tally/data.h"

namespace evenhand {

bool proves_infeasible(const Tally& tally, const Infeasibility& infeasibility,
                       const SolveOptions& options) {
  const Outlook outlook =
      options.calibrator ? outlook_by(*options.calibrator, tally) : Outlook{tally.reading()};
  const Sorted& sorted = tally.data().sorted();
  const auto positives = [&](CellCode c, std::size_t i) {
    if (tally.labelled()) return sorted.positives(i);
    return outlook.known() ? sorted.n(i) * outlook.probability(c, sorted.score[i]) : 0;
  };
  const std::size_t cells = tally.cells().size();
  Population population{std::vector<CellTotal>(cells), options.costs};
  for (CellCode c = 0; c < cells; ++c) {
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      population.cells[c].n += sorted.n(i);
      population.cells[c].n1 += positives(c, i);
    }
  }
  const std::vector<CellPrice> price = prices(infeasibility.certificate, population);
  std::vector<std::vector<CellCode>> alike = infeasibility.alike;
  if (alike.empty()) {
    for (CellCode c = 0; c < cells; ++c) alike.push_back({c});
  }
  // The least that multiplier * value can add up to, over all nondecreasing rules: in each cell (or
  // set of cells with one rule) a threshold, none or everybody.
  double least = 0;
  for (const std::vector<CellCode>& together : alike) {
    std::vector<std::pair<double, double>> worth;  // of each score
    for (const CellCode c : together) {
      for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
        double value = price[c].n * sorted.n(i);
        if (price[c].n1 != 0) value += price[c].n1 * positives(c, i);
        worth.emplace_back(sorted.score[i], value);
      }
    }
    if (together.size() > 1) std::sort(worth.begin(), worth.end());
    double sum = 0;
    double lowest = 0;
    for (std::size_t i = worth.size(); i-- > 0;) {
      sum += worth[i].second;
      const bool ends = i == 0 || worth[i - 1].first != worth[i].first;
      if (ends) lowest = std::min(lowest, sum);
    }
    least += lowest;
  }
  double bound = 0;
  for (const Constraint& constraint : infeasibility.certificate) {
    const bool wrong_sign = (constraint.sense == Sense::at_most && constraint.multiplier < 0) ||
                            (constraint.sense == Sense::at_least && constraint.multiplier > 0);
    if (wrong_sign) return false;
    bound += constraint.multiplier * row_of(constraint, population).bound;
  }
  return least > bound;
}

}  // namespace evenhand
