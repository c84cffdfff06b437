#include <evenhand/coin.h>
#include <evenhand/monitor.h>
#include <evenhand/rule.h>
#include <evenhand/solve_json.h>

#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "options.h"
#include "records.h"

namespace evenhand::python {

namespace nb = nanobind;

namespace {

using Names = std::vector<std::string>;

// Of a rule, or (without one) of the decisions that are the tally's scores. `period` is an
// attribute of the tally whose values are the batches; if it is empty, all rows are the batch
// `name`.
void add(Monitor& monitor, const Tally& tally, Names sensitive, Names within, const Rule* rule,
         const std::string& criterion, const std::string& period, const std::string& name) {
  const nb::gil_scoped_release released;
  const Roles roles{std::move(sensitive), std::move(within)};
  const std::vector<Rate> rates = monitored_rates(criterion);
  if (period.empty()) {
    monitor.add(monitored_batch(name, tally, roles, rule, rates));
    return;
  }
  for (MonitorBatch& batch : monitored_batches(tally, roles, period, rule, rates)) {
    monitor.add(std::move(batch));
  }
}

}  // namespace

void bind_monitor(nb::module_& m) {
  nb::class_<Monitor>(m, "Monitor")
      .def(
          "__init__",
          [](Monitor* self, double tolerance, double confidence, const Rule* rule,
             const std::string& decision, const std::string& criterion) {
            const std::vector<Rate> rates = monitored_rates(criterion);
            new (self) Monitor({.tolerance = tolerance,
                                .confidence = confidence,
                                .subject = rule ? monitored_subject(*rule, rates)
                                                : monitored_subject(decision, rates)});
          },
          nb::arg("tolerance"), nb::arg("confidence"), nb::arg("rule").none(), nb::arg("decision"),
          nb::arg("criterion"))
      .def("add", &add, nb::arg("tally"), nb::arg("sensitive"), nb::arg("within"),
           nb::arg("rule").none(), nb::arg("criterion"), nb::arg("period"), nb::arg("name"))
      .def_static(
          "needs_labels",
          [](const std::string& criterion) {
            return monitored_rates(criterion).front() != Rate::selection;
          },
          nb::arg("criterion"))
      .def_prop_ro("alarm", &Monitor::alarm)
      .def(
          "record", [](const Monitor& monitor) { return to_python(to_json(monitor)); },
          nb::sig("def record(self) -> dict[str, typing.Any]"))
      .def("to_json", &Monitor::to_json)
      .def(
          "continued",
          [](const Monitor& fresh, const std::string& json) {
            return Monitor::from_json(json, fresh.options());
          },
          nb::arg("json"));
}

}  // namespace evenhand::python
