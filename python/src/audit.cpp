#include <evenhand/audit_confidence.h>
#include <evenhand/audit_json.h>
#include <evenhand/audit_limits.h>
#include <evenhand/audit_report.h>
#include <evenhand/fit_record.h>
#include <evenhand/side_by_side.h>
#include <evenhand/tally_file.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "options.h"
#include "records.h"

namespace evenhand::python {

namespace nb = nanobind;

namespace {

using Names = std::vector<std::string>;

Rate rate_from(const std::string& name) {
  for (const RateOf& one : all_rates()) {
    if (one.name == name) return one.rate;
  }
  throw std::invalid_argument("there is no rate " + name);
}

AuditScope scope(Names sensitive, Names within, const std::string& across, const Names& rates,
                 bool is_ratio, bool all_cells, Names reference, Names require) {
  AuditScope out{.roles = {std::move(sensitive), std::move(within), across_from(across)},
                 .rates = {},
                 .relation = is_ratio ? Relation::ratio : Relation::difference,
                 .all_cells = all_cells,
                 .reference = std::move(reference),
                 .require = std::move(require)};
  for (const std::string& name : rates) out.rates.push_back(rate_from(name));
  return out;
}

AuditOptions options(double cost_fp, double cost_fn, std::optional<double> base_threshold,
                     double confidence, std::optional<Calibrator> calibrator,
                     std::size_t calibration_bins, const std::string& unseen, bool decisions,
                     double min_group, const Tally* squares) {
  std::vector<SquaredWeights> squared;
  for (CellCode c = 0; squares && c < squares->cells().size(); ++c) {
    squared.push_back({squares->total(c).n, squares->total(c).n1});
  }
  return {.costs = {cost_fp, cost_fn},
          .base_threshold = base_threshold,
          .confidence = confidence,
          .calibrator = std::move(calibrator),
          .calibration_bins = calibration_bins,
          .unseen = unseen_from(unseen),
          .decisions = decisions,
          .min_group = min_group,
          .squared_weights = std::move(squared)};
}

AuditReport report(const Tally& tally, const AuditScope& about, const Rule* rule,
                   const AuditOptions& how) {
  const nb::gil_scoped_release released;
  return rule ? audit_report(tally, about, *rule, how) : audit_report(tally, about, how);
}

// What was fitted on these rows, or is said to be; none: they are fresh to the rule.
std::optional<FitRecord> fitted_by(const Tally& tally, const TallySource& source,
                                   const std::string& record, bool same_rows) {
  if (record.empty() && !same_rows) return std::nullopt;
  FitRecord fit = record.empty() ? FitRecord() : FitRecord::from_json(record);
  if (!same_rows && !fit.fitted_on({tally, source})) return std::nullopt;
  return fit;
}

// `record`: of the rule's fit; empty without one.
AuditConfidence confidence(const AuditReport& about, const Tally& tally, const TallySource& source,
                           const std::string& record, bool same_rows, double sure) {
  const nb::gil_scoped_release released;
  return confidence_of(
      about, {.confidence = sure, .fitted_by = fitted_by(tally, source, record, same_rows)});
}

std::string text_of(std::uint64_t rows, std::uint64_t excluded, const AuditReport& before,
                    const AuditReport* after, const AuditConfidence& sure,
                    const AuditTests* tests) {
  nlohmann::ordered_json out = to_json({{}, rows, excluded}, before, after);
  out["bound"] = to_json(sure, before.scope);
  if (tests) out["tests"] = to_json(*tests);
  return out.dump(2) + "\n";
}

// A bound: its value, the other side, why there is none, and the confidence.
using BoundOf = std::tuple<std::optional<double>, std::optional<double>, std::string, double>;

ConfidenceBound bound_from(const BoundOf& of, bool is_ratio) {
  ConfidenceBound out;
  std::tie(out.value, out.shown, out.reason, out.confidence) = of;
  out.is_ratio = is_ratio;
  return out;
}

Names failures(const std::map<std::string, double>& given, std::optional<double> difference,
               std::optional<double> ratio, const std::optional<BoundOf>& difference_bound,
               const std::optional<BoundOf>& ratio_bound) {
  const auto limit = [&](const char* name) -> std::optional<double> {
    const auto found = given.find(name);
    if (found == given.end()) return std::nullopt;
    return found->second;
  };
  const AuditLimits limits{.fail_above = limit("fail_above"),
                           .fail_below = limit("fail_below"),
                           .if_shown_above = limit("fail_if_shown_above"),
                           .unless_shown_below = limit("fail_unless_shown_below"),
                           .if_shown_ratio_below = limit("fail_if_shown_ratio_below"),
                           .unless_shown_ratio_above = limit("fail_unless_shown_ratio_above")};
  const auto bound_of = [](const std::optional<BoundOf>& of, bool is_ratio) {
    return of ? std::optional(bound_from(*of, is_ratio)) : std::nullopt;
  };
  const auto differs = bound_of(difference_bound, false);
  const auto relates = bound_of(ratio_bound, true);
  return exceeded(limits, {.difference = difference,
                           .ratio = ratio,
                           .difference_bound = differs ? &*differs : nullptr,
                           .ratio_bound = relates ? &*relates : nullptr});
}

nb::object beside(const Tally& tally, const AuditScope& about,
                  const std::vector<const Rule*>& given, const Names& names,
                  const AuditOptions& how, const TallySource& source, const Names& records,
                  std::uint64_t rows, std::uint64_t excluded) {
  std::vector<Rule> rules;
  for (const Rule* const rule : given) rules.push_back(*rule);
  const SideBySide found = [&] {
    const nb::gil_scoped_release released;
    return side_by_side(tally, about, rules, how);
  }();
  nlohmann::ordered_json out = to_json({{}, rows, excluded}, found, names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    out["rules"][i]["bound"] = to_json(
        confidence(found.rules[i].report, tally, source, records[i], false, how.confidence), about);
  }
  return to_python(out);
}

}  // namespace

void bind_audit(nb::module_& m) {
  nb::class_<AuditScope>(m, "AuditScope");
  nb::class_<AuditOptions>(m, "AuditOptions");
  nb::class_<AuditReport>(m, "AuditReport")
      .def(
          "record", [](const AuditReport& found) { return to_python(to_json(found)); },
          nb::sig("def record(self) -> dict[str, typing.Any]"));
  m.def("audit_scope", &scope, nb::kw_only(), nb::arg("sensitive"), nb::arg("within"),
        nb::arg("across"), nb::arg("rates"), nb::arg("is_ratio"), nb::arg("all_cells"),
        nb::arg("reference"), nb::arg("require"));
  m.def("audit_options", &options, nb::kw_only(), nb::arg("cost_fp"), nb::arg("cost_fn"),
        nb::arg("base_threshold").none(), nb::arg("confidence"), nb::arg("calibrator").none(),
        nb::arg("calibration_bins"), nb::arg("unseen"), nb::arg("decisions"), nb::arg("min_group"),
        nb::arg("squares").none());
  m.def("audit", &report, nb::arg("tally"), nb::arg("scope"), nb::arg("rule").none(),
        nb::arg("options"));
  m.def("side_by_side", &beside, nb::arg("tally"), nb::arg("scope"), nb::arg("rules"),
        nb::arg("names"), nb::arg("options"), nb::arg("source"), nb::arg("records"),
        nb::arg("rows"), nb::arg("excluded"),
        nb::sig("def side_by_side(tally: Tally, scope: AuditScope, rules: "
                "collections.abc.Sequence[Rule], names: collections.abc.Sequence[str], options: "
                "AuditOptions, source: TallySource, records: collections.abc.Sequence[str], rows: "
                "int, excluded: int) -> dict[str, typing.Any]"));
  nb::class_<AuditConfidence>(m, "AuditConfidence")
      .def_ro("fitted", &AuditConfidence::fitted)
      .def_ro("difference", &AuditConfidence::difference)
      .def_ro("ratio", &AuditConfidence::ratio);
  nb::class_<AuditTests>(m, "AuditTests")
      .def(
          "record", [](const AuditTests& tests) { return to_python(to_json(tests)); },
          nb::sig("def record(self) -> dict[str, typing.Any]"));
  m.def("audit_confidence", &confidence, nb::arg("report"), nb::arg("tally"), nb::arg("source"),
        nb::arg("record"), nb::arg("same_rows"), nb::arg("confidence"));
  m.def(
      "audit_tests",
      [](const AuditReport& about, double sure) {
        const nb::gil_scoped_release released;
        return tests_of(about, sure);
      },
      nb::arg("report"), nb::arg("confidence"));
  m.def("audit_failures", &failures, nb::arg("limits"), nb::arg("difference").none(),
        nb::arg("ratio").none(), nb::arg("difference_bound").none(), nb::arg("ratio_bound").none());
  m.def("audit_json", &text_of, nb::arg("rows"), nb::arg("excluded"), nb::arg("before"),
        nb::arg("after").none(), nb::arg("confidence"), nb::arg("tests").none());
}

}  // namespace evenhand::python
