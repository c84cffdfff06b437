#include <evenhand/calibrate.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/outlook.h"
#include "tally/data.h"

namespace evenhand {
namespace {

// Sums over rows with about the same p.
struct BinSum {
  double n = 0;
  double n1 = 0;
  double p = 0;  // sum of n p
};

class Reliability {
 public:
  explicit Reliability(std::size_t bins) : bins_(bins) {}

  void add(double p, double n, double n1) {
    BinSum& bin = bins_[bin_of(p)];
    bin.n += n;
    bin.n1 += n1;
    bin.p += n * p;
    const double n0 = n - n1;
    squares_ += n1 * (1 - p) * (1 - p) + n0 * p * p;
    constexpr double least = std::numeric_limits<double>::epsilon();
    const double kept = std::clamp(p, least, 1 - least);
    logs_ -= n1 * std::log(kept) + n0 * std::log1p(-kept);
  }

  CalibrationFigures figures() const {
    CalibrationFigures out;
    double apart = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const BinSum& bin = bins_[i];
      if (!(bin.n > 0)) continue;
      out.weight += bin.n;
      apart += std::abs(bin.p - bin.n1);
      out.bins.push_back({edge(i), edge(i + 1), bin.n, bin.p / bin.n, bin.n1 / bin.n});
    }
    if (!(out.weight > 0)) return out;
    out.ece = apart / out.weight;
    out.brier = squares_ / out.weight;
    out.log_loss = logs_ / out.weight;
    return out;
  }

 private:
  double edge(std::size_t k) const {
    return static_cast<double>(k) / static_cast<double>(bins_.size());
  }
  // By the edges as they are reported: the product is rounded, and may be off by one.
  std::size_t bin_of(double p) const {
    auto at =
        std::min(static_cast<std::size_t>(p * static_cast<double>(bins_.size())), bins_.size() - 1);
    if (at > 0 && p < edge(at)) --at;
    if (at + 1 < bins_.size() && p >= edge(at + 1)) ++at;
    return at;
  }

  std::vector<BinSum> bins_;
  double squares_ = 0;
  double logs_ = 0;
};

CalibrationReport report(const Tally& tally, const Outlook& outlook, std::size_t bins) {
  if (!tally.labelled()) {
    throw std::invalid_argument("calibration is measured against labels; the data have none");
  }
  if (!outlook.known()) {
    throw std::invalid_argument(
        "raw scores are no probabilities: there is no calibration to measure before a calibrator");
  }
  if (bins < 1 || bins > 10'000) {
    throw std::invalid_argument(fmt::format("{} bins: choose from 1 to 10,000", bins));
  }
  const Sorted& sorted = tally.data().sorted();
  CalibrationReport out;
  Reliability overall(bins);
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    Reliability cell(bins);
    for (std::size_t i = sorted.start[c]; i < sorted.start[c + 1]; ++i) {
      const double p = outlook.probability(c, sorted.score[i]);
      for (Reliability* measure : {&cell, &overall}) measure->add(p, sorted.n(i), sorted.n1[i]);
    }
    out.cells.push_back(cell.figures());
  }
  out.overall = overall.figures();
  return out;
}

}  // namespace

CalibrationReport calibration_report(const Tally& tally, std::size_t bins) {
  return report(tally, {tally.reading()}, bins);
}

CalibrationReport calibration_report(const Tally& tally, const Calibrator& calibrator,
                                     std::size_t bins) {
  return report(tally, outlook_by(calibrator, tally), bins);
}

}  // namespace evenhand
