#include "record/figures_json.h"

#include "record/values.h"

namespace evenhand::record {
namespace {

struct NamedRate {
  const char* name;
  const char* interval_name;
  std::optional<double> Figures::*value;
  std::optional<Interval> Figures::*interval;
};

constexpr NamedRate rates[] = {
    {"selection_rate", "selection_rate_interval", &Figures::selection_rate,
     &Figures::selection_interval},
    {"true_positive_rate", "true_positive_rate_interval", &Figures::true_positive_rate,
     &Figures::true_positive_interval},
    {"false_positive_rate", "false_positive_rate_interval", &Figures::false_positive_rate,
     &Figures::false_positive_interval},
};

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

Json figures_json(const Figures& figures) {
  Json out;
  out["weight"] = figures.weight;
  for (const NamedRate& rate : rates) {
    out[rate.name] = or_null(figures.*rate.value);
    if (const auto& interval = figures.*rate.interval) {
      out[rate.interval_name] = {interval->low, interval->high};
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
  for (const NamedRate& rate : rates) {
    out.*rate.value = number_in(json, rate.name);
    const Json* const ends = list_in(json, rate.interval_name);
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
