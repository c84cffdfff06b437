#include <evenhand/audit_json.h>
#include <evenhand/solve_json.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "support/or_null.h"
#include "words/everybody.h"

namespace evenhand {
namespace {

using Json = nlohmann::ordered_json;

Json uncertified(const CertifiedFit& fit) {
  const Criterion& criterion = fit.plain.criterion;
  const std::vector<std::string> nothing;  // all cells make one stratum, of no values
  Json out = Json::array();
  for (const auto& values : fit.uncertified) {
    out.push_back(values_json(criterion.all_cells ? nothing : criterion.roles.within, values));
  }
  return out;
}

}  // namespace

Json to_json(const Infeasibility& why, const Criterion& criterion) {
  Json out;
  out["status"] = to_string(Status::infeasible);
  out["clash"] = why.clash;
  out["criterion"] = criterion.name;
  out["total_violation"] = why.total_violation;
  out["common_slack"] = why.common_slack;
  return out;
}

Json to_json(const SgdComparison& comparison) {
  return {{"exact_objective", comparison.exact.primal},
          {"exact_violation", comparison.exact.violation},
          {"dual", comparison.distance.dual},
          {"primal", comparison.distance.primal},
          {"multiplier", comparison.distance.multiplier},
          {"violation", comparison.distance.violation}};
}

Json to_json(const FrontierPoint& point, const Criterion& criterion) {
  Json out = {{criterion.relation == Relation::ratio ? "ratio" : "tolerance", point.parameter},
              {"objective", point.objective},
              {"slope", point.slope},
              {"gap", point.gap},
              {"violation", point.violation},
              {"lottery_share", point.lottery_share}};
  out.update(to_json(point.figures));
  if (point.promised) {
    out["promised_accuracy"] = or_null(point.promised->accuracy);
    out["promised_cost"] = or_null(point.promised->cost);
  }
  return out;
}

Json to_json(const CertifiedFit& fit, const Tally& tally) {
  return {{"confidence", fit.bound.confidence},
          {"plain", to_json(everybody(tally, fit.plain))},
          {"uncertified", uncertified(fit)}};
}

Json too_few_json(const CertifiedFit& fit, const Tally& tally) {
  return {{"status", "too few rows"},
          {"confidence", fit.bound.confidence},
          {fit.bound.is_ratio ? "largest_ratio" : "smallest_tolerance", fit.smallest},
          {"rows", tally.total().n},
          {"rows_needed", std::ceil(fit.rows_needed * tally.total().n)},
          {"too_few_in", uncertified(fit)}};
}

Json to_json(const Monitor& monitor) {
  Json looks = Json::array();
  for (const MonitorLook& look : monitor.looks()) {
    looks.push_back({{"batch", look.batch},
                     {"rows", look.rows},
                     {"difference", look.difference},
                     {"log_evidence", look.log_evidence},
                     {"difference_at_most", or_null(look.bound)},
                     {"alarm", look.alarm},
                     {"mean_score", or_null(look.mean_score)},
                     {"largest_share_change", look.largest_share_change}});
  }
  return {{"tolerance", monitor.options().tolerance},
          {"confidence", monitor.options().confidence},
          {"alarm", monitor.alarm()},
          {"batches", looks}};
}

Json to_json(const SoftCheck& check) {
  Json columns = Json::array();
  for (const SoftCheckedColumn& one : check.columns) {
    columns.push_back({{"column", one.column},
                       {"value", one.value},
                       {"off_by_tenth", one.off},
                       {"rate", or_null(one.rate)},
                       {"others", or_null(one.others)}});
  }
  Json out = {{"rows", check.rows},
              {"calibrated", check.calibrated()},
              {"largest_difference", or_null(check.largest_difference())},
              {"columns", columns}};
  for (const SoftTrueDifference& one : check.given_outcome) {
    out["largest_difference_of_" + std::string(rate_of(one.of).name)] = or_null(one.difference);
  }
  return out;
}

}  // namespace evenhand
