// Results as plain dictionaries and lists, with the names of the tool's JSON.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/solve.h>

#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nlohmann/json_fwd.hpp>

namespace evenhand::python {

// {"sex": "F", "race": "Black"}
nanobind::dict values_record(const std::vector<std::string>& attributes,
                             std::span<const std::string> values);
std::vector<std::vector<std::string>> value_lists(const CellNames& cells);
// What the library writes as JSON.
nanobind::object to_python(const nlohmann::ordered_json& json);
nanobind::dict record_of(const Constraint& constraint);
nanobind::list record_of(const std::vector<Constraint>& constraints);
// With the sentence that says it.
nanobind::dict record_of(const Infeasibility& why, const Criterion& criterion);

// Status, objective and proof of a Solution or a SoftSolution.
template <class Found>
nanobind::dict proof_record(const Found& found) {
  nanobind::dict out;
  out["status"] = std::string(to_string(found.status));
  out["primal"] = found.primal;
  out["dual"] = found.dual;
  out["gap"] = found.gap;
  out["violation"] = found.violation;
  out["magnitude"] = found.magnitude;
  out["base"] = found.base;
  out["lottery_share"] = found.lottery_share;
  return out;
}

}  // namespace evenhand::python
