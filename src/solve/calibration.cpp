#include "solve/calibration.h"

#include <evenhand/calibrate.h>

#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/outlook.h"
#include "solve/required.h"

namespace evenhand {

void check_calibration(const Tally& tally, const Criterion& criterion,
                       const SolveOptions& options) {
  const Calibration method = options.calibrator ? options.calibrator->method() : options.calibrate;
  if (options.calibrator && options.calibrate != Calibration::none) {
    throw std::invalid_argument("calibrate, or give a calibrator: not both");
  }
  if (reads_labels(tally, criterion)) {
    if (method == Calibration::platt || method == Calibration::temperature) {
      throw std::invalid_argument(fmt::format(
          "{}: benefits come from each cell's pooled labels, as its rates do, so that {} would "
          "change nothing; leave calibration out, or choose isotonic",
          criterion.name, to_string(method)));
    }
    if (options.calibrate == Calibration::isotonic && options.calibrate_by == CalibrateBy::all) {
      throw std::invalid_argument(
          criterion.name + ": labels are pooled in each cell, as its rates are; calibrate by cell");
    }
  } else if (method == Calibration::none && !tally.reading().has_probability()) {
    throw std::invalid_argument(
        "raw scores say nothing of the outcome, so no decision has a benefit: calibrate them");
  }
  if (options.calibrate != Calibration::none && !tally.labelled()) {
    throw std::invalid_argument(
        fmt::format("{} calibration needs labels", to_string(options.calibrate)));
  }
}

bool pools_labels(const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
  return reads_labels(tally, criterion) ||
         (options.calibrate == Calibration::isotonic && options.calibrate_by == CalibrateBy::cell);
}

Outlook outlook_for(const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
  if (options.calibrator) return outlook_by(*options.calibrator, tally);
  const bool superfluous =
      pools_labels(tally, criterion, options) && tally.reading().has_probability();
  if (options.calibrate == Calibration::none || superfluous) return {tally.reading()};
  return {tally.reading(),
          std::make_shared<Calibrator>(calibrate(
              tally, options.calibrate, {.by = options.calibrate_by, .threads = options.threads}))};
}

SolveOptions calibrated_once(const Tally& tally, const Criterion& criterion, SolveOptions options) {
  if (options.calibrate == Calibration::none || pools_labels(tally, criterion, options))
    return options;
  check_calibration(tally, criterion, options);
  options.calibrator = *outlook_for(tally, criterion, options).calibrator;
  options.calibrate = Calibration::none;
  return options;
}

}  // namespace evenhand
