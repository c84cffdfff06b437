#include "record/bound_json.h"

#include <evenhand/audit.h>

#include "record/values.h"

namespace evenhand {
namespace record {
namespace {

constexpr const char* exact = "exact";  // no kind: the rows counted as fresh

Json group_json(const BoundedGroup& group) {
  return {{"group", group.name}, {"rows", group.rows}};
}

BoundedGroup group_from(const Json& json) {
  return {text_in(json, "group").value_or(""), number_in(json, "rows").value_or(0)};
}

BoundedGroup group_in(const Json& json, const char* key) {
  const Json* const found = object_in(json, key);
  return found ? group_from(*found) : BoundedGroup();
}

Rate rate_in(const Json& json) {
  const auto text = text_in(json, "rate");
  for (const RateOf& rate : all_rates()) {
    if (text == rate.name) return rate.rate;
  }
  return Rate::selection;
}

}  // namespace

Json bound_json(const ConfidenceBound& bound, const std::vector<std::string>& within) {
  Json out;
  out["confidence"] = bound.confidence;
  if (!bound.value) {
    out["none"] = bound.reason;
    return out;
  }
  const char* const name = bound.is_ratio ? "ratio_at_least" : "difference_at_most";
  out[name] = *bound.value;
  if (bound.shown) out[bound.is_ratio ? "ratio_at_most" : "difference_at_least"] = *bound.shown;
  out["observed"] = bound.observed;
  out["kind"] = bound.kind ? to_string(*bound.kind) : exact;
  for (const StratumBound& stratum : bound.strata) {
    Json at;
    Json& values = at["stratum"] = Json::object();
    for (std::size_t i = 0; i < stratum.values.size() && i < within.size(); ++i) {
      values[within[i]] = stratum.values[i];
    }
    at[name] = stratum.value;
    at["observed"] = stratum.observed;
    at["rate"] = rate_of(stratum.rate).name;
    at["over"] = group_json(stratum.over);
    at["under"] = group_json(stratum.under);
    out["strata"].push_back(std::move(at));
  }
  for (const SmallGroup& one : bound.small) {
    Json at = group_json(one.group);
    at["rate"] = rate_of(one.rate).name;
    out["small"].push_back(std::move(at));
  }
  return out;
}

ConfidenceBound bound_from(const Json& json) {
  ConfidenceBound out;
  out.confidence = number_in(json, "confidence").value_or(out.confidence);
  out.reason = text_in(json, "none").value_or("");
  out.is_ratio = member(json, "ratio_at_least") != nullptr;
  const char* const name = out.is_ratio ? "ratio_at_least" : "difference_at_most";
  out.value = number_in(json, name);
  out.shown = number_in(json, out.is_ratio ? "ratio_at_most" : "difference_at_least");
  out.observed = number_in(json, "observed").value_or(0);
  out.kind = named(bound_kind_names, text_in(json, "kind"));
  if (const Json* const strata = list_in(json, "strata")) {
    for (const Json& at : *strata) {
      StratumBound stratum;
      if (const Json* const values = object_in(at, "stratum")) {
        for (const Json& value : *values) {
          if (value.is_string()) stratum.values.push_back(value.get<std::string>());
        }
      }
      stratum.value = number_in(at, name).value_or(0);
      stratum.observed = number_in(at, "observed").value_or(0);
      stratum.rate = rate_in(at);
      stratum.over = group_in(at, "over");
      stratum.under = group_in(at, "under");
      out.strata.push_back(std::move(stratum));
    }
  }
  if (const Json* const small = list_in(json, "small")) {
    for (const Json& at : *small) out.small.push_back({group_from(at), rate_in(at)});
  }
  return out;
}

}  // namespace record

std::string ConfidenceBound::to_json(const std::vector<std::string>& within) const {
  return record::bound_json(*this, within).dump();
}

}  // namespace evenhand
