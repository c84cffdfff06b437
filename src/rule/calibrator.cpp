#include <evenhand/calibrator.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/settle.h"
#include "support/first_where.h"
#include "support/logit.h"

namespace evenhand {
namespace {

double at_curve(const PlattCurve& curve, const Reading&, double x) noexcept {
  return sigmoid(curve.slope * x + curve.offset);
}
double at_curve(const TemperatureCurve& curve, const Reading& reading, double x) noexcept {
  return sigmoid(logit_of(x, reading) / curve.temperature);
}
double at_curve(const Response& curve, const Reading&, double x) noexcept {
  return curve(x);
}

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument("the calibrator " + what);
}

void settle_curve(PlattCurve& curve, const Reading&) {
  if (!(curve.slope > 0) || std::isinf(curve.slope)) refuse("has a slope that is not above 0");
  if (!std::isfinite(curve.offset)) refuse("has an offset that is not finite");
  curve.offset += 0.0;
}
void settle_curve(TemperatureCurve& curve, const Reading& reading) {
  if (!reading.has_probability()) refuse("scales the logits of raw scores, which have none");
  if (!(curve.temperature > 0) || std::isinf(curve.temperature)) {
    refuse("has a temperature that is not above 0");
  }
}
void settle_curve(Response& curve, const Reading&) {
  if (curve.shape != Response::Shape::ramp) refuse("has steps where isotonic ones are ramps");
  settle(curve, "the calibrator");
}

Calibration method_of(const CalibrationCurve& curve) noexcept {
  constexpr std::array methods = {Calibration::platt, Calibration::temperature,
                                  Calibration::isotonic};
  static_assert(methods.size() == std::variant_size_v<CalibrationCurve>);
  return methods[curve.index()];
}

}  // namespace

Calibration Calibrator::method() const noexcept {
  return method_of(all);
}

double Calibrator::at(CellCode cell, double x) const noexcept {
  return std::visit([&](const auto& curve) { return at_curve(curve, reading, x); },
                    cell < each.size() ? each[cell] : all);
}

Calibrator Calibrator::for_cells(const CellNames& names) const {
  if (each.empty()) return *this;
  Calibrator out{reading, all, names, {}};
  for (const CellCode cell : translate(names, cells)) {
    out.each.push_back(cell == unseen_cell ? all : each[cell]);
  }
  return out;
}

void Calibrator::settle() {
  const auto settle_one = [this](CalibrationCurve& curve) {
    if (method_of(curve) != method()) refuse("has curves of several methods");
    std::visit([this](auto& one) { settle_curve(one, reading); }, curve);
  };
  settle_one(all);
  for (CalibrationCurve& curve : each) settle_one(curve);
  if (!each.empty() && each.size() != cells.size()) {
    refuse(fmt::format("has {} cells but {} curves", cells.size(), each.size()));
  }
}

double first_above(const Calibrator& calibrator, CellCode cell, const Costs& costs,
                   double bar) noexcept {
  return first_where(calibrator.reading,
                     [&](double x) { return benefit(calibrator.at(cell, x), costs) > bar; });
}

}  // namespace evenhand
