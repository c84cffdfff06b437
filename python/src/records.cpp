#include "records.h"

#include <evenhand/fit_words.h>

#include <cstdint>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

namespace evenhand::python {

namespace nb = nanobind;

namespace {

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

nb::object to_python(const nlohmann::ordered_json& json) {
  switch (json.type()) {
    case nlohmann::json::value_t::object: {
      nb::dict out;
      for (const auto& [key, value] : json.items()) {
        out[nb::str(key.c_str(), key.size())] = to_python(value);
      }
      return out;
    }
    case nlohmann::json::value_t::array: {
      nb::list out;
      for (const auto& value : json) out.append(to_python(value));
      return out;
    }
    case nlohmann::json::value_t::string: {
      const auto& text = json.get_ref<const std::string&>();
      return nb::str(text.c_str(), text.size());
    }
    case nlohmann::json::value_t::boolean:
      return nb::bool_(json.get<bool>());
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
      return nb::int_(json.get<std::int64_t>());
    case nlohmann::json::value_t::number_float:
      return nb::float_(json.get<double>());
    default:
      return nb::none();
  }
}

std::vector<std::vector<std::string>> value_lists(const CellNames& cells) {
  std::vector<std::vector<std::string>> out;
  for (CellCode c = 0; c < cells.size(); ++c) {
    const auto values = cells.values(c);
    out.emplace_back(values.begin(), values.end());
  }
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

nb::dict record_of(const Infeasibility& why, const Criterion& criterion) {
  nb::dict out;
  out["message"] = in_words(why, criterion);
  out["clash"] = nb::cast(why.clash);
  out["certificate"] = record_of(why.certificate);
  out["total_violation"] = why.total_violation;
  out["common_slack"] = why.common_slack;
  return out;
}

}  // namespace evenhand::python
