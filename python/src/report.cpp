#include <evenhand/report.h>
#include <evenhand/soft_report.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "options.h"
#include "soft_rows.h"

namespace evenhand::python {

namespace {

using Json = nlohmann::ordered_json;

std::string printed(const Json& figures) {
  return figures.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

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
  return printed(report_figures({name, {tally, source}}, reported, options));
}

// Where groups are known by probabilities only; `q` has what each rule does to the rows.
std::string soft_figures(const NumberColumn& score, const NumberColumns& columns,
                         const AttributeColumns& within, const SoftRoles& roles,
                         const NumberColumn* weight, const NumberColumn* label,
                         const std::vector<std::pair<std::string, std::string>>& rules,
                         const NumberColumns& q, const std::optional<std::string>& criterion,
                         const std::string& scale, const std::string& favorable, double cost_fp,
                         double cost_fn, const TallySource& source, const std::string& name,
                         const std::string& title, const std::string& date) {
  std::vector<double> weights, labels;
  for (const NumberColumn* column : {weight, label}) {
    if (column) column->refuse_missing();
  }
  std::vector<SoftReportedRule> reported;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    RecordedRule read = RecordedRule::from_json(rules[i].second);
    std::vector<double> room;
    const auto decided = q[i]->doubles(room);
    reported.push_back({rules[i].first, std::move(read.rule), std::move(read.fit),
                        std::vector<double>(decided.begin(), decided.end())});
  }
  return with_rows(
      score, columns, within,
      [&](const SoftRows& rows) {
        SoftReported about{.data = name, .rows = rows, .rules = reported};
        about.auditing = {.scale = scale_from(scale),
                          .favorable = favorable_from(favorable),
                          .costs = {cost_fp, cost_fn}};
        if (weight) about.auditing.weight = weight->doubles(weights);
        if (label) about.auditing.label = label->doubles(labels);
        if (criterion) about.criterion = RecordedCriterion{.name = *criterion};
        about.score = source.score;
        about.label = source.label;
        about.weight = source.weight;
        for (const AttributeColumn* attribute : within) about.within.push_back(attribute->name);
        about.excluded = source.excluded;
        about.title = title;
        about.date = date;
        return printed(soft_report_figures(about));
      },
      &roles);
}

}  // namespace

void bind_report(nb::module_& m) {
  m.def("report_figures", &figures, nb::kw_only(), nb::arg("tally"), nb::arg("source"),
        nb::arg("name"), nb::arg("rules"), nb::arg("criterion").none(), nb::arg("auditing"),
        nb::arg("categories"), nb::arg("smallest_category"), nb::arg("tolerances"), nb::arg("bins"),
        nb::arg("title"), nb::arg("date"), nb::arg("threads"));
  m.def("soft_report_figures", &soft_figures, nb::kw_only(), nb::arg("score"), nb::arg("columns"),
        nb::arg("within"), nb::arg("roles"), nb::arg("weight").none(), nb::arg("label").none(),
        nb::arg("rules"), nb::arg("q"), nb::arg("criterion").none(), nb::arg("scale"),
        nb::arg("favorable"), nb::arg("cost_fp"), nb::arg("cost_fn"), nb::arg("source"),
        nb::arg("name"), nb::arg("title"), nb::arg("date"));
  m.def(
      "report_page", [](const std::string& json) { return report_page(Json::parse(json)); },
      nb::arg("json"));
  m.def(
      "report_markdown", [](const std::string& json) { return report_markdown(Json::parse(json)); },
      nb::arg("json"));
}

}  // namespace evenhand::python
