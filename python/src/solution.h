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

}  // namespace evenhand::python
