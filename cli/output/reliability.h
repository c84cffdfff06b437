// How well probabilities are calibrated, for people and for programs.
#pragma once

#include <evenhand/calibrate.h>

#include <optional>
#include <string>

#include "output/figures.h"

namespace evenhand::cli {

// Of the scores as their scale reads them (none on the raw scale), and by a calibrator.
struct Reliability {
  std::optional<CalibrationReport> before;
  std::optional<CalibrationReport> after;
};
Reliability reliability_of(const Tally& tally, const std::optional<Calibrator>& calibrator,
                           std::size_t bins);

// Expected calibration error, Brier score and log loss of all and of each cell; then what was said
// and what happened, bin by bin.
std::string to_text(const Reliability& reliability, const CellNames& names);
Json to_json(const Reliability& reliability, const CellNames& names);

// "sex=F, race=Other", with long names and values shortened.
std::string cell_shown(const CellNames& names, CellCode cell);

std::string in_words(Calibration method, CalibrateBy by);  // "platt, one curve for all"
// The curves, one line each.
std::string to_text(const Calibrator& calibrator);
Json to_json(const Calibrator& calibrator);

}  // namespace evenhand::cli
