// The options of both solvers, each as one object.
#include <evenhand/names.h>
#include <evenhand/sgd.h>
#include <evenhand/solve.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "options.h"

namespace evenhand::python {

namespace nb = nanobind;

void bind_solve_options(nb::module_& m) {
  nb::class_<SolveOptions>(m, "SolveOptions")
      .def(nb::init<>())
      .def_rw("gamma", &SolveOptions::gamma)
      .def_prop_rw(
          "lottery", [](const SolveOptions& o) { return std::string(to_string(o.lottery)); },
          [](SolveOptions& o, const std::string& name) { o.lottery = lottery_from(name); })
      .def_rw("max_lottery", &SolveOptions::max_lottery, nb::arg().none())
      .def_prop_rw(
          "cost_fp", [](const SolveOptions& o) { return o.costs.false_positive; },
          [](SolveOptions& o, double cost) { o.costs.false_positive = cost; })
      .def_prop_rw(
          "cost_fn", [](const SolveOptions& o) { return o.costs.false_negative; },
          [](SolveOptions& o, double cost) { o.costs.false_negative = cost; })
      .def_prop_rw(
          "calibrate", [](const SolveOptions& o) { return std::string(to_string(o.calibrate)); },
          [](SolveOptions& o, const std::string& name) { o.calibrate = calibration_from(name); })
      .def_prop_rw(
          "calibrate_by",
          [](const SolveOptions& o) { return std::string(to_string(o.calibrate_by)); },
          [](SolveOptions& o, const std::string& name) {
            o.calibrate_by = calibrate_by_from(name);
          })
      .def_rw("calibrator", &SolveOptions::calibrator, nb::arg().none())
      .def_rw("base_threshold", &SolveOptions::base_threshold, nb::arg().none())
      .def_rw("blind", &SolveOptions::blind)
      .def_rw("threads", &SolveOptions::threads);
  nb::class_<SgdOptions>(m, "SgdOptions")
      .def(
          "__init__",
          [](SgdOptions* self, const SolveOptions& options) {
            new (self) SgdOptions(SgdOptions::of(options));
          },
          nb::arg("options"))
      .def_prop_rw(
          "projection", [](const SgdOptions& o) { return std::string(to_string(o.projection)); },
          [](SgdOptions& o, const std::string& name) { o.projection = projection_from(name); })
      .def_rw("learning_rate", &SgdOptions::learning_rate, nb::arg().none())
      .def_rw("epochs", &SgdOptions::epochs)
      .def_rw("rows", &SgdOptions::rows, nb::arg().none())
      .def_rw("steps", &SgdOptions::steps, nb::arg().none())
      .def_rw("seed", &SgdOptions::seed)
      .def_rw("record_every", &SgdOptions::record_every, nb::arg().none());
}

}  // namespace evenhand::python
