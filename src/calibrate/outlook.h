// What a turned score says about the favourable outcome: by its scale, or by a calibrator.
#pragma once

#include <evenhand/calibrator.h>
#include <evenhand/tally.h>

#include <memory>

namespace evenhand {

struct Outlook {
  Reading reading;
  // Of the same reading, its cells under the tally's codes; none: the scale alone.
  std::shared_ptr<const Calibrator> calibrator = nullptr;

  double probability(CellCode cell, double x) const noexcept {
    return calibrator ? calibrator->at(cell, x) : reading.probability(x);
  }
  double first_above(CellCode cell, const Costs& costs, double bar) const noexcept {
    return calibrator ? evenhand::first_above(*calibrator, cell, costs, bar)
                      : evenhand::first_above(reading, costs, bar);
  }
  // False on the raw scale without a calibrator: then no decision has a benefit.
  bool known() const noexcept { return calibrator || reading.has_probability(); }
  // The probability is a linear function of the score.
  bool linear() const noexcept {
    return !calibrator && (reading.scale == Scale::probability || reading.scale == Scale::signed_);
  }
};

// What a calibrator that somebody gave us says about the tally's cells. Throws
// std::invalid_argument if it is none, or of another reading.
Outlook outlook_by(const Calibrator& calibrator, const Tally& tally);

}  // namespace evenhand
