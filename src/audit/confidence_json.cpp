#include <evenhand/audit_json.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "audit/name_json.h"
#include "record/bound_json.h"

namespace evenhand {
namespace {

using Json = nlohmann::ordered_json;

// An infinite end is none.
Json interval_json(const RateLimits& limits) {
  return {limits.low, std::isinf(limits.high) ? Json(nullptr) : Json(limits.high)};
}

Json count_json(const GroupName& name, const RateCount& count) {
  return {{"group", name_json(name)}, {"positive", count.positive}, {"rows", count.rows}};
}

Json pair_json(const TestedPair& pair) {
  Json out;
  out["rate"] = rate_of(pair.rate).name;
  out["stratum"] = name_json(pair.stratum);
  out.update(count_json(pair.group, pair.count));
  out["reference"] = count_json(pair.reference, pair.reference_count);
  out["difference"] = pair.difference;
  out["difference_interval"] = interval_json(pair.difference_interval);
  out["ratio"] = pair.ratio ? Json(*pair.ratio) : Json(nullptr);
  out["ratio_interval"] = interval_json(pair.ratio_interval);
  out["standard_deviations"] = pair.standard_deviations;
  out["shortfall"] = pair.shortfall;
  out["shortfall_to_four_fifths"] = pair.shortfall_to_fifths;
  if (pair.exact) {
    out["fisher_p"] = pair.exact->p;
    out["mid_p"] = pair.exact->mid_p;
  }
  if (pair.holm_p) out["holm_p"] = *pair.holm_p;
  return out;
}

}  // namespace

Json to_json(const AuditConfidence& confidence, const AuditScope& scope) {
  const ConfidenceBound& bound = confidence.of(scope.relation);
  Json out;
  out["rows"] = confidence.fitted ? "fitted" : "fresh";
  out.update(record::bound_json(bound, scope.roles.within));
  const ConfidenceBound& other = bound.is_ratio ? confidence.difference : confidence.ratio;
  if (other.value) out[other.is_ratio ? "ratio_at_least" : "difference_at_most"] = *other.value;
  if (other.shown) out[other.is_ratio ? "ratio_at_most" : "difference_at_least"] = *other.shown;
  return out;
}

Json to_json(const AuditTests& tests) {
  Json out;
  out["confidence"] = tests.confidence;
  if (!tests.why_no_intervals.empty()) {
    out["none"] = tests.why_no_intervals;
    return out;
  }
  if (!tests.why_no_tests.empty()) out["no_tests"] = tests.why_no_tests;
  Json& pairs = out["pairs"] = Json::array();
  for (const TestedPair& pair : tests.pairs) pairs.push_back(pair_json(pair));
  for (const TestedStrata& strata : tests.strata) {
    out["over_strata"].push_back({{"rate", rate_of(strata.rate).name},
                                  {"group", name_json(strata.group)},
                                  {"reference", name_json(strata.reference)},
                                  {"strata", strata.strata},
                                  {"chi_square", strata.test.statistic},
                                  {"p", strata.test.p}});
  }
  for (const TestedView& view : tests.views) {
    out["largest_difference"].push_back({{"sensitive", view.sensitive},
                                         {"rate", rate_of(view.rate).name},
                                         {"difference", view.test.largest_difference},
                                         {"permutation_p", view.test.p}});
  }
  return out;
}

}  // namespace evenhand
