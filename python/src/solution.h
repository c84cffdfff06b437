// What the solvers' bindings share: a solution as a record, as a text, and in words.
#pragma once

#include <evenhand/fit_record.h>
#include <evenhand/solve.h>

#include <string>

#include "records.h"

namespace evenhand::python {

nanobind::dict solution_record(const Solution& fit, const Tally& tally);
// The member `fit` of the rule's file, as the tool writes it.
std::string record_text(FitRecord record, const Solution& fit, const Tally& tally,
                        const TallySource& source, const ConfidenceBound& bound);
// The sentences of fit_words.h.
nanobind::dict words_of(const Solution& fit, const Tally& tally);

// What every kind of fit says of the tally it was fitted on.
template <class Fit>
void bind_in_words(nanobind::class_<Fit>& bound, nanobind::dict (*words)(const Fit&, const Tally&),
                   nanobind::dict (*record)(const Fit&, const Tally&)) {
  namespace nb = nanobind;
  bound
      .def("words", words, nb::arg("tally"),
           nb::sig("def words(self, tally: Tally) -> dict[str, typing.Any]"))
      .def("record", record, nb::arg("tally"),
           nb::sig("def record(self, tally: Tally) -> dict[str, typing.Any]"));
}

}  // namespace evenhand::python
