#include <evenhand/audit_json.h>
#include <evenhand/calibrate.h>
#include <evenhand/rule.h>

#include <optional>
#include <stdexcept>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "arrays.h"
#include "columns.h"
#include "options.h"
#include "records.h"

namespace evenhand::python {
namespace {

Calibrator fitted(const Tally& tally, const std::string& method, const std::string& by,
                  unsigned threads) {
  const Calibration asked = calibration_from(method);
  if (asked == Calibration::none) {
    throw std::invalid_argument("choose a method: isotonic, platt or temperature");
  }
  const CalibrateOptions options{.by = calibrate_by_from(by), .threads = threads};
  const nb::gil_scoped_release released;
  return calibrate(tally, asked, options);
}

// A rule's file is the only one with a calibrator in it: of a rule that says no to everybody.
std::string to_json(const Calibrator& calibrator) {
  RuleParts parts{.cells = calibrator.cells,
                  .responses = std::vector<Response>(calibrator.cells.size()),
                  .reading = calibrator.reading,
                  .level = {},
                  .calibrator = calibrator};
  return Rule(std::move(parts)).to_json();
}

Calibrator from_json(const std::string& json) {
  const Rule rule = Rule::from_json(json);
  const std::optional<Calibrator>& calibrator = rule.parts().calibrator;
  if (!calibrator) throw std::invalid_argument("there is no calibrator in this rule");
  return *calibrator;
}

auto probability(const Calibrator& calibrator, const NumberColumn& score,
                 const std::vector<const AttributeColumn*>& attributes) {
  score.refuse_missing();
  std::vector<double> room;
  const auto scores = score.doubles(room);
  std::vector<CellCode> codes(scores.size(), unseen_cell);
  if (calibrator.by() == CalibrateBy::cell) {
    const Cells cells = cells_of(attributes, scores.size());
    if (cells.codes.size() != scores.size()) {
      throw std::invalid_argument("there are " + std::to_string(scores.size()) + " scores but " +
                                  std::to_string(cells.codes.size()) + " cells");
    }
    const std::vector<CellCode> to = translate(cells.names, calibrator.cells);
    for (std::size_t row = 0; row < codes.size(); ++row) codes[row] = to[cells.codes[row]];
  }
  std::vector<double> out(scores.size());
  for (std::size_t row = 0; row < out.size(); ++row) {
    if (!calibrator.reading.valid(calibrator.reading.turn(scores[row]))) {
      throw std::invalid_argument("row " + std::to_string(row) +
                                  ": the score is not valid on the " +
                                  std::string(to_string(calibrator.reading.scale)) + " scale");
    }
    out[row] = calibrator.probability(codes[row], scores[row]);
  }
  return array_of(std::move(out));
}

}  // namespace

void bind_calibrate(nb::module_& m) {
  nb::class_<Calibrator>(m, "Calibrator")
      .def_prop_ro("method", [](const Calibrator& c) { return std::string(to_string(c.method())); })
      .def_prop_ro("by", [](const Calibrator& c) { return std::string(to_string(c.by())); })
      .def_prop_ro("attributes", [](const Calibrator& c) { return c.cells.attributes(); })
      .def_prop_ro("scale",
                   [](const Calibrator& c) { return std::string(to_string(c.reading.scale)); })
      .def_prop_ro("favorable",
                   [](const Calibrator& c) { return std::string(to_string(c.reading.favorable)); })
      .def("probability", &probability, nb::arg("score"), nb::arg("attributes"))
      .def("to_json", &to_json)
      .def_static("from_json", &from_json, nb::arg("json"))
      .def(
          "same_as", [](const Calibrator& a, const Calibrator& b) { return a == b; },
          nb::arg("other"));
  m.def("calibrate", &fitted, nb::arg("tally"), nb::arg("method"), nb::arg("by"),
        nb::arg("threads"));
  m.def(
      "calibration_report",
      [](const Tally& tally, const Calibrator* calibrator, std::size_t bins) {
        return to_python(evenhand::to_json(calibrator ? calibration_report(tally, *calibrator, bins)
                                                      : calibration_report(tally, bins),
                                           tally.cells()));
      },
      nb::arg("tally"), nb::arg("calibrator").none(), nb::arg("bins"),
      nb::sig("def calibration_report(tally: Tally, calibrator: Calibrator | None, bins: int) -> "
              "dict[str, typing.Any]"));
}

}  // namespace evenhand::python
