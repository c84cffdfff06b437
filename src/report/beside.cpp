#include "report/beside.h"

#include <evenhand/soft_report.h>
#include <evenhand/text.h>

#include <fmt/format.h>

#include "report/subject.h"

namespace evenhand::report {

Json rules_table(const std::vector<RuleRow>& rows) {
  Json out = table("Rules side by side",
                   {{"rule", "Rule", "name"},
                    {"criterion", "Fitted for", "text"},
                    {"needs_group", "Asks for the group", "text"},
                    {"selection_rate", "Selected", "share"},
                    {"accuracy", "Accuracy", "share"},
                    {"cost", "Mean cost", "number"},
                    {"largest_difference", "Largest difference", "share"},
                    {"smallest_ratio", "Smallest ratio", "ratio"},
                    {"lottery_share", "Decided by coin", "share"},
                    {"to_yes", "Selected, not by the first", "count"},
                    {"to_no", "Turned down, not by the first", "count"}},
                   "The last two columns compare with the first rule, person by person, the same "
                   "coin for the same person.");
  for (const RuleRow& one : rows) {
    Json row = {{"rule", one.name},
                {"criterion", one.criterion},
                {"needs_group", one.needs_group ? "yes" : "no"}};
    row.update(one.figures);
    row["largest_difference"] = one.held["largest_difference"];
    row["smallest_ratio"] = one.held["smallest_ratio"];
    row["to_yes"] = or_null(one.to_yes);
    row["to_no"] = or_null(one.to_no);
    out["rows"].push_back(std::move(row));
  }
  return out;
}

std::string fitted_for(const FitRecord& fit) {
  if (!fit.criterion) return "not recorded";
  if (fit.criterion->soft.empty()) return in_words(fit.criterion->criterion());
  return for_those_who_belong(*fit.criterion, fit.criterion->soft);
}

std::string for_those_who_belong(const RecordedCriterion& criterion,
                                 const std::vector<std::string>& columns) {
  std::string out =
      compared_by({.criterion = criterion}) + " for those who belong, by " + listed(columns);
  if (criterion.tolerance && *criterion.tolerance > 0) {
    out += fmt::format(", tolerance {}", rounded(*criterion.tolerance, 6));
  }
  if (criterion.ratio) out += fmt::format(", ratio {}", rounded(*criterion.ratio, 6));
  return out;
}

}  // namespace evenhand::report
