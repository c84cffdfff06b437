// Decisions before any rule: positive when the benefit is above zero, or from a given score on.
#pragma once

#include <evenhand/tally.h>

#include <optional>

#include "calibrate/outlook.h"

namespace evenhand {

// Throws std::invalid_argument for costs out of range or a threshold outside the scale.
void check_base_options(const Reading& reading, const Costs& costs,
                        std::optional<double> threshold);

// The turned score from which base decisions are positive (infinity: never); with a calibrator, by
// its curve of all cells. Throws like check_base_options, and on the raw scale without either.
double base_decision_from(const Outlook& outlook, const Costs& costs,
                          std::optional<double> threshold);

}  // namespace evenhand
