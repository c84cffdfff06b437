#include <evenhand/audit_json.h>
#include <evenhand/audit_report.h>
#include <evenhand/side_by_side.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
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
                     double min_group) {
  return {.costs = {cost_fp, cost_fn},
          .base_threshold = base_threshold,
          .confidence = confidence,
          .calibrator = std::move(calibrator),
          .calibration_bins = calibration_bins,
          .unseen = unseen_from(unseen),
          .decisions = decisions,
          .min_group = min_group};
}

AuditReport report(const Tally& tally, const AuditScope& about, const Rule* rule,
                   const AuditOptions& how) {
  const nb::gil_scoped_release released;
  return rule ? audit_report(tally, about, *rule, how) : audit_report(tally, about, how);
}

nb::object beside(const Tally& tally, const AuditScope& about,
                  const std::vector<const Rule*>& given, const Names& names,
                  const AuditOptions& how, std::uint64_t rows, std::uint64_t excluded) {
  std::vector<Rule> rules;
  for (const Rule* const rule : given) rules.push_back(*rule);
  const SideBySide found = [&] {
    const nb::gil_scoped_release released;
    return side_by_side(tally, about, rules, how);
  }();
  return to_python(to_json({{}, rows, excluded}, found, names));
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
        nb::arg("calibration_bins"), nb::arg("unseen"), nb::arg("decisions"), nb::arg("min_group"));
  m.def("audit", &report, nb::arg("tally"), nb::arg("scope"), nb::arg("rule").none(),
        nb::arg("options"));
  m.def("side_by_side", &beside, nb::arg("tally"), nb::arg("scope"), nb::arg("rules"),
        nb::arg("names"), nb::arg("options"), nb::arg("rows"), nb::arg("excluded"),
        nb::sig("def side_by_side(tally: Tally, scope: AuditScope, rules: "
                "collections.abc.Sequence[Rule], names: collections.abc.Sequence[str], options: "
                "AuditOptions, rows: int, excluded: int) -> dict[str, typing.Any]"));
  m.def(
      "audit_json",
      [](std::uint64_t rows, std::uint64_t excluded, const AuditReport& before,
         const AuditReport* after) {
        return to_json({{}, rows, excluded}, before, after).dump(2) + "\n";
      },
      nb::arg("rows"), nb::arg("excluded"), nb::arg("before"), nb::arg("after").none());
}

}  // namespace evenhand::python
