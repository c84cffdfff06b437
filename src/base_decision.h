// Decisions before any rule: positive when the benefit is above zero, or from a given score on.
#pragma once

#include <evenhand/tally.h>

#include <optional>

namespace evenhand {

// The turned score from which base decisions are positive (infinity: never). Throws
// std::invalid_argument for costs out of range or a threshold outside the scale.
double base_decision_from(const Reading& reading, const Costs& costs,
                          std::optional<double> threshold);

}  // namespace evenhand
