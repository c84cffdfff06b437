#include <evenhand/theory.h>

#include <array>
#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arrays.h"
#include "columns.h"
#include "options.h"

namespace evenhand::python {
namespace {

nb::dict impossible(const NumberColumn& decision, const NumberColumn& membership,
                    const NumberColumn* weight) {
  for (const NumberColumn* column : {&decision, &membership, weight}) {
    if (column) column->refuse_missing();
  }
  Impossibility found =
      impossibility(decision.values, membership.values, weight ? weight->values : Numbers());
  nb::dict out;
  out["bound"] = found.bound;
  out["value"] = found.value;
  out["witness"] = array_of(std::move(found.witness));
  out["selection_rate"] = found.selection_rate;
  out["mean_membership"] = found.mean_membership;
  out["deviation"] = found.deviation;
  return out;
}

nb::dict risk(double rows, double gamma, double strata, double delta, double regressor_error) {
  const ExcessRisk found = excess_risk({rows, gamma, strata, delta, regressor_error});
  nb::dict out;
  out["printed"] = nb::make_tuple(found.printed.value, found.printed.vacuous);
  out["corrected"] = nb::make_tuple(found.corrected.value, found.corrected.vacuous);
  return out;
}

nb::dict error(double steps, double gamma, double strata, double b) {
  const SgdError found = sgd_error({steps, gamma, strata, b});
  constexpr std::array<std::pair<const char*, double SgdError::*>, 6> figures = {
      {{"learning_rate", &SgdError::learning_rate},
       {"printed", &SgdError::printed},
       {"corrected", &SgdError::corrected},
       {"wider_box", &SgdError::wider_box},
       {"wider_learning_rate", &SgdError::wider_learning_rate},
       {"wider_box_at_its_rate", &SgdError::wider_box_at_its_rate}}};
  nb::dict out;
  for (const auto& [name, figure] : figures) out[name] = found.*figure;
  return out;
}

}  // namespace

void bind_theory(nb::module_& m) {
  m.def("impossibility", &impossible, nb::arg("decision"), nb::arg("membership"),
        nb::arg("weight").none(),
        nb::sig("def impossibility(decision: Numbers, membership: Numbers, weight: Numbers | None) "
                "-> dict[str, typing.Any]"));
  m.attr("THEOREM_3_GAP") = std::string(theorem_3_gap);
  m.def("excess_risk", &risk, nb::arg("rows"), nb::arg("gamma"), nb::arg("strata"),
        nb::arg("delta"), nb::arg("regressor_error"),
        nb::sig("def excess_risk(rows: float, gamma: float, strata: float, delta: float, "
                "regressor_error: float) -> dict[str, tuple[float, bool]]"));
  m.def("sgd_error", &error, nb::arg("steps"), nb::arg("gamma"), nb::arg("strata"), nb::arg("b"),
        nb::sig("def sgd_error(steps: float, gamma: float, strata: float, b: float) -> "
                "dict[str, float]"));
  m.def(
      "sgd_error_at",
      [](double steps, double gamma, double strata, double b, double learning_rate, double box) {
        return sgd_error_at({steps, gamma, strata, b}, learning_rate, box);
      },
      nb::arg("steps"), nb::arg("gamma"), nb::arg("strata"), nb::arg("b"), nb::arg("learning_rate"),
      nb::arg("box"));
  m.def(
      "gamma_schedule", [](double rows) { return gamma_schedule(rows); }, nb::arg("rows"));
  m.def(
      "gamma_schedule_of", [](const Tally& tally) { return gamma_schedule(tally); },
      nb::arg("tally"));
}

}  // namespace evenhand::python
