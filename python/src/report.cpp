#include <evenhand/report.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "options.h"

namespace evenhand::python {

namespace nb = nanobind;

namespace {

using Json = nlohmann::ordered_json;

// Rules by name, as the text of their files.
std::string figures(const Tally& tally, const TallySource& source, const std::string& name,
                    const std::vector<std::pair<std::string, std::string>>& rules,
                    std::optional<Criterion> criterion, const AuditOptions& auditing,
                    std::vector<std::string> categories, double smallest_category,
                    std::size_t tolerances, std::size_t bins, const std::string& title,
                    const std::string& date, unsigned threads) {
  const nb::gil_scoped_release released;
  std::vector<ReportedRule> reported;
  for (const auto& [called, text] : rules) {
    RecordedRule read = RecordedRule::from_json(text);
    reported.push_back({called, std::get<Rule>(read.rule), std::move(read.fit)});
  }
  const ReportOptions options{.criterion = std::move(criterion),
                              .auditing = auditing,
                              .categories = std::move(categories),
                              .smallest_category = smallest_category,
                              .tolerances = tolerances,
                              .bins = bins,
                              .title = title,
                              .date = date,
                              .threads = threads};
  return report_figures({name, {tally, source}}, reported, options)
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace

void bind_report(nb::module_& m) {
  m.def("report_figures", &figures, nb::kw_only(), nb::arg("tally"), nb::arg("source"),
        nb::arg("name"), nb::arg("rules"), nb::arg("criterion").none(), nb::arg("auditing"),
        nb::arg("categories"), nb::arg("smallest_category"), nb::arg("tolerances"), nb::arg("bins"),
        nb::arg("title"), nb::arg("date"), nb::arg("threads"));
  m.def(
      "report_page", [](const std::string& json) { return report_page(Json::parse(json)); },
      nb::arg("json"));
  m.def(
      "report_markdown", [](const std::string& json) { return report_markdown(Json::parse(json)); },
      nb::arg("json"));
}

}  // namespace evenhand::python
