// Results as plain dictionaries and lists, with the names of the tool's JSON.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/calibrate.h>
#include <evenhand/cells.h>
#include <evenhand/solve.h>

#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

namespace evenhand::python {

// {"sex": "F", "race": "Black"}
nanobind::dict values_record(const std::vector<std::string>& attributes,
                             std::span<const std::string> values);
nanobind::dict record_of(const Figures& figures);
nanobind::dict record_of(const Audit& audit, const CellNames& names, const Roles& roles);
nanobind::dict record_of(const CalibrationFigures& figures);
nanobind::dict record_of(const CalibrationReport& report, const CellNames& names);
nanobind::dict record_of(const Constraint& constraint);

}  // namespace evenhand::python
