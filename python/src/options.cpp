#include "options.h"

#include <evenhand/advice.h>
#include <evenhand/many_groups.h>
#include <evenhand/names.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace evenhand::python {

namespace nb = nanobind;

namespace {

// For each option the names to choose from, with a few words about each.
nb::dict choices() {
  nb::dict out;
  for (const Choices& each : all_choices()) {
    nb::dict names;
    for (const Choice& choice : each.choices) names[nb::cast(choice.name)] = nb::cast(choice.help);
    out[nb::cast(each.option)] = names;
  }
  nb::dict criteria;
  for (const CriterionName& each : all_criteria()) {
    criteria[nb::cast(each.name)] = nb::cast(each.help);
  }
  out["criterion"] = criteria;
  return out;
}

bool needs_labels(const std::string& criterion, const std::vector<std::string>& require) {
  if (!criterion.empty() && find_criterion(criterion).needs_labels()) return true;
  return requirements(require).uses_labels();
}

}  // namespace

void bind_names(nb::module_& m) {
  m.def("choices", &choices, nb::sig("def choices() -> dict[str, dict[str, str]]"));
  m.def(
      "criterion_name",
      [](const std::string& name) { return std::string(find_criterion(name).name); },
      nb::arg("name"));
  m.def("doubt_about_groups", &doubt_about_groups, nb::arg("tally"), nb::arg("sensitive"),
        nb::arg("rows").none());
  m.def("only_zero_and_one", &only_zero_and_one, nb::arg("tally"));
  m.def(
      "odd_groups_in_words", [](const Tally& tally) { return odd_groups_in_words(tally.cells()); },
      nb::arg("tally"));
  m.def(
      "odd_key_in_words",
      [](const std::string& name, const nb::bytes& key, bool readable_by_all) {
        return odd_key_in_words(name, {key.c_str(), key.size()}, readable_by_all);
      },
      nb::arg("name"), nb::arg("key"), nb::arg("readable_by_all"));
  m.def("needs_labels", &needs_labels, nb::arg("criterion"), nb::arg("require"));
}

}  // namespace evenhand::python
