#include <evenhand/calibrate.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/logistic.h"
#include "calibrate/outlook.h"
#include "calibrate/pool.h"
#include "support/logit.h"
#include "support/parallel.h"
#include "tally/data.h"

namespace evenhand {
namespace {

// The entries of one cell, or of all cells together as the one cell of a sorted form.
struct Sample {
  const Sorted& sorted;
  CellCode cell;
  const Reading& reading;
  bool integer_weights;
  unsigned threads;

  std::size_t begin() const { return sorted.start[cell]; }
  std::size_t end() const { return sorted.start[cell + 1]; }
  double low() const { return sorted.score[begin()]; }
  double high() const { return sorted.score[end() - 1]; }
};

CellTotal total_of(const Sample& sample) {
  CellTotal total;
  for (std::size_t i = sample.begin(); i < sample.end(); ++i) {
    total.n += sample.sorted.n(i);
    total.n1 += sample.sorted.n1[i];
  }
  return total;
}

void check_two_outcomes(const CellTotal& total) {
  if (total.n1 > 0 && total.n1 < total.n) return;
  throw std::invalid_argument(
      fmt::format("every outcome is {}, so no slope can be fitted; use isotonic",
                  total.n1 > 0 ? "favourable" : "unfavourable"));
}

void check_rises(double slope) {
  if (slope > 0) return;
  throw std::invalid_argument(
      "favourable outcomes do not become more frequent as scores become better; check which scores "
      "are favourable, high or low, or use isotonic");
}

// z = (x - middle) / unit, twice: first into [-1, 1], where nothing overflows, then to mean 0 and
// variance 1, for the conditioning of Newton's steps.
struct Standard {
  double middle, unit;
  double mean = 0, spread = 1;

  double of(double x) const { return ((x - middle) / unit - mean) / spread; }
};

Standard standard_of(const Sample& sample, double weight) {
  Standard out{sample.low() / 2 + sample.high() / 2, sample.high() / 2 - sample.low() / 2};
  double mean = 0;
  double square = 0;
  for (std::size_t i = sample.begin(); i < sample.end(); ++i) {
    mean += sample.sorted.n(i) / weight * out.of(sample.sorted.score[i]);
  }
  for (std::size_t i = sample.begin(); i < sample.end(); ++i) {
    const double z = out.of(sample.sorted.score[i]) - mean;
    square += sample.sorted.n(i) / weight * z * z;
  }
  out.mean = mean;
  out.spread = std::sqrt(square);
  return out;
}

CalibrationCurve fit_platt(const Sample& sample) {
  const CellTotal total = total_of(sample);
  check_two_outcomes(total);
  if (sample.low() == sample.high()) {
    throw std::invalid_argument("every score is the same, so no slope can be fitted; use isotonic");
  }
  const auto too_narrow = [] {
    return std::invalid_argument(
        "the scores are too near each other for a slope between them; use isotonic");
  };
  const Standard standard = standard_of(sample, total.n);
  if (standard.unit < std::numeric_limits<double>::min()) throw too_narrow();
  const double target1 = (total.n1 + 1) / (total.n1 + 2);
  const double target0 = 1 / (total.n - total.n1 + 2);
  std::vector<LogisticRow> rows;
  rows.reserve(sample.end() - sample.begin());
  for (std::size_t i = sample.begin(); i < sample.end(); ++i) {
    const double n = sample.sorted.n(i);
    const double n1 = sample.sorted.n1[i];
    rows.push_back({standard.of(sample.sorted.score[i]), n, n1 * target1 + (n - n1) * target0});
  }
  const LogisticFit fit = fit_logistic(rows, true, sample.threads);
  check_rises(fit.slope);
  const double slope = fit.slope / standard.spread / standard.unit;
  const double offset =
      fit.offset - fit.slope / standard.spread * standard.mean - slope * standard.middle;
  if (!std::isfinite(slope) || !std::isfinite(offset)) throw too_narrow();
  return PlattCurve{slope, offset + 0.0};
}

CalibrationCurve fit_temperature(const Sample& sample) {
  if (!sample.reading.has_probability()) {
    throw std::invalid_argument(
        "raw scores have no logit for a temperature to scale; use platt, or the logit scale");
  }
  check_two_outcomes(total_of(sample));
  std::vector<LogisticRow> rows;
  rows.reserve(sample.end() - sample.begin());
  // The likelihood is concave in 1 / T: it has a largest value above 0 if it rises there, and falls
  // in the end, since some outcome is on the wrong side.
  double largest = 0;
  double slope_at_0 = 0;
  double misplaced = 0;
  for (std::size_t i = sample.begin(); i < sample.end(); ++i) {
    const double z = logit_of(sample.sorted.score[i], sample.reading);
    const double n = sample.sorted.n(i);
    const double n1 = sample.sorted.n1[i];
    rows.push_back({z, n, n1});
    largest = std::max(largest, std::abs(z));
    misplaced += z > 0 ? n - n1 : z < 0 ? n1 : 0;
  }
  if (largest == 0) {
    throw std::invalid_argument(
        "every score says p = 1/2, which no temperature changes; use isotonic");
  }
  for (LogisticRow& row : rows) {
    row.z /= largest;
    slope_at_0 += row.z * (row.target - row.n / 2);
  }
  check_rises(slope_at_0);
  if (misplaced == 0) {
    throw std::invalid_argument(
        "every score is on the side of its outcome, so that the temperature would be 0; use platt");
  }
  const double temperature = largest / fit_logistic(rows, false, sample.threads).slope;
  check_rises(temperature);
  return TemperatureCurve{temperature};
}

CalibrationCurve fit(Calibration method, const Sample& sample) {
  switch (method) {
    case Calibration::platt:
      return fit_platt(sample);
    case Calibration::temperature:
      return fit_temperature(sample);
    case Calibration::isotonic:
      return isotonic_share(sample.sorted, sample.cell, sample.integer_weights);
    case Calibration::none:
      break;
  }
  throw std::invalid_argument("to calibrate choose platt, temperature or isotonic");
}

}  // namespace

Outlook outlook_by(const Calibrator& calibrator, const Tally& tally) {
  if (calibrator.reading != tally.reading()) {
    throw std::invalid_argument("the calibrator and the tally read scores differently");
  }
  Calibrator settled = calibrator;
  settled.settle();
  return {tally.reading(), std::make_shared<Calibrator>(settled.for_cells(tally.cells()))};
}

Calibrator calibrate(const Tally& tally, Calibration method, const CalibrateOptions& options) {
  if (!tally.labelled()) {
    throw std::invalid_argument(fmt::format("{} calibration needs labels", to_string(method)));
  }
  const Tally::Data& data = tally.data();
  const std::size_t cells = data.names.size();
  const std::array inputs = {&data.sorted()};
  const std::array to = {std::vector<CellCode>(cells, 0)};
  const Sorted together = add_up(inputs, to, 1, true);
  Calibrator out{data.reading,
                 fit(method, {together, 0, data.reading, data.integer_weights, options.threads})};
  if (options.by == CalibrateBy::all) return out;
  out.cells = data.names;
  out.each.resize(cells, out.all);
  for (CellCode c = 0; c < cells; ++c) {
    if (!(data.totals[c].n > 0)) continue;
    try {
      out.each[c] =
          fit(method, {data.sorted(), c, data.reading, data.integer_weights, options.threads});
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("cell {}: {}; or calibrate all cells together",
                                              data.names.name(c), error.what()));
    }
  }
  return out;
}

}  // namespace evenhand
