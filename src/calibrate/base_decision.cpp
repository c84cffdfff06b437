#include "calibrate/base_decision.h"

#include <stdexcept>

#include <fmt/format.h>

#include "rule/check_costs.h"

namespace evenhand {

void check_base_options(const Reading& reading, const Costs& costs,
                        std::optional<double> threshold) {
  check_costs(costs);
  if (threshold && !reading.valid(reading.turn(*threshold))) {
    throw std::invalid_argument(fmt::format("the base threshold {} is not valid on the {} scale",
                                            *threshold, to_string(reading.scale)));
  }
}

double base_decision_from(const Outlook& outlook, const Costs& costs,
                          std::optional<double> threshold) {
  check_base_options(outlook.reading, costs, threshold);
  if (threshold) return outlook.reading.turn(*threshold);
  if (!outlook.known()) {
    throw std::invalid_argument(
        "raw scores say nothing of the outcome, so there are no base decisions: calibrate them, or "
        "give a base threshold");
  }
  return outlook.first_above(unseen_cell, costs, 0);
}

}  // namespace evenhand
