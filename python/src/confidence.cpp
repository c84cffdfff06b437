// What holds for people not met yet: bounds, certificates, plans.
#include <evenhand/bootstrap.h>
#include <evenhand/certify.h>
#include <evenhand/confidence_bound.h>
#include <evenhand/fit_words.h>
#include <evenhand/plan.h>
#include <evenhand/sgd.h>
#include <evenhand/solve_json.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "arrays.h"
#include "options.h"
#include "records.h"

namespace evenhand::python {

namespace nb = nanobind;

namespace {

using Names = std::vector<std::string>;

ConfidenceBound bound_of(const Tally& tally, const Solution& fit, double confidence,
                         const std::optional<std::string>& kind) {
  BoundOptions options{.confidence = confidence};
  if (kind) options.kind = bound_kind_from(*kind);
  const nb::gil_scoped_release released;
  return confidence_bound(tally, fit, options);
}

CertifiedFit certified(const Tally& tally, const Criterion& criterion, const SolveOptions& options,
                       double confidence, bool partial) {
  const nb::gil_scoped_release released;
  return certify(tally, criterion, options, {.confidence = confidence, .partial = partial});
}

nb::dict planned(const std::vector<PlannedStratum>& strata, const PlanOptions& options) {
  const Plan found = plan(strata, options);
  nb::dict out;
  out["fitted"] = found.fitted;
  out["fresh"] = found.fresh;
  out["at_hand"] = found.at_hand;
  return out;
}

// Columns of differences, accuracies and changes, NaN for none.
nb::tuple refitted(const Tally& tally, const Solution& fit, std::size_t times, std::uint64_t seed,
                   unsigned threads) {
  const std::vector<Refit> found = [&] {
    const nb::gil_scoped_release released;
    return bootstrap(tally, fit, {.times = times, .seed = seed, .threads = threads});
  }();
  std::vector<double> differences, accuracies, changed;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (const Refit& refit : found) {
    differences.push_back(refit.difference.value_or(none));
    accuracies.push_back(refit.accuracy.value_or(none));
    changed.push_back(refit.changed.value_or(none));
  }
  return nb::make_tuple(array_of(std::move(differences)), array_of(std::move(accuracies)),
                        array_of(std::move(changed)));
}

using Pair = std::pair<double, double>;

RateCount count_of(const Pair& pair) {
  return {pair.first, pair.second};
}

}  // namespace

void bind_confidence(nb::module_& m) {
  nb::class_<ConfidenceBound>(m, "ConfidenceBound")
      .def("words", &ConfidenceBound::in_words)
      .def(
          "record",
          [](const ConfidenceBound& bound, const Names& within) {
            return to_python(nlohmann::ordered_json::parse(bound.to_json(within)));
          },
          nb::arg("within"),
          nb::sig("def record(self, within: collections.abc.Sequence[str]) -> dict[str, "
                  "typing.Any]"));
  m.def("confidence_bound", &bound_of, nb::arg("tally"), nb::arg("solution"), nb::arg("confidence"),
        nb::arg("kind").none());
  nb::class_<CertifiedFit>(m, "CertifiedFit")
      .def_ro("too_few", &CertifiedFit::too_few)
      .def_ro("solution", &CertifiedFit::solution)
      .def_ro("bound", &CertifiedFit::bound)
      .def(
          "words", [](const CertifiedFit& fit, const Tally& tally) { return in_words(fit, tally); },
          nb::arg("tally"))
      .def(
          "record",
          [](const CertifiedFit& fit, const Tally& tally) {
            return to_python(to_json(fit, tally));
          },
          nb::arg("tally"), nb::sig("def record(self, tally: Tally) -> dict[str, typing.Any]"))
      .def(
          "too_few_words",
          [](const CertifiedFit& fit, const Tally& tally) { return too_few_in_words(fit, tally); },
          nb::arg("tally"))
      .def(
          "too_few_record",
          [](const CertifiedFit& fit, const Tally& tally) {
            return to_python(too_few_json(fit, tally));
          },
          nb::arg("tally"),
          nb::sig("def too_few_record(self, tally: Tally) -> dict[str, typing.Any]"));
  m.def("certify", &certified, nb::arg("tally"), nb::arg("criterion"), nb::arg("options"),
        nb::arg("confidence"), nb::arg("partial"));

  nb::class_<PlanOptions>(m, "PlanOptions")
      .def(nb::init<>())
      .def_rw("tolerance", &PlanOptions::tolerance, nb::arg().none())
      .def_rw("ratio", &PlanOptions::ratio, nb::arg().none())
      .def_rw("confidence", &PlanOptions::confidence)
      .def_prop_rw(
          "kind", [](const PlanOptions& o) { return std::string(to_string(o.kind)); },
          [](PlanOptions& o, const std::string& name) { o.kind = bound_kind_from(name); })
      .def_rw("power", &PlanOptions::power)
      .def_rw("actual", &PlanOptions::actual, nb::arg().none());
  nb::class_<PlannedStratum>(m, "PlannedStratum");
  m.def(
      "planned_by_numbers",
      [](double rate, std::size_t groups, std::size_t strata) {
        return planned_strata(rate, groups, strata);
      },
      nb::arg("rate"), nb::arg("groups"), nb::arg("strata"));
  m.def(
      "planned_by_fit",
      [](const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
        const nb::gil_scoped_release released;
        return planned_strata(tally, criterion, options);
      },
      nb::arg("tally"), nb::arg("criterion"), nb::arg("options"));
  m.def("plan", &planned, nb::arg("strata"), nb::arg("options"),
        nb::sig("def plan(strata: collections.abc.Sequence[PlannedStratum], options: PlanOptions) "
                "-> dict[str, float]"));

  m.def("bootstrap", &refitted, nb::arg("tally"), nb::arg("solution"), nb::arg("times"),
        nb::arg("seed"), nb::arg("threads"),
        nb::sig("def bootstrap(tally: Tally, solution: Solution, times: int, seed: int, threads: "
                "int) -> tuple[numpy.typing.NDArray[numpy.float64], "
                "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"));

  m.def(
      "exact_limits",
      [](const Pair& count, double alpha) {
        const RateLimits found = exact_limits(count_of(count), alpha);
        return std::pair(found.low, found.high);
      },
      nb::arg("count"), nb::arg("alpha"));
  using Bound = double (*)(const RateCount&, const RateCount&, double);
  const auto def_fresh = [&m](const char* name, Bound fresh, Bound by_limits, const char* first,
                              const char* second) {
    m.def(
        name,
        [fresh, by_limits](const Pair& one, const Pair& two, double alpha, bool strict) {
          return (strict ? by_limits : fresh)(count_of(one), count_of(two), alpha);
        },
        nb::arg(first), nb::arg(second), nb::arg("alpha"), nb::arg("strict") = false);
  };
  def_fresh("fresh_difference_at_most", fresh_difference_at_most, strict_difference_at_most, "over",
            "under");
  def_fresh("fresh_ratio_at_least", fresh_ratio_at_least, strict_ratio_at_least, "under", "over");
  m.def(
      "same_rate_allowance",
      [](double alpha) {
        const Allowance found = same_rate_allowance(alpha);
        return std::pair(found.over, found.under);
      },
      nb::arg("alpha"));
  m.def(
      "difference_at_most",
      [](double over, double under, const Pair& sizes, const Pair& allowance) {
        return difference_at_most(over, under, {sizes.first, sizes.second},
                                  {allowance.first, allowance.second});
      },
      nb::arg("over"), nb::arg("under"), nb::arg("sizes"), nb::arg("allowance"));
  m.def(
      "ratio_at_least",
      [](double under, double over, const Pair& sizes, const Pair& allowance) {
        return ratio_at_least(under, over, {sizes.first, sizes.second},
                              {allowance.first, allowance.second});
      },
      nb::arg("under"), nb::arg("over"), nb::arg("sizes"), nb::arg("allowance"));
  m.def("rate_distance", &rate_distance, nb::arg("observed"), nb::arg("actual"));
}

}  // namespace evenhand::python
