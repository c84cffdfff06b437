// What is bound, one function for each header of the library.
#pragma once

#include <evenhand/criterion.h>
#include <evenhand/rule.h>
#include <evenhand/solve.h>
#include <evenhand/tally.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

namespace evenhand::python {

void bind_names(nanobind::module_& m);
void bind_tally(nanobind::module_& m);
void bind_tally_source(nanobind::module_& m);
void bind_rule(nanobind::module_& m);
void bind_solve_options(nanobind::module_& m);
void bind_solve(nanobind::module_& m);
void bind_sgd(nanobind::module_& m);
void bind_confidence(nanobind::module_& m);
void bind_monitor(nanobind::module_& m);
void bind_soft(nanobind::module_& m);
void bind_audit(nanobind::module_& m);
void bind_frontier(nanobind::module_& m);
void bind_report(nanobind::module_& m);
void bind_calibrate(nanobind::module_& m);
void bind_theory(nanobind::module_& m);
void bind_verify(nanobind::module_& m);

}  // namespace evenhand::python
