#include "commands/soft_audit.h"

#include <evenhand/soft_audit.h>
#include <evenhand/soft_check.h>
#include <evenhand/soft_report.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "data/soft_rows.h"
#include "error.h"
#include "output/output.h"
#include "output/soft_figures.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

std::string title_of(const SoftAuditRequest& request, const SoftTable& data) {
  const std::string what = request.rules.size() > 1
                               ? fmt::format("{} rules side by side", request.rules.size())
                           : !request.rules.empty()   ? "before and after a rule"
                           : request.decision.empty() ? "decisions by the score alone"
                                                      : "decisions in " + shown(request.decision);
  return strong(fmt::format("audit of {}: {}, those who belong by {}", data.name(), what,
                            shown(data.soft())));
}

// Those of --criterion, or of the criterion that the first rule was fitted for.
std::vector<Rate> rates_of(const SoftAuditRequest& request) {
  std::string name = request.criterion;
  if (name.empty())
    name = compared_by(request.rules.empty() ? FitRecord() : request.rules.front().fit);
  const CriterionName& found = find_criterion(name);
  return {found.rates.begin(), found.rates.end()};
}

Json json_of(const SoftTable& data, const SoftAudit& before, const SoftAudit* after) {
  const SoftAudit& last = after ? *after : before;
  Json out;
  out["data"] = data.name();
  out["rows"] = data.size();
  if (data.excluded() > 0) out["excluded"] = data.excluded();
  out["largest_difference"] = optional_json(last.largest_difference());
  out["smallest_ratio"] = optional_json(last.smallest_ratio());
  out["soft"] = data.soft();
  out["within"] = data.columns().within;
  out["before"] = to_json(before, data.columns().within);
  if (after) out["after"] = to_json(*after, data.columns().within);
  return out;
}

Json json_of(const SoftTable& data, const SoftAudit& before, const std::vector<SoftBeside>& beside,
             const std::vector<RuleFile>& rules) {
  const std::vector<std::string>& within = data.columns().within;
  Json out = json_of(data, before, nullptr);
  for (const char* of_one : {"largest_difference", "smallest_ratio"}) out.erase(of_one);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    Json at;
    at["name"] = rules[i].path;
    at["needs_group"] = asks_for_group(rules[i].rule, rules[i].fit, within);
    at.update(to_json(beside[i], within));
    out["rules"].push_back(std::move(at));
  }
  return out;
}

int compare_by_columns(const SoftAuditRequest& request, const SoftTable& data,
                       const SoftAuditOptions& options, const std::vector<const RuleFile*>& files) {
  const std::vector<RuleFile>& rules = request.rules;
  const SoftAudit before = audit_soft(data.rows(), options);
  const std::vector<double> first = data.decided_by(files, 0);
  std::vector<SoftBeside> beside;
  for (std::size_t i = 0; i < files.size(); ++i) {
    beside.push_back(audit_soft_beside(data.rows(), first, data.decided_by(files, i), options));
  }
  if (request.json) {
    print(json_of(data, before, beside, rules).dump(2) + "\n");
  } else {
    std::vector<std::string> names;
    std::vector<bool> needs;
    for (const RuleFile& file : rules) {
      names.push_back(file.path);
      needs.push_back(asks_for_group(file.rule, file.fit, data.columns().within));
    }
    std::string text = title_of(request, data) + "\n\n" +
                       side_by_side_tables({data.columns().within, before, beside, names, needs}) +
                       fmt::format("  {}\n", soft_assumption(before.rates, data.any().empty()));
    if (data.excluded() > 0) {
      text += fmt::format("\n{} left out for a missing value\n", counted(data.excluded(), "row"));
    }
    print(text);
  }
  int status = exit_done;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string by = "by " + shown(rules[i].path) + ", ";
    status = std::max(status, judge(request.limits, data.name(), beside[i].audit, by));
  }
  return status;
}

}  // namespace

int run_soft_audit(const SoftAuditRequest& request) {
  check(request.limits);
  const std::vector<RuleFile>& rules = request.rules;
  const auto soft =
      std::find_if(rules.begin(), rules.end(), [](const RuleFile& r) { return r.soft(); });
  const SoftRule* rule = soft != rules.end() ? &std::get<SoftRule>(soft->rule) : nullptr;
  const bool decisions = !request.decision.empty();
  SoftWanted wanted{
      .columns = request.soft, .decisions = decisions, .if_there = request.if_there, .rule = rule};
  if (rule) wanted.recorded = soft->columns();
  for (std::size_t i = 0; rules.size() > 1 && i < rules.size(); ++i) {
    wanted.rules.push_back(&rules[i]);
  }
  const SoftTable data = SoftTable::read(request.data, request.rows, wanted);
  const Reading reading = request.rows.reading();
  const SoftAuditOptions options{.weight = data.weight(),
                                 .label = data.label(),
                                 .scale = decisions ? Scale::probability : reading.scale,
                                 .favorable = reading.favorable,
                                 .costs = request.costs,
                                 .decisions = decisions,
                                 .rates = rates_of(request)};
  if (rules.size() > 1) return compare_by_columns(request, data, options, wanted.rules);
  const SoftAudit before = audit_soft(data.rows(), options);
  std::optional<SoftAudit> after;
  if (rule) after = audit_soft(data.rows(), data.decided_by(*rule), options);
  const SoftAudit* last = after ? &*after : nullptr;
  if (request.json) {
    print(json_of(data, before, last).dump(2) + "\n");
  } else {
    std::string text = title_of(request, data) + "\n\n";
    if (before.accuracy) text += summary_table(before, last, request.costs, std::nullopt) + "\n";
    text += pair_table(data.columns().within, before, last, data.any().empty());
    if (data.excluded() > 0) {
      text += fmt::format("\n{} left out for a missing value\n", counted(data.excluded(), "row"));
    }
    print_for_people(text);
  }
  return judge(request.limits, data.name(), last ? *last : before);
}

}  // namespace evenhand::cli
