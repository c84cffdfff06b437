// Tails of the beta distribution, which are those of the binomial one.
#pragma once

namespace evenhand {

// P(X <= x) for X with the beta distribution of a, b > 0.
double beta_below(double a, double b, double x);
// Where P(X <= x) is p, in (0, 1).
double beta_quantile(double a, double b, double p);

// P(X = k) for X of n rows that are positive with probability p each; 0 <= k <= n.
double binomial_mass(double n, double k, double p);

// The z with P(Z > z) = alpha for a standard normal Z.
double normal_above(double alpha);

}  // namespace evenhand
