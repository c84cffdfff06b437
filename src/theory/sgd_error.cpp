#include <evenhand/theory.h>

#include <cmath>

#include "theory/check.h"

namespace evenhand {
namespace {

void check(const SgdErrorOptions& options) {
  check_argument(options.steps >= 1, options.steps, "the number of steps", "at least 1");
  check_argument(options.gamma > 0, options.gamma, "gamma", "above 0");
  check_argument(options.strata >= 1, options.strata, "the number of strata", "at least 1");
  check_argument(options.b >= 0 && options.b <= 1, options.b, "b", "0, or rho: a rate from 0 to 1");
}

}  // namespace

double sgd_error_at(const SgdErrorOptions& options, double learning_rate, double box) {
  check(options);
  check_argument(learning_rate > 0, learning_rate, "the learning rate", "above 0");
  check_argument(box > 0, box, "the bound on the multipliers", "above 0");
  const double gradient = 1 + options.b;
  return gradient * gradient * learning_rate / 2 +
         box * box * options.strata / (2 * options.steps * learning_rate);
}

SgdError sgd_error(const SgdErrorOptions& options) {
  check(options);
  const double root = std::sqrt(options.strata / options.steps);
  const double gradient = 1 + options.b;
  const double narrow = 1 + options.gamma;
  const double wide = 2 + options.gamma;
  SgdError out;
  out.learning_rate = narrow / gradient * root;
  out.printed = 2 * narrow / gradient * root;
  out.corrected = sgd_error_at(options, out.learning_rate, narrow);
  out.wider_box = sgd_error_at(options, out.learning_rate, wide);
  out.wider_learning_rate = wide / gradient * root;
  out.wider_box_at_its_rate = sgd_error_at(options, out.wider_learning_rate, wide);
  return out;
}

}  // namespace evenhand
