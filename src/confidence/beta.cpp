#include "confidence/beta.h"

#include <cmath>
#include <numbers>

#include "confidence/bisect.h"

namespace evenhand {
namespace {

// The continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method. Right of
// the mean it converges within some sqrt(a + b) terms.
double fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto nonzero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double d = 1 / nonzero(1 - (a + b) * x / (a + 1));
  double c = 1;
  double h = d;
  for (double m = 1; m < 1e7; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return h;
}

// ln Gamma(x) less Stirling's main part, so that large numbers do not cancel each other.
double stirling_rest(double x) {
  if (x < 10) {
    return std::lgamma(x) - ((x - 0.5) * std::log(x) - x + std::log(2 * std::numbers::pi) / 2);
  }
  const double y = 1 / (x * x);
  return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
}

// x^a (1 - x)^b / B(a, b), by the distance of x from a / (a + b).
double density(double a, double b, double x) {
  const double n = a + b;
  const double part_a = a * std::log1p((x * n - a) / a);
  const double part_b = b * std::log1p(((1 - x) * n - b) / b);
  return std::exp(part_a + part_b + stirling_rest(n) - stirling_rest(a) - stirling_rest(b)) *
         std::sqrt(a * (b / n) / (2 * std::numbers::pi));
}

}  // namespace

double beta_below(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x < (a + 1) / (a + b + 2)) return density(a, b, x) * fraction(a, b, x) / a;
  return 1 - density(b, a, 1 - x) * fraction(b, a, 1 - x) / b;
}

double beta_quantile(double a, double b, double p) {
  return last_of_bisection(0, 1, [&](double x) { return beta_below(a, b, x) < p; });
}

double binomial_mass(double n, double k, double p) {
  if (k == 0) return std::exp(n * std::log1p(-p));
  if (k == n) return std::exp(n * std::log(p));
  return density(k, n - k, p) * (n / k / (n - k));
}

double normal_above(double alpha) {
  if (alpha > 0.5) return -normal_above(1 - alpha);
  return last_of_bisection(
      0, 40, [&](double z) { return std::erfc(z / std::numbers::sqrt2) / 2 > alpha; });
}

}  // namespace evenhand
