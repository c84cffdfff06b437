// Checks of soft columns, for fitting and for deciding alike.
#pragma once

#include <evenhand/soft_rule.h>

#include <span>
#include <string>
#include <vector>

namespace evenhand {

// Of the favourable outcome, for somebody with the benefit h.
inline double chance_of(double h, const Costs& costs) noexcept {
  return (h + costs.false_positive) / (costs.false_negative + costs.false_positive);
}

// Names are not empty, UTF-8 and distinct; throws std::invalid_argument.
void check_soft_names(const std::vector<std::string>& names);

// Throws std::invalid_argument for scores that say nothing of the outcome.
void check_soft_reading(const Reading& reading);

// Throws std::out_of_range that suggests the nearest name.
const SoftColumn& find_column(const SoftRows& rows, const std::string& name);

// All columns as long as the scores, values in [0, 1], scores valid; std::invalid_argument names
// the first bad row.
void check_soft_rows(const SoftRows& rows, const Reading& reading);

// None, or one for each row, finite and >= 0, not all 0; throws std::invalid_argument.
void check_soft_weights(std::span<const double> weights, std::size_t rows);

}  // namespace evenhand
