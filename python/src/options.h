// Options of the library by their names on the command line.
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

// All of these throw std::invalid_argument that lists what there is.
Resolution resolution_from(std::string_view text);
std::string to_text(const Resolution& resolution);
Across across_from(std::string_view name);
Unseen unseen_from(std::string_view name);

void bind_tally(nanobind::module_& m);
void bind_rule(nanobind::module_& m);
void bind_solve(nanobind::module_& m);
void bind_soft(nanobind::module_& m);
void bind_audit(nanobind::module_& m);
void bind_frontier(nanobind::module_& m);
void bind_calibrate(nanobind::module_& m);
void bind_theory(nanobind::module_& m);

}  // namespace evenhand::python
