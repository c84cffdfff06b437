#include <evenhand/frontier.h>
#include <evenhand/solve_json.h>

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

// At the parameters, or, without, wherever the slope changes. Where no rule meets the requirements,
// why that is, as a dictionary.
nb::object found(const Tally& tally, const Criterion& criterion,
                 const std::optional<std::vector<double>>& parameters,
                 const SolveOptions& options) {
  const Frontier found = [&] {
    const nb::gil_scoped_release released;
    if (parameters) return frontier(tally, criterion, *parameters, options);
    return Frontier{Status::optimal, frontier_breakpoints(tally, criterion, 0, 1, options), {}};
  }();
  if (found.infeasibility) return record_of(*found.infeasibility, criterion);
  nb::list out;
  for (const FrontierPoint& point : found.points) out.append(to_python(to_json(point, criterion)));
  return out;
}

}  // namespace

void bind_frontier(nb::module_& m) {
  m.def("frontier", &found, nb::arg("tally"), nb::arg("criterion"), nb::arg("parameters").none(),
        nb::arg("options"),
        nb::sig("def frontier(tally: Tally, criterion: Criterion, parameters: "
                "collections.abc.Sequence[float] | None, options: SolveOptions) -> "
                "list[dict[str, typing.Any]] | dict[str, typing.Any]"));
  m.def("borrowing_in_words", &borrowing_in_words, nb::arg("tally"), nb::arg("criterion"));
}

}  // namespace evenhand::python
