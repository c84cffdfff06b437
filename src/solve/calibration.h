// Where the benefits of a fit come from: scores by their scale, a calibrator, or pooled labels.
#pragma once

#include <evenhand/solve.h>

#include "calibrate/outlook.h"

namespace evenhand {

// Throws std::invalid_argument for a calibration that is missing, contradicts the criterion, or
// lacks labels.
void check_calibration(const Tally& tally, const Criterion& criterion, const SolveOptions& options);

// Benefits come from each cell's own pooled labels.
bool pools_labels(const Tally& tally, const Criterion& criterion, const SolveOptions& options);

// With a calibrator unless the scale alone reads the scores, or labels are pooled anyway.
Outlook outlook_for(const Tally& tally, const Criterion& criterion, const SolveOptions& options);

// The same options, with the calibrator fitted: for many fits on one tally.
SolveOptions calibrated_once(const Tally& tally, const Criterion& criterion, SolveOptions options);

}  // namespace evenhand
