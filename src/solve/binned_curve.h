// A cell as linear programs see it, from its bins: a threshold's bin is looked at, the others count
// as a whole, and nothing is sorted.
#pragma once

#include <vector>

#include "solve/chain.h"

namespace evenhand {

// Benefits come from scores.
class BinnedCurve : public CellVertices {
 public:
  // Rows are in bins, and count once each.
  static bool serves(const Tally::Data& data, const Outlook& outlook);

  // `chances` are those of all slots (tally/bin_chances.h). Refers to the data.
  BinnedCurve(const Tally::Data& data, const Wide* chances, CellCode cell, const Outlook& outlook,
              const Costs& costs);

  Best best(double benefit_weight, const CellPrice& price) const override;
  Reach total() const override;
  double magnitude() const override;
  double most_benefit(double n) const override;

 private:
  struct Sums {
    double n = 0;
    Wide chances = 0;
  };
  Sums from_bin(std::size_t bin) const;  // from this bin on
  Sums from_score(double score) const;
  void add(Sums& sums, double score) const;
  Reach reach(const Sums& sums) const;

  const Binned& binned_;
  CellCode cell_;
  Outlook outlook_;
  Costs costs_;
  std::vector<Wide> chances_from_;  // each bin on
};

}  // namespace evenhand
