#include <evenhand/audit.h>

#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "options.h"
#include "records.h"

namespace evenhand::python {

namespace nb = nanobind;

namespace {

nb::dict audited(const Tally& tally, std::vector<std::string> sensitive,
                 std::vector<std::string> within, const Rule* rule, double cost_fp, double cost_fn,
                 std::optional<double> base_threshold, double confidence,
                 std::optional<Calibrator> calibrator, std::size_t calibration_bins) {
  const Roles roles{std::move(sensitive), std::move(within)};
  const AuditOptions options{.costs = {cost_fp, cost_fn},
                             .base_threshold = base_threshold,
                             .confidence = confidence,
                             .calibrator = std::move(calibrator),
                             .calibration_bins = calibration_bins};
  const Audit found = [&] {
    const nb::gil_scoped_release released;
    return rule ? audit(tally, roles, *rule, options) : audit(tally, roles, options);
  }();
  return record_of(found, tally.cells(), roles);
}

}  // namespace

void bind_audit(nb::module_& m) {
  m.def("audit", &audited, nb::arg("tally"), nb::arg("sensitive"), nb::arg("within"),
        nb::arg("rule").none(), nb::arg("cost_fp"), nb::arg("cost_fn"),
        nb::arg("base_threshold").none(), nb::arg("confidence"), nb::arg("calibrator").none(),
        nb::arg("calibration_bins"),
        nb::sig("def audit(tally: Tally, sensitive: collections.abc.Sequence[str], within: "
                "collections.abc.Sequence[str], "
                "rule: Rule | None, cost_fp: float, cost_fn: float, base_threshold: float | None, "
                "confidence: float, calibrator: Calibrator | None, calibration_bins: int) -> "
                "dict[str, typing.Any]"));
}

}  // namespace evenhand::python
