// Statements and tables of rules, for engines.
#pragma once

#include <nanobind/nanobind.h>

namespace evenhand::python {

void bind_sql(nanobind::module_& m);

}  // namespace evenhand::python
