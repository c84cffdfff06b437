#include "record/figures_json.h"

#include <string>

#include "record/values.h"
#include "support/or_null.h"

namespace evenhand::record {
namespace {

std::string interval_name(const RateOf& rate) {
  return std::string(rate.name) + "_interval";
}

}  // namespace

Json figures_json(const Figures& figures) {
  Json out;
  out["weight"] = figures.weight;
  for (const RateOf& rate : all_rates()) {
    out[std::string(rate.name)] = or_null(figures.*rate.value);
    if (const auto& interval = figures.*rate.interval) {
      out[interval_name(rate)] = {interval->low, interval->high};
    }
  }
  out["precision"] = or_null(figures.precision);
  out["accuracy"] = or_null(figures.accuracy);
  out["cost"] = or_null(figures.cost);
  return out;
}

Figures figures_from(const Json& json) {
  Figures out;
  out.weight = number_or_nan(json, "weight");
  for (const RateOf& rate : all_rates()) {
    out.*rate.value = number_in(json, std::string(rate.name).c_str());
    const Json* const ends = list_in(json, interval_name(rate).c_str());
    if (ends && ends->size() == 2 && (*ends)[0].is_number() && (*ends)[1].is_number()) {
      out.*rate.interval = Interval{(*ends)[0].get<double>(), (*ends)[1].get<double>()};
    }
  }
  out.precision = number_in(json, "precision");
  out.accuracy = number_in(json, "accuracy");
  out.cost = number_in(json, "cost");
  return out;
}

}  // namespace evenhand::record
