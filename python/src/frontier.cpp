#include <evenhand/audit_json.h>
#include <evenhand/frontier.h>

#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "options.h"
#include "records.h"

namespace evenhand::python {

namespace nb = nanobind;

namespace {

nb::list points_of(const std::vector<FrontierPoint>& points, const char* parameter) {
  nb::list out;
  for (const FrontierPoint& point : points) {
    nb::dict record;
    record[parameter] = point.parameter;
    record["objective"] = point.objective;
    record["slope"] = point.slope;
    record["gap"] = point.gap;
    record["violation"] = point.violation;
    record["lottery_share"] = point.lottery_share;
    record.update(nb::borrow<nb::dict>(to_python(to_json(point.figures))));
    out.append(record);
  }
  return out;
}

// At the parameters, or, without, wherever the slope changes. Where no rule meets the requirements,
// why that is, as a dictionary.
nb::object found(const Tally& tally, const Criterion& criterion,
                 const std::optional<std::vector<double>>& parameters, double gamma, double cost_fp,
                 double cost_fn, const std::string& calibrate, const std::string& calibrate_by,
                 std::optional<Calibrator> calibrator, std::optional<double> base_threshold,
                 unsigned threads) {
  const SolveOptions options{.gamma = gamma,
                             .costs = {cost_fp, cost_fn},
                             .calibrate = calibration_from(calibrate),
                             .calibrate_by = calibrate_by_from(calibrate_by),
                             .calibrator = std::move(calibrator),
                             .base_threshold = base_threshold,
                             .threads = threads};
  const Frontier found = [&] {
    const nb::gil_scoped_release released;
    if (parameters) return frontier(tally, criterion, *parameters, options);
    return Frontier{Status::optimal, frontier_breakpoints(tally, criterion, 0, 1, options), {}};
  }();
  if (found.infeasibility) return record_of(*found.infeasibility);
  return points_of(found.points, criterion.relation == Relation::ratio ? "ratio" : "tolerance");
}

}  // namespace

void bind_frontier(nb::module_& m) {
  m.def("frontier", &found, nb::arg("tally"), nb::arg("criterion"), nb::arg("parameters").none(),
        nb::arg("gamma"), nb::arg("cost_fp"), nb::arg("cost_fn"), nb::arg("calibrate"),
        nb::arg("calibrate_by"), nb::arg("calibrator").none(), nb::arg("base_threshold").none(),
        nb::arg("threads"),
        nb::sig("def frontier(tally: Tally, criterion: Criterion, parameters: "
                "collections.abc.Sequence[float] | "
                "None, gamma: float, cost_fp: float, cost_fn: float, calibrate: str, "
                "calibrate_by: str, calibrator: Calibrator | None, base_threshold: float | None, "
                "threads: int) -> list[dict[str, typing.Any]] | dict[str, typing.Any]"));
}

}  // namespace evenhand::python
