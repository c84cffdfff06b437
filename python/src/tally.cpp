#include <evenhand/pool_rare.h>
#include <evenhand/tally.h>

#include <optional>
#include <stdexcept>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "columns.h"
#include "options.h"
#include "records.h"

namespace evenhand::python {
namespace {

// A missing number is the likelier reason where a row was refused, and says more.
template <class Make>
Tally made(const std::vector<const NumberColumn*>& columns, Make make) {
  try {
    const nb::gil_scoped_release released;
    return make();
  } catch (const std::invalid_argument&) {
    for (const NumberColumn* column : columns) {
      if (column) column->refuse_missing();
    }
    throw;
  }
}

const Numbers& or_none(const NumberColumn* column) {
  static const Numbers none;
  return column ? column->values : none;
}

Tally of_rows(const NumberColumn& score, const std::vector<const AttributeColumn*>& attributes,
              const NumberColumn* label, const NumberColumn* weight, const std::string& scale,
              const std::string& favorable, const std::string& resolution, unsigned threads) {
  const TallyOptions options{.label = or_none(label),
                             .weight = or_none(weight),
                             .scale = scale_from(scale),
                             .favorable = favorable_from(favorable),
                             .resolution = resolution_from(resolution),
                             .threads = threads};
  return made({&score, label, weight}, [&] {
    const BorrowedCells cells = borrowed_cells_of(attributes, score.values.size());
    return Tally::of(score.values, cells.names, cells.codes, options);
  });
}

Tally of_counts(const NumberColumn& score, const NumberColumn& count,
                const std::vector<const AttributeColumn*>& attributes,
                const NumberColumn* positives, const std::string& scale,
                const std::string& favorable, const std::string& resolution,
                std::optional<int> level, bool weighted) {
  CountedOptions options{.positives = or_none(positives),
                         .scale = scale_from(scale),
                         .favorable = favorable_from(favorable),
                         .resolution = resolution_from(resolution),
                         .weighted = weighted};
  if (options.resolution.cap()) options.level = level;
  return made({&score, &count, positives}, [&] {
    return Tally::counted(score.values, count.values, cells_of(attributes, score.values.size()),
                          options);
  });
}

// Score in the caller's scale, n, and n1 of the label 1.
nb::tuple entries_of(const Tally& tally, CellCode first, CellCode last) {
  std::vector<std::uint32_t> cell;
  std::vector<double> score, n, n1;
  const Reading& reading = tally.reading();
  const bool low = reading.favorable == Favorable::low;
  for (CellCode c = first; c < last; ++c) {
    for (const Entry& entry : tally.entries(c)) {
      cell.push_back(c);
      score.push_back(reading.turn(entry.score));
      n.push_back(entry.n);
      if (tally.labelled()) n1.push_back(low ? entry.n - entry.n1 : entry.n1);
    }
  }
  const bool labelled = tally.labelled();
  return nb::make_tuple(array_of(std::move(cell)), array_of(std::move(score)),
                        array_of(std::move(n)),
                        labelled ? nb::cast(array_of(std::move(n1))) : nb::none());
}

nb::bytes bytes_of(const Tally& tally) {
  const std::vector<std::byte> bytes = tally.to_bytes();
  return nb::bytes(bytes.data(), bytes.size());
}

Tally from_bytes(const nb::bytes& bytes) {
  return Tally::from_bytes(std::as_bytes(std::span(bytes.c_str(), bytes.size())));
}

}  // namespace

void bind_tally(nb::module_& m) {
  nb::class_<Tally>(m, "Tally")
      .def("merge", &Tally::merge, nb::arg("other"), nb::call_guard<nb::gil_scoped_release>())
      .def(
          "project",
          [](const Tally& tally, const std::vector<std::string>& attributes) {
            return tally.project(attributes);
          },
          nb::arg("attributes"))
      .def_prop_ro("attributes", [](const Tally& tally) { return tally.cells().attributes(); })
      .def_prop_ro("cells", [](const Tally& tally) { return value_lists(tally.cells()); })
      .def_prop_ro("scale",
                   [](const Tally& tally) { return std::string(to_string(tally.reading().scale)); })
      .def_prop_ro(
          "favorable",
          [](const Tally& tally) { return std::string(to_string(tally.reading().favorable)); })
      .def_prop_ro("resolution", [](const Tally& tally) { return to_string(tally.resolution()); })
      .def_prop_ro("level", &Tally::level)
      .def_prop_ro("labelled", &Tally::labelled)
      .def_prop_ro("unit_weights", &Tally::unit_weights)
      .def_prop_ro("total", [](const Tally& tally) { return tally.total().n; })
      .def(
          "entries",
          [](const Tally& tally, CellCode cell) {
            tally.total(cell);  // throws for a cell that is not there
            return entries_of(tally, cell, cell + 1);
          },
          nb::arg("cell"),
          nb::sig("def entries(self, cell: int) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                  "numpy.typing.NDArray[numpy.float64] | None]"))
      .def(
          "all_entries",
          [](const Tally& tally) {
            return entries_of(tally, 0, static_cast<CellCode>(tally.cells().size()));
          },
          nb::sig("def all_entries(self) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                  "numpy.typing.NDArray[numpy.float64] | None]"))
      .def(
          "pool_rare",
          [](const Tally& tally, double min_count) { return pool_rare(tally, min_count).tally; },
          nb::arg("min_count"))
      .def("to_bytes", &bytes_of)
      .def_static("from_bytes", &from_bytes, nb::arg("data"))
      .def(
          "same_as", [](const Tally& a, const Tally& b) { return a == b; }, nb::arg("other"));
  m.def("tally_of_rows", &of_rows, nb::arg("score"), nb::arg("attributes"), nb::arg("label").none(),
        nb::arg("weight").none(), nb::arg("scale"), nb::arg("favorable"), nb::arg("resolution"),
        nb::arg("threads"));
  m.def("tally_of_counts", &of_counts, nb::arg("score"), nb::arg("count"), nb::arg("attributes"),
        nb::arg("positives").none(), nb::arg("scale"), nb::arg("favorable"), nb::arg("resolution"),
        nb::arg("level").none(), nb::arg("weighted"));
}

}  // namespace evenhand::python
