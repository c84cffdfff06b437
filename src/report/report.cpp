#include <evenhand/report.h>
#include <evenhand/text.h>
#include <evenhand/version.h>

#include <fmt/format.h>

#include "report/subject.h"

namespace evenhand {

nlohmann::ordered_json report_figures(const ReportedData& data, std::span<const ReportedRule> rules,
                                      const ReportOptions& options) {
  const report::Subject subject = report::Subject::of(data, rules, options);
  report::Json out;
  out["report"] = 1;  // the version of this format
  out["evenhand"] = EVENHAND_VERSION;
  out["title"] = !options.title.empty() ? options.title
                 : subject.ruled()      ? fmt::format("{} on {}", rules.front().name, data.name)
                                        : fmt::format("Decisions in {}", data.name);
  out["answer"] = report::answer(subject);
  out["data"] = report::about_data(subject);
  out["criterion"] = report::about_criterion(subject);
  out["selection"] = report::selection(subject);
  out["fairness"] = report::fairness(subject);
  out["costs"] = report::costs(subject);
  out["frontier"] = report::frontier(subject);
  out["rules"] = report::side_by_side(subject);
  out["calibration"] = report::calibration(subject);
  out["thresholds"] = report::thresholds(subject);
  out["not_compared"] = report::not_compared(subject);
  out["ll144"] = report::local_law_144(subject);
  out["eeoc"] = report::eeoc(subject);
  out["annex_iv"] = report::annex_iv(subject);
  out["method"] = report::method(subject);
  out["provenance"] = report::provenance(subject);
  return out;
}

}  // namespace evenhand
