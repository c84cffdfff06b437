// How far the criterion holds, what it costs, and other rules beside it.
#include <evenhand/audit_json.h>
#include <evenhand/text.h>

#include <fmt/format.h>

#include "report/beside.h"
#include "report/subject.h"

namespace evenhand::report {
namespace {

Json held(const AuditReport& report) {
  Json out;
  out["largest_difference"] =
      report.largest_difference ? Json(report.largest_difference->difference()) : Json(nullptr);
  out["smallest_ratio"] =
      report.smallest_ratio ? Json(report.smallest_ratio->ratio()) : Json(nullptr);
  out["headline"] = headline(report);
  return out;
}

// Whether these people are as close as the criterion asks; null where it asks for nothing that one
// number could show.
Json holds(const Subject& subject) {
  const Criterion& criterion = subject.criterion;
  const AuditReport& report = subject.last();
  constexpr double rounding = 1e-9;
  if (!subject.asked || criterion.rates.empty() || !report.largest_difference) return nullptr;
  if (criterion.relation == Relation::ratio) {
    return report.smallest_ratio->ratio() >= criterion.ratio - rounding;
  }
  const double most =
      criterion.relation == Relation::target ? 2 * criterion.tolerance : criterion.tolerance;
  return report.largest_difference->difference() <= most + rounding;
}

Json strata_table(const Subject& subject) {
  std::vector<Column> columns = {{"stratum", "Within", "name"}, {"rate", "Rate", "text"}};
  const auto sides = subject.sides();
  for (const char* figure : {"difference", "ratio"}) {
    for (const auto& [side, report] : sides) {
      const std::string name = side.empty() ? figure : fmt::format("{}_{}", figure, side);
      const std::string title =
          figure == std::string("ratio") ? "Smallest ratio" : "Largest difference";
      columns.push_back({name, side.empty() ? title : title + ", " + side,
                         figure == std::string("ratio") ? "ratio" : "share"});
    }
  }
  Json out = table("Between groups", columns);
  for (std::size_t v = 0; v < subject.last().views.size(); ++v) {
    const AuditView& view = subject.last().views[v];
    for (std::size_t k = 0; k < view.audit.strata.size(); ++k) {
      for (const Rate rate : subject.last().scope.rates) {
        Json row;
        const GroupName stratum{view.roles.within, view.audit.strata[k].values};
        row["stratum"] = subject.last().views.size() > 1
                             ? fmt::format("{}: {}", listed(view.roles.sensitive), stratum.text())
                             : stratum.text();
        row["rate"] = rate_of(rate).words;
        for (const bool ratio : {false, true}) {
          for (const auto& [side, report] : sides) {
            const auto& spread = report->views[v].audit.strata[k].*rate_of(rate).spread;
            const std::string figure = ratio ? "ratio" : "difference";
            row[side.empty() ? figure : figure + "_" + side] =
                spread ? Json(ratio ? spread->ratio : spread->difference) : Json(nullptr);
          }
        }
        out["rows"].push_back(std::move(row));
      }
    }
  }
  return out;
}

Json requirement_table(const Subject& subject) {
  if (subject.last().requirements.empty()) return nullptr;
  Json out = table("Requirements", {{"requirement", "Requirement", "text"},
                                    {"value", "Value", "number"},
                                    {"holds", "Holds", "text"}});
  for (const CheckedRequirement& one : subject.last().requirements) {
    const std::string verdict = one.holds() ? "yes"
                                : one.value ? "no, missed by " + rounded(one.missed_by(), 3)
                                            : one.why_not;
    out["rows"].push_back(
        {{"requirement", one.text}, {"value", or_null(one.value)}, {"holds", verdict}});
  }
  return out;
}

Json figures_of(const AuditReport& report) {
  const Figures& figures = report.audit().overall.figures;
  return {{"selection_rate", or_null(figures.selection_rate)},
          {"accuracy", or_null(figures.accuracy)},
          {"cost", or_null(figures.cost)},
          {"lottery_share", report.audit().lottery_share}};
}

}  // namespace

Json fairness(const Subject& subject) {
  Json out;
  for (const auto& [side, report] : subject.sides())
    out[side.empty() ? "now" : side] = held(*report);
  out["holds"] = holds(subject);
  out["fitted_on_these_people"] = subject.same_rows;
  out["bound"] = Json::parse(subject.bound.to_json(subject.roles().within));
  out["bound_words"] = subject.bound.in_words();
  out["strata"] = strata_table(subject);
  out["requirements"] = requirement_table(subject);
  return out;
}

Json costs(const Subject& subject) {
  Json out;
  out["expected"] = subject.last().audit().expected;
  out["cost_fp"] = subject.auditing.costs.false_positive;
  out["cost_fn"] = subject.auditing.costs.false_negative;
  for (const auto& [side, report] : subject.sides()) {
    out[side.empty() ? "now" : side] = figures_of(*report);
  }
  if (!subject.ruled()) return out;
  const Change all = subject.changed();
  out["changed"] = {
      {"people", all.to_yes + all.to_no}, {"to_yes", all.to_yes}, {"to_no", all.to_no}};
  Json& cells = out["changes"] =
      table("Who is decided differently", {{"cell", "Group", "name"},
                                           {"people", "People", "count"},
                                           {"to_yes", "Selected instead of turned down", "count"},
                                           {"to_no", "Turned down instead of selected", "count"}});
  const CellNames& names = subject.tally().cells();
  for (const Change& change : subject.changes) {
    cells["rows"].push_back({{"cell", names.name(change.cell)},
                             {"people", change.weight},
                             {"to_yes", change.to_yes},
                             {"to_no", change.to_no}});
  }
  return out;
}

Json side_by_side(const Subject& subject) {
  if (subject.rules.size() < 2) return nullptr;
  std::vector<RuleRow> rows = {
      {"the score alone", "nothing", false, figures_of(subject.before), held(subject.before)}};
  for (std::size_t i = 0; i < subject.rules.size(); ++i) {
    const RuleBeside& beside = subject.beside[i];
    const Change changed = beside.changed();
    rows.push_back({subject.rules[i].name, fitted_for(subject.rules[i].fit), beside.needs_group,
                    figures_of(beside.report), held(beside.report), changed.to_yes, changed.to_no});
  }
  return rules_table(rows);
}

}  // namespace evenhand::report
