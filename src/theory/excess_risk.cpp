#include <evenhand/theory.h>

#include <cmath>
#include <numbers>

#include "theory/check.h"

namespace evenhand {
namespace {

RiskBound bound_of(double value) {
  return {value, value >= 1};
}

}  // namespace

ExcessRisk excess_risk(const ExcessRiskOptions& options) {
  const auto& [rows, gamma, strata, delta, regressor_error] = options;
  check_argument(rows >= 1, rows, "the number of rows", "at least 1");
  check_argument(gamma > 0, gamma, "gamma", "above 0");
  check_argument(strata >= 1, strata, "the number of strata", "at least 1");
  check_argument(delta > 0 && delta < 1, delta, "delta", "above 0 and below 1");
  check_argument(regressor_error >= 0, regressor_error, "the regressor's error", "at least 0");
  const double root = std::cbrt(rows);
  const double doubt = 2 * std::log(2 / delta);
  // The proof bounds two losses (of the fitted rule and of the best one) by a cover of the scores
  // with R = N^(1/3) intervals: 4 (1 + 1/gamma) / R + 2 sqrt((2 |cover| ln 2 + doubt) / N) each.
  // The cover has R intervals in each of 2 K cells, so |cover| = 2 K R; the paper adds R + 2 K.
  const double printed = 2 * gamma + 8 * (2 + 1 / gamma) / root +
                         4 * std::sqrt((3 * strata + doubt) / rows) + regressor_error;
  const double cover = 4 * strata * std::numbers::ln2 * root;
  const double corrected = 2 * gamma + 8 * (1 + 1 / gamma) / root +
                           4 * std::sqrt((cover + doubt) / rows) + regressor_error;
  return {bound_of(printed), bound_of(corrected)};
}

double gamma_schedule(double rows) {
  check_argument(rows >= 1, rows, "the number of rows", "at least 1");
  return 1 / std::sqrt(std::cbrt(rows));
}

double gamma_schedule(const Tally& tally) {
  if (!tally.unit_weights()) {
    throw std::invalid_argument(
        "the rows are weighted, so that their number is not known: give gamma as a number");
  }
  return gamma_schedule(tally.total().n);
}

}  // namespace evenhand
