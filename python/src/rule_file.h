// What rules of both kinds have in common: how they read scores, their files, and whether two are
// the same.
#pragma once

#include <evenhand/names.h>

#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace evenhand::python {

template <class AnyRule>
void bind_rule_file(nanobind::class_<AnyRule>& bound) {
  namespace nb = nanobind;
  bound
      .def_prop_ro(
          "scale",
          [](const AnyRule& rule) { return std::string(to_string(rule.parts().reading.scale)); })
      .def_prop_ro("favorable",
                   [](const AnyRule& rule) {
                     return std::string(to_string(rule.parts().reading.favorable));
                   })
      .def(
          "to_json", [](const AnyRule& rule, const std::string& fit) { return rule.to_json(fit); },
          nb::arg("fit") = "")
      .def_static(
          "from_json", [](const std::string& json) { return AnyRule::from_json(json); },
          nb::arg("json"))
      .def(
          "same_as", [](const AnyRule& a, const AnyRule& b) { return a == b; }, nb::arg("other"));
}

}  // namespace evenhand::python
