// The paper's theorems as calculators: as printed, and as corrected where that differs
// (docs/paper.md).
#pragma once

#include <evenhand/column.h>
#include <evenhand/tally.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace evenhand {

// Theorem 2, impossibility: whatever the 0/1 decisions, some split of the population in two has a
// mean absolute covariance of decision and membership of at least `bound`.
struct Impossibility {
  double bound = 0;  // deviation / 2 * min(selection_rate, 1 - selection_rate)
  // The mean absolute covariance under the split `witness`; never below the bound, but for
  // rounding.
  double value = 0;
  // 1 for rows in W: membership above its mean and a positive decision, or neither.
  std::vector<std::uint8_t> witness;
  double selection_rate = 0;   // E d
  double mean_membership = 0;  // E g
  double deviation = 0;        // E |g - E g|
};

// Decisions are 0 or 1; membership is g = P(S | x) in [0, 1], or S itself as 0 and 1; weights are
// finite and >= 0, not all 0 (none: 1 each). Throws std::invalid_argument that names the first bad
// row.
Impossibility impossibility(const Numbers& decision, const Numbers& membership,
                            const Numbers& weight = {});

struct RiskBound {
  double value = 0;
  bool vacuous = false;  // 1 or more: it says nothing, since no error is above 1
};

struct ExcessRiskOptions {
  double rows;                 // N, fresh ones, at least 1
  double gamma;                // width of randomization, above 0
  double strata = 1;           // K, at least 1
  double delta = 0.05;         // in (0, 1): the bound holds with probability 1 - delta
  double regressor_error = 0;  // E |2 eta - 1 - f|, at least 0; 0 if the scores are calibrated
};

// Theorem 3: by how much the error of the fitted rule exceeds that of the best fair one, at most.
struct ExcessRisk {
  // 2 gamma + 8 (2 + 1/gamma) / N^(1/3) + 4 sqrt((3 K + 2 ln(2/delta)) / N) + regressor_error
  RiskBound printed;
  // 2 gamma + 8 (1 + 1/gamma) / N^(1/3) + 4 sqrt((4 K ln 2 N^(1/3) + 2 ln(2/delta)) / N)
  // + regressor_error: with a cover of the size 2 K R that its proof needs.
  RiskBound corrected;
};
// Neither is proven: what is left open is said wherever they are printed.
inline constexpr std::string_view theorem_3_gap =
    "the proof has a gap: it takes the best fair rule to be fair on the sample too, where it is "
    "only nearly so; neither figure is proven";
ExcessRisk excess_risk(const ExcessRiskOptions& options);

// N^(-1/6), the paper's schedule: gamma goes to 0 while gamma N^(1/3) goes to infinity. At least
// one row. Of a tally: its number of rows; throws std::invalid_argument if rows were weighted, as
// their number is not known then.
double gamma_schedule(double rows);
double gamma_schedule(const Tally& tally);

struct SgdErrorOptions {
  double steps;       // T, at least 1
  double gamma;       // above 0
  double strata = 1;  // K, at least 1
  double b = 0;       // the constant in the dual objective: 0, or rho for equal rates; 0 to 1
};

// Proposition 4: expected excess of the mean dual objective F / N after T steps of stochastic
// gradient descent, at most.
struct SgdError {
  double learning_rate = 0;  // (1 + gamma) / (1 + b) sqrt(K / T)
  double printed = 0;        // 2 (1 + gamma) / (1 + b) sqrt(K / T)
  double corrected = 0;      // (1 + gamma) (1 + b) sqrt(K / T)
  // The box [-(1 + gamma), 1 + gamma] may exclude the optimum of conditional parity; |mu| <= 2 +
  // gamma never does. In that wider box, at the learning rate above: `corrected` times
  // (1 + ((2 + gamma) / (1 + gamma))^2) / 2, which is up to 2.5;
  double wider_box = 0;
  // and at the learning rate that is best there: times (2 + gamma) / (1 + gamma), up to 2.
  double wider_learning_rate = 0;
  double wider_box_at_its_rate = 0;
};
SgdError sgd_error(const SgdErrorOptions& options);

// Its general form, for any learning rate and any box that contains the optimum:
// (1 + b)^2 rate / 2 + box^2 K / (2 T rate).
double sgd_error_at(const SgdErrorOptions& options, double learning_rate, double box);

}  // namespace evenhand
