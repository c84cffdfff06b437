#include "base_decision.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {

void check_base_options(const Reading& reading, const Costs& costs,
                        std::optional<double> threshold) {
  const auto is_cost = [](double cost) { return cost >= 0 && std::isfinite(cost); };
  if (!is_cost(costs.false_positive) || !is_cost(costs.false_negative) ||
      costs.false_positive + costs.false_negative == 0) {
    throw std::invalid_argument(fmt::format(
        "costs are at least 0 and not both 0, not {} (false positive) and {} (false negative)",
        costs.false_positive, costs.false_negative));
  }
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
