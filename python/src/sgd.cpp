#include <evenhand/fit_words.h>
#include <evenhand/sgd.h>
#include <evenhand/solve_json.h>

#include <tuple>
#include <utility>

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "columns.h"
#include "options.h"
#include "solution.h"

namespace evenhand::python {

namespace nb = nanobind;

namespace {

SgdResult solved_by_sgd(const Tally& tally, const Criterion& criterion, const SgdOptions& options) {
  const nb::gil_scoped_release released;
  return solve_sgd(tally, criterion, options);
}

// The rows of the tally in their order, `passes` times.
SgdResult solved_by_stream(const Tally& tally, const Criterion& criterion, SgdOptions options,
                           std::uint64_t passes, const NumberColumn& score,
                           const std::vector<const AttributeColumn*>& attributes,
                           const NumberColumn* weight) {
  const std::size_t rows = score.values.size();
  const nb::gil_scoped_release released;
  options.rows = static_cast<double>(rows);
  SgdStream stream = SgdStream::over(tally, criterion, std::move(options), passes);
  Cells cells = cells_of(attributes, rows);
  const std::vector<CellCode> to = translate(cells.names, tally.cells());
  for (CellCode& code : cells.codes) code = to[code];
  std::vector<double> score_room;
  std::vector<double> weight_room;
  const auto scores = score.doubles(score_room);
  const auto counts = weight ? weight->doubles(weight_room) : std::span<const double>();
  for (std::uint64_t pass = 0; pass < passes; ++pass) stream.add(cells.codes, scores, counts);
  return stream.finish(tally);
}

nb::object compared(const SgdResult& sgd, const Tally& tally) {
  const SgdComparison found = [&] {
    const nb::gil_scoped_release released;
    return compare(sgd, tally);
  }();
  return to_python(to_json(found));
}

using TracePoint =
    std::tuple<std::uint64_t, double, double, std::vector<double>, std::vector<double>>;

SgdTrace trace_of(std::vector<std::string> names, double rows,
                  const std::vector<TracePoint>& points) {
  SgdTrace out{.names = std::move(names), .rows = rows, .points = {}};
  for (const auto& [step, dual, violation, mean, last] : points) {
    out.points.push_back(
        {.step = step, .mean = mean, .last = last, .dual = dual, .violation = violation});
  }
  return out;
}

nb::dict sgd_record(const SgdResult& fit, const Tally& tally) {
  nb::dict out = solution_record(fit.solution, tally);
  nb::list multipliers;
  for (const SgdMultiplier& multiplier : fit.multipliers) {
    nb::dict record;
    record["cell"] =
        values_record(tally.cells().attributes(), tally.cells().values(multiplier.cell));
    record["mean"] = multiplier.mean;
    record["last"] = multiplier.last;
    record["lowest"] = multiplier.lowest;
    record["highest"] = multiplier.highest;
    record["steps"] = multiplier.steps;
    multipliers.append(record);
  }
  out["multipliers"] = multipliers;
  out["steps"] = fit.steps;
  out["learning_rate"] = fit.learning_rate;
  nb::list points;
  for (const SgdTrace::Point& point : fit.trace.points) {
    points.append(nb::make_tuple(point.step, point.dual, point.violation, point.mean, point.last));
  }
  out["trace"] = nb::make_tuple(fit.trace.names, fit.trace.rows, points);
  return out;
}

nb::dict sgd_words(const SgdResult& fit, const Tally& tally) {
  nb::dict out = words_of(fit.solution, tally);
  out["proof"] = in_words(fit);
  return out;
}

}  // namespace

void bind_sgd(nb::module_& m) {
  nb::class_<SgdResult> result(m, "SgdResult");
  bind_in_words(result, &sgd_words, &sgd_record);
  result.def_prop_ro("rule", [](const SgdResult& fit) { return fit.solution.rule; })
      .def_prop_ro("notes", [](const SgdResult& fit) { return fit.solution.notes; })
      .def_prop_ro("infeasible",
                   [](const SgdResult& fit) { return fit.solution.status == Status::infeasible; })
      .def(
          "fit_record",
          [](const SgdResult& fit, const Tally& tally, const TallySource& source,
             const ConfidenceBound& bound) {
            return record_text(FitRecord::of(fit), fit.solution, tally, source, bound);
          },
          nb::arg("tally"), nb::arg("source"), nb::arg("bound"))
      .def_ro("solution", &SgdResult::solution)
      .def(
          "constant_in_words", [](const SgdResult&, const Tally&) { return std::string(); },
          nb::arg("tally"));
  m.def("solve_sgd", &solved_by_sgd, nb::arg("tally"), nb::arg("criterion"), nb::arg("options"));
  m.def("solve_stream", &solved_by_stream, nb::arg("tally"), nb::arg("criterion"),
        nb::arg("options"), nb::arg("passes"), nb::arg("score"), nb::arg("attributes"),
        nb::arg("weight").none());
  m.def("compare", &compared, nb::arg("sgd"), nb::arg("tally"),
        nb::sig("def compare(sgd: SgdResult, tally: Tally) -> dict[str, float]"));
  m.def(
      "trace_csv",
      [](std::vector<std::string> names, double rows, const std::vector<TracePoint>& points) {
        return trace_of(std::move(names), rows, points).to_csv();
      },
      nb::arg("names"), nb::arg("rows"), nb::arg("points"));
}

}  // namespace evenhand::python
