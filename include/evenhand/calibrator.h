// Calibrator: from the score of any black box to the probability of the favourable outcome, as
// fitted on labels (calibrate.h). Nondecreasing in the score, so thresholds stay in its own scale.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/response.h>
#include <evenhand/scale.h>

#include <string_view>
#include <variant>
#include <vector>

namespace evenhand {

enum class Calibration {
  none,         // the score, read by its scale
  isotonic,     // shares of labels, pooled by isotonic regression on the score
  platt,        // a sigmoid of the score
  temperature,  // the score's logit by its scale, divided by one number
};
enum class CalibrateBy {
  cell,  // one curve for each cell
  all,   // one curve for everybody
};

std::string_view to_string(Calibration calibration) noexcept;
std::string_view to_string(CalibrateBy by) noexcept;
Calibration calibration_from(std::string_view name);   // throws std::invalid_argument
CalibrateBy calibrate_by_from(std::string_view name);  // throws std::invalid_argument

// p = 1 / (1 + exp(-(slope * x + offset))), x being the turned score: Platt's own letters are
// A = -slope and B = -offset.
struct PlattCurve {
  double slope = 1;  // finite, above 0
  double offset = 0;
  bool operator==(const PlattCurve&) const = default;
};

// p = 1 / (1 + exp(-logit / temperature)). On the probability and signed scales the logit is kept
// within +-ln(2^53), the largest that a probability below 1 has, so that 0 and 1 have one too.
struct TemperatureCurve {
  double temperature = 1;  // finite, above 0
  bool operator==(const TemperatureCurve&) const = default;
};

// Isotonic is a Response, a ramp: constant on pooled blocks, linear between them.
using CalibrationCurve = std::variant<PlattCurve, TemperatureCurve, Response>;

struct Calibrator {
  Reading reading;                          // of the scores
  CalibrationCurve all;                     // fitted on all cells together
  CellNames cells = {};                     // by cell: their names,
  std::vector<CalibrationCurve> each = {};  // with a curve for each; none: `all` for everybody

  Calibration method() const noexcept;  // never `none`
  CalibrateBy by() const noexcept { return each.empty() ? CalibrateBy::all : CalibrateBy::cell; }

  // Of the favourable outcome (the label 1, or 0 where low scores are favourable). The score is in
  // the caller's own scale; cells without a curve of their own, such as `unseen_cell`, have `all`.
  double probability(CellCode cell, double score) const noexcept {
    return at(cell, reading.turn(score));
  }
  double at(CellCode cell, double x) const noexcept;  // x: a turned score

  // The same curves under the codes of other cells, matched by name. Throws std::out_of_range if
  // these lack an attribute.
  Calibrator for_cells(const CellNames& names) const;

  // Throws std::invalid_argument unless all curves are of one method, within their limits and, by
  // cell, as many as the cells. Makes 0 of -0, which would not survive a text.
  void settle();

  bool operator==(const Calibrator&) const = default;
};

// The smallest turned score with a benefit above `bar` (infinity if there is none).
double first_above(const Calibrator& calibrator, CellCode cell, const Costs& costs,
                   double bar) noexcept;

}  // namespace evenhand
