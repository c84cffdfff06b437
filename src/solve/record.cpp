// The record of a fit, as it goes into the rule's file.
#include "solve/record.h"

#include <evenhand/solve.h>
#include <evenhand/version.h>

#include <stdexcept>

#include <nlohmann/json.hpp>

namespace evenhand {
namespace {

using Json = nlohmann::ordered_json;

Json criterion_record(const Criterion& criterion) {
  Json out;
  out["name"] = criterion.name;
  if (!criterion.require.empty()) out["require"] = criterion.require;
  if (criterion.rates.empty()) return out;
  out["sensitive"] = criterion.roles.sensitive;
  out["within"] = criterion.roles.within;
  if (criterion.roles.across != Across::intersection) {
    out["across"] = criterion.roles.across == Across::marginal ? "marginal" : "both";
  }
  if (criterion.relation == Relation::ratio) {
    out["ratio"] = criterion.ratio;
  } else {
    out["tolerance"] = criterion.tolerance;
  }
  if (criterion.all_cells) {
    switch (criterion.rho.kind) {
      case Rho::Kind::given:
        out["rho"] = criterion.rho.value;
        break;
      case Rho::Kind::base:
        out["rho"] = "base";
        break;
      case Rho::Kind::best:
        out["rho"] = "best";
    }
  }
  return out;
}

}  // namespace

std::string Solution::to_json() const {
  if (status == Status::infeasible) {
    throw std::invalid_argument("there is no rule to write: no rule meets the requirements");
  }
  Json fit;
  fit["version"] = EVENHAND_VERSION;
  fit["criterion"] = criterion_record(criterion);
  fit["gamma"] = options.gamma;
  fit["cost_fp"] = options.costs.false_positive;
  fit["cost_fn"] = options.costs.false_negative;
  fit["calibrate"] = to_string(options.calibrate);
  if (const auto& calibrator = rule.parts().calibrator) {
    fit["calibrate"] = to_string(calibrator->method());
    fit["calibrate_by"] = to_string(calibrator->by());
  }
  fit["lottery"] = to_string(options.lottery);
  if (options.max_lottery) fit["max_lottery"] = *options.max_lottery;
  if (options.base_threshold) fit["base_threshold"] = *options.base_threshold;
  record_figures(*this, fit);
  Json& list = fit["cells"] = Json::array();
  for (CellCode c = 0; c < cells.size(); ++c) {
    const CellOutcome& outcome = cells[c];
    Json cell;
    cell["cell"] = rule.cells().name(c);
    cell["rate"] = outcome.rate;
    if (outcome.compared && constraints.empty()) {
      cell["multiplier"] = outcome.multiplier;
      cell["bound"] = to_string(outcome.bound);
    } else if (!outcome.compared) {
      cell["not_compared"] = outcome.reason;
    }
    cell["lottery_share"] = outcome.lottery_share;
    list.push_back(std::move(cell));
  }
  for (const Constraint& constraint : constraints) {
    if (constraint.multiplier == 0 && !constraint.required) continue;
    fit["constraints"].push_back({{"text", constraint.text},
                                  {"value", constraint.value},
                                  {"multiplier", constraint.multiplier}});
  }
  return rule.to_json(fit.dump());
}

}  // namespace evenhand
