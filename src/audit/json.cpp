#include <evenhand/audit_json.h>

#include <nlohmann/json.hpp>

#include "audit/name_json.h"
#include "record/figures_json.h"
#include "support/or_null.h"

namespace evenhand {
namespace {

using Json = nlohmann::ordered_json;

Json comparison_json(const Comparison& comparison) {
  Json out = to_json(comparison.figures);
  for (const RateOf& rate : all_rates()) {
    const auto& spread = comparison.*rate.spread;
    Json& at = out[std::string(rate.name) + "_between_groups"];
    if (spread) at = {{"difference", spread->difference}, {"ratio", spread->ratio}};
  }
  out["bias"] = comparison.bias;
  return out;
}

Json groups_json(const Comparison& comparison, const std::vector<std::string>& sensitive) {
  Json out = Json::array();
  for (const AuditedGroup& group : comparison.groups) {
    Json at = to_json(group.figures);
    at["covariance"] = group.covariance;
    if (!group.compared) at["compared"] = false;
    at["group"] = values_json(sensitive, group.values);
    out.push_back(std::move(at));
  }
  return out;
}

Json gap_json(const std::optional<Gap>& gap) {
  if (!gap) return nullptr;
  Json out;
  out["rate"] = rate_of(gap->rate).name;
  out["stratum"] = name_json(gap->stratum);
  out["low"] = {{"group", name_json(gap->low)}, {"value", gap->low_rate}};
  out["high"] = {{"group", name_json(gap->high)}, {"value", gap->high_rate}};
  return out;
}

Json references_json(const AuditView& view) {
  Json out = Json::array();
  for (const AgainstReference& one : view.against_reference) {
    out.push_back({{"cell", one.group.in(one.stratum).text()},
                   {"rate", rate_of(one.rate).name},
                   {"value", one.value},
                   {"reference", one.reference},
                   {"difference", one.difference()},
                   {"ratio", or_null(one.ratio())}});
  }
  return out;
}

std::string_view sign(Sense sense) {
  return sense == Sense::at_most ? "<=" : sense == Sense::equal ? "=" : ">=";
}

Json requirement_json(const CheckedRequirement& checked) {
  Json out = {{"text", checked.text},
              {"sense", sign(checked.sense)},
              {"bound", checked.bound},
              {"value", or_null(checked.value)},
              {"holds", checked.holds()}};
  if (!checked.why_not.empty()) out["why_not"] = checked.why_not;
  return out;
}

// What the whole report found, whatever the view.
Json findings_json(const AuditReport& report) {
  const CellNames& cells = report.cells;
  const AuditScope& scope = report.scope;
  const std::optional<Gap>& difference = report.largest_difference;
  const std::optional<Gap>& ratio = report.smallest_ratio;
  const std::vector<CheckedRequirement>& requirements = report.requirements;
  Json out;
  out["largest_difference"] = difference ? Json(difference->difference()) : Json(nullptr);
  out["smallest_ratio"] = ratio ? Json(ratio->ratio()) : Json(nullptr);
  out["headline"] = headline(report);
  for (const Rate rate : scope.rates) out["compared"].push_back(rate_of(rate).name);
  out["largest_difference_between"] = gap_json(difference);
  out["smallest_ratio_between"] = gap_json(ratio);
  if (!requirements.empty()) {
    for (const CheckedRequirement& checked : requirements) {
      out["requirements"].push_back(requirement_json(checked));
    }
  }
  if (!report.audit().unseen.empty()) {
    for (const CellCode c : report.audit().unseen) {
      out["unseen"].push_back({{"cell", values_json(cells.attributes(), cells.values(c))},
                               {"weight", report.audit().cells[c].figures.weight}});
    }
  }
  return out;
}

Json figures_json(const CalibrationFigures& figures) {
  Json out;
  out["weight"] = figures.weight;
  out["ece"] = or_null(figures.ece);
  out["brier"] = or_null(figures.brier);
  out["log_loss"] = or_null(figures.log_loss);
  Json& bins = out["bins"] = Json::array();
  for (const ReliabilityBin& bin : figures.bins) {
    bins.push_back({{"from", bin.from},
                    {"to", bin.to},
                    {"weight", bin.weight},
                    {"mean_p", bin.mean_p},
                    {"observed", bin.observed}});
  }
  return out;
}

Json source_json(const AuditSource& source) {
  Json out;
  if (!source.data.empty()) out["data"] = source.data;
  out["rows"] = source.rows;
  if (source.excluded > 0) out["excluded"] = source.excluded;
  return out;
}

template <class Any>  // Change or SoftChange
Json change_json(const Any& change) {
  return {{"weight", change.weight}, {"to_yes", change.to_yes}, {"to_no", change.to_no}};
}

}  // namespace

Json values_json(const std::vector<std::string>& attributes, std::span<const std::string> values) {
  Json out = Json::object();
  for (std::size_t i = 0; i < attributes.size(); ++i) out[attributes[i]] = values[i];
  return out;
}

Json to_json(const Figures& figures) {
  return record::figures_json(figures);
}

Json to_json(const Audit& audit, const CellNames& names, const Roles& roles) {
  Json out;
  out["expected"] = audit.expected;
  out["lottery_share"] = audit.lottery_share;
  out["overall"] = comparison_json(audit.overall);
  out["groups"] = groups_json(audit.overall, roles.sensitive);
  Json& strata = out["strata"] = Json::array();
  for (const Comparison& stratum : audit.strata) {
    Json at = comparison_json(stratum);
    at["stratum"] = values_json(roles.within, stratum.values);
    at["groups"] = groups_json(stratum, roles.sensitive);
    strata.push_back(std::move(at));
  }
  Json& cells = out["cells"] = Json::array();
  for (const AuditedCell& cell : audit.cells) {
    Json at = to_json(cell.figures);
    at["covariance"] = cell.covariance;
    at["cell"] = values_json(names.attributes(), names.values(cell.cell));
    cells.push_back(std::move(at));
  }
  if (audit.calibration) out["calibration"] = to_json(*audit.calibration, names);
  return out;
}

Json to_json(const CalibrationReport& report, const CellNames& names) {
  Json out;
  out["overall"] = figures_json(report.overall);
  Json& cells = out["cells"] = Json::array();
  for (CellCode c = 0; c < report.cells.size(); ++c) {
    Json cell = figures_json(report.cells[c]);
    cell["cell"] = values_json(names.attributes(), names.values(c));
    cells.push_back(std::move(cell));
  }
  return out;
}

Json to_json(const SoftAudit& audit, const std::vector<std::string>& within) {
  Json out;
  out["expected"] = audit.expected;
  out["weight"] = audit.weight;
  out["selection_rate"] = audit.selection_rate;
  out["accuracy"] = or_null(audit.accuracy);
  out["cost"] = or_null(audit.cost);
  out["largest_difference"] = or_null(audit.largest_difference());
  out["smallest_ratio"] = or_null(audit.smallest_ratio());
  Json& strata = out["strata"] = Json::array();
  for (const SoftAuditedStratum& stratum : audit.strata) {
    Json columns = Json::array();
    for (const SoftPair& pair : stratum.columns) {
      Json at = {{"column", pair.column},
                 {"mean", pair.mean},
                 {"rate", or_null(pair.rate)},
                 {"others", or_null(pair.others)}};
      if (pair.of != Rate::selection) at["of"] = rate_of(pair.of).name;
      columns.push_back(std::move(at));
    }
    strata.push_back({{"stratum", values_json(within, stratum.values)},
                      {"weight", stratum.weight},
                      {"selection_rate", or_null(stratum.selection_rate)},
                      {"columns", std::move(columns)}});
  }
  return out;
}

Json to_json(const SoftBeside& beside, const std::vector<std::string>& within) {
  Json out;
  out["lottery_share"] = beside.lottery_share;
  out["changed"] = change_json(beside.changes.back());
  out["changes"] = Json::array();
  for (const SoftChange& change : beside.changes) {
    if (change.column.empty()) continue;
    Json one = change_json(change);
    one["column"] = change.column;
    out["changes"].push_back(std::move(one));
  }
  out.update(to_json(beside.audit, within));
  return out;
}

Json to_json(const AuditReport& report) {
  Json out = findings_json(report);
  Json& views = out["views"] = Json::array();
  for (const AuditView& view : report.views) {
    Json at;
    at["sensitive"] = view.roles.sensitive;
    at["within"] = view.roles.within;
    at.update(to_json(view.audit, report.cells, view.roles));
    if (!report.scope.reference.empty()) at["against_reference"] = references_json(view);
    views.push_back(std::move(at));
  }
  return out;
}

Json to_json(const AuditSource& source, const SideBySide& beside,
             const std::vector<std::string>& names) {
  Json out = source_json(source);
  out["before"] = to_json(beside.base);
  const CellNames& cells = beside.base.cells;
  for (std::size_t i = 0; i < beside.rules.size(); ++i) {
    const RuleBeside& rule = beside.rules[i];
    Json at;
    at["name"] = names[i];
    at["needs_group"] = rule.needs_group;
    at["changed"] = change_json(rule.changed());
    for (const Change& change : rule.changes) {
      Json cell = change_json(change);
      cell["cell"] = values_json(cells.attributes(), cells.values(change.cell));
      at["changes"].push_back(std::move(cell));
    }
    at.update(to_json(rule.report));
    out["rules"].push_back(std::move(at));
  }
  return out;
}

Json to_json(const AuditSource& source, const AuditReport& before, const AuditReport* after) {
  const AuditReport& last = after ? *after : before;
  Json out = source_json(source);
  out.update(findings_json(last));
  for (std::size_t i = 0; i < last.views.size(); ++i) {
    Json view;
    view["sensitive"] = last.views[i].roles.sensitive;
    view["within"] = last.views[i].roles.within;
    view["before"] = to_json(before.views[i].audit, before.cells, before.views[i].roles);
    if (after) view["after"] = to_json(after->views[i].audit, after->cells, after->views[i].roles);
    if (!last.scope.reference.empty()) view["against_reference"] = references_json(last.views[i]);
    if (last.views.size() == 1) {
      out.update(view);
    } else {
      out["views"].push_back(std::move(view));
    }
  }
  return out;
}

}  // namespace evenhand
