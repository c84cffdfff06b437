// Sums over intervals of scores: what evaluating a rule, a bound or an audit needs of the rows.
#pragma once

#include <vector>

#include "calibrate/outlook.h"
#include "tally/data.h"

namespace evenhand {

struct Sums {
  double n = 0;   // weight of rows
  double n1 = 0;  // weight of favourable outcomes
  double p = 0;   // the same as the scores expect it: sum of n * p
};

// For each cell, the sums below cuts[c][0], between neighbouring cuts (the lower one included), and
// from the last one on. Cuts ascend. `p` is left 0 unless `expectations` says where it comes from;
// `chances` are its sums by slot, where somebody has them (tally/bin_chances.h). The sums do not
// depend on the order of rows, on bins or on threads, as long as the entries are the same.
std::vector<std::vector<Sums>> tabulate(const Tally::Data& data,
                                        const std::vector<std::vector<double>>& cuts,
                                        const Outlook* expectations, unsigned threads,
                                        const Wide* chances = nullptr);

}  // namespace evenhand
