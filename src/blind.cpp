#include <evenhand/blind.h>

#include <fmt/format.h>

namespace evenhand {

BlindPrice blind_price(const Tally& tally, const Roles& roles, const Solution& blind) {
  SolveOptions options = blind.options;
  options.blind = false;
  BlindPrice out;
  out.sighted = solve(tally, blind.criterion, options);
  out.blind_primal = blind.primal;
  const AuditOptions auditing{.costs = options.costs,
                              .base_threshold = options.base_threshold,
                              .calibrator = blind.rule.parts().calibrator};
  const Figures without = audit(tally, roles, blind.rule, auditing).overall.figures;
  out.accuracy = without.accuracy;
  out.cost = without.cost;
  if (out.sighted.status == Status::infeasible) return out;
  const Figures with = audit(tally, roles, out.sighted.rule, auditing).overall.figures;
  out.sighted_accuracy = with.accuracy;
  out.sighted_cost = with.cost;
  return out;
}

std::string in_words(const BlindPrice& price, const Costs& costs) {
  std::string out = "blind: groups were used to find this rule, not to apply it";
  const bool equal_costs = costs.false_positive == costs.false_negative;
  if (equal_costs && price.sighted_accuracy) {
    out += fmt::format("; with them accuracy would be {:.2f} %", 100 * *price.sighted_accuracy);
  } else if (!equal_costs && price.sighted_cost) {
    out += fmt::format("; with them the mean cost would be {:.4g}", *price.sighted_cost);
  }
  return out;
}

}  // namespace evenhand
