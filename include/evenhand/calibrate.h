// calibrate: a calibrator fitted on a tally's labels; and how well probabilities are calibrated,
// before and after.
#pragma once

#include <evenhand/calibrator.h>
#include <evenhand/tally.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace evenhand {

struct CalibrateOptions {
  CalibrateBy by = CalibrateBy::cell;  // a curve for all cells together is fitted in any case
  unsigned threads = 0;  // 0: as many as there are cores. The result does not depend on it.
};

// platt: the sigmoid with the largest likelihood of Platt's smoothed targets, (N1 + 1) / (N1 + 2)
// for the N1 favourable outcomes and 1 / (N0 + 2) for the others; temperature: the one with the
// largest likelihood of the labels; both by Newton's method, to a relative gradient of 1e-10.
// isotonic: pool-adjacent-violators. Cells without rows have the curve of all.
//
// Throws std::invalid_argument without labels; and, but for isotonic, where there is no curve that
// rises with the score: one outcome only, one score only, fewer favourable outcomes at higher
// scores, or (temperature) labels that the scores separate or a scale without probabilities.
Calibrator calibrate(const Tally& tally, Calibration method, const CalibrateOptions& options = {});

// One bin of the reliability table; p and outcomes are those of the favourable outcome.
struct ReliabilityBin {
  double from = 0, to = 0;  // of p; `to` itself belongs to the next bin, but for the last
  double weight = 0;        // above 0: bins without rows are left out
  double mean_p = 0;
  double observed = 0;  // share of favourable outcomes
};

struct CalibrationFigures {
  double weight = 0;
  // These are none without rows. Expected calibration error: the mean over rows of
  // |mean_p - observed| of their bin, bins being of equal width.
  std::optional<double> ece;
  std::optional<double> brier;     // mean of (p - outcome)^2
  std::optional<double> log_loss;  // mean of -ln(p of what happened); p within [2^-52, 1 - 2^-52]
  std::vector<ReliabilityBin> bins;
};

struct CalibrationReport {
  CalibrationFigures overall;
  std::vector<CalibrationFigures> cells;  // one for each cell of the tally
};

// Of the scores as their scale reads them, or by a calibrator, whose cells are matched by name.
// `bins` from 1 to 10,000. Throws std::invalid_argument without labels, for raw scores without a
// calibrator, and for a calibrator of another reading.
CalibrationReport calibration_report(const Tally& tally, std::size_t bins = 15);
CalibrationReport calibration_report(const Tally& tally, const Calibrator& calibrator,
                                     std::size_t bins = 15);

}  // namespace evenhand
