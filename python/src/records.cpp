#include "records.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace evenhand::python {

namespace nb = nanobind;

namespace {

struct RateOf {
  const char* name;
  const char* interval_name;
  const char* spread_name;
  std::optional<double> Figures::*value;
  std::optional<Interval> Figures::*interval;
  std::optional<Spread> Comparison::*spread;
};

constexpr RateOf rates[] = {
    {"selection_rate", "selection_rate_interval", "selection_rate_between_groups",
     &Figures::selection_rate, &Figures::selection_interval, &Comparison::selection_rate},
    {"true_positive_rate", "true_positive_rate_interval", "true_positive_rate_between_groups",
     &Figures::true_positive_rate, &Figures::true_positive_interval,
     &Comparison::true_positive_rate},
    {"false_positive_rate", "false_positive_rate_interval", "false_positive_rate_between_groups",
     &Figures::false_positive_rate, &Figures::false_positive_interval,
     &Comparison::false_positive_rate},
};

nb::dict comparison_record(const Comparison& comparison) {
  nb::dict out = record_of(comparison.figures);
  for (const RateOf& rate : rates) {
    const auto& spread = comparison.*rate.spread;
    if (!spread) {
      out[rate.spread_name] = nb::none();
      continue;
    }
    nb::dict between;
    between["difference"] = spread->difference;
    between["ratio"] = spread->ratio;
    out[rate.spread_name] = between;
  }
  out["bias"] = comparison.bias;
  return out;
}

nb::list group_records(const Comparison& comparison, const std::vector<std::string>& sensitive) {
  nb::list out;
  for (const AuditedGroup& group : comparison.groups) {
    nb::dict record = record_of(group.figures);
    record["covariance"] = group.covariance;
    record["group"] = values_record(sensitive, group.values);
    out.append(record);
  }
  return out;
}

const char* name_of(Rate rate) {
  switch (rate) {
    case Rate::true_positive:
      return "true_positive_rate";
    case Rate::false_positive:
      return "false_positive_rate";
    default:
      return "selection_rate";
  }
}

std::string name_of(Measure measure) {
  switch (measure) {
    case Measure::rate:
      return name_of(Rate::selection);
    case Measure::tpr:
      return name_of(Rate::true_positive);
    case Measure::fpr:
      return name_of(Rate::false_positive);
    default:
      return std::string(to_string(measure));
  }
}

}  // namespace

nb::dict values_record(const std::vector<std::string>& attributes,
                       std::span<const std::string> values) {
  nb::dict out;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    out[nb::str(attributes[i].c_str(), attributes[i].size())] =
        nb::str(values[i].c_str(), values[i].size());
  }
  return out;
}

nb::dict record_of(const Figures& figures) {
  nb::dict out;
  out["weight"] = figures.weight;
  for (const RateOf& rate : rates) {
    out[rate.name] = figures.*rate.value;
    if (const auto& interval = figures.*rate.interval) {
      nb::list ends;
      ends.append(interval->low);
      ends.append(interval->high);
      out[rate.interval_name] = ends;
    }
  }
  out["precision"] = figures.precision;
  out["accuracy"] = figures.accuracy;
  out["cost"] = figures.cost;
  return out;
}

nb::dict record_of(const Audit& audit, const CellNames& names, const Roles& roles) {
  nb::dict out;
  out["expected"] = audit.expected;
  out["overall"] = comparison_record(audit.overall);
  out["groups"] = group_records(audit.overall, roles.sensitive);
  nb::list strata;
  for (const Comparison& stratum : audit.strata) {
    nb::dict record = comparison_record(stratum);
    record["stratum"] = values_record(roles.within, stratum.values);
    record["groups"] = group_records(stratum, roles.sensitive);
    strata.append(record);
  }
  out["strata"] = strata;
  nb::list cells;
  for (const AuditedCell& cell : audit.cells) {
    nb::dict record = record_of(cell.figures);
    record["covariance"] = cell.covariance;
    record["cell"] = values_record(names.attributes(), names.values(cell.cell));
    cells.append(record);
  }
  out["cells"] = cells;
  if (audit.calibration) out["calibration"] = record_of(*audit.calibration, names);
  return out;
}

nb::dict record_of(const CalibrationFigures& figures) {
  nb::dict out;
  out["weight"] = figures.weight;
  out["ece"] = figures.ece;
  out["brier"] = figures.brier;
  out["log_loss"] = figures.log_loss;
  nb::list bins;
  for (const ReliabilityBin& bin : figures.bins) {
    nb::dict record;
    record["from"] = bin.from;
    record["to"] = bin.to;
    record["weight"] = bin.weight;
    record["mean_p"] = bin.mean_p;
    record["observed"] = bin.observed;
    bins.append(record);
  }
  out["bins"] = bins;
  return out;
}

nb::dict record_of(const CalibrationReport& report, const CellNames& names) {
  nb::dict out;
  out["overall"] = record_of(report.overall);
  nb::list cells;
  for (CellCode c = 0; c < report.cells.size(); ++c) {
    nb::dict record = record_of(report.cells[c]);
    record["cell"] = values_record(names.attributes(), names.values(c));
    cells.append(record);
  }
  out["cells"] = cells;
  return out;
}

nb::dict record_of(const Constraint& constraint) {
  nb::dict out;
  out["text"] = constraint.text;
  out["required"] = constraint.required;
  out["comparison"] = constraint.comparison;
  nb::list terms;
  for (const Term& term : constraint.terms) {
    nb::dict record;
    record["factor"] = term.factor;
    record["rate"] = name_of(term.of.measure);
    record["cells"] = nb::cast(term.of.cells);
    record["value"] = term.value;
    terms.append(record);
  }
  out["terms"] = terms;
  out["sense"] = constraint.sense == Sense::at_most ? "<="
                 : constraint.sense == Sense::equal ? "="
                                                    : ">=";
  out["bound"] = constraint.bound;
  out["value"] = constraint.value;
  out["multiplier"] = constraint.multiplier;
  return out;
}

nb::list record_of(const std::vector<Constraint>& constraints) {
  nb::list out;
  for (const Constraint& constraint : constraints) out.append(record_of(constraint));
  return out;
}

nb::dict record_of(const Infeasibility& why) {
  nb::dict out;
  out["clash"] = nb::cast(why.clash);
  out["certificate"] = record_of(why.certificate);
  out["total_violation"] = why.total_violation;
  out["common_slack"] = why.common_slack;
  return out;
}

}  // namespace evenhand::python
