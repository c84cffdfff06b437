#include "commands/soft_audit.h"

#include <evenhand/soft_audit.h>

#include <optional>

#include <fmt/format.h>

#include "data/soft_rows.h"
#include "output/output.h"
#include "output/soft_figures.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

std::string title_of(const SoftAuditRequest& request, const SoftTable& data) {
  const std::string what = request.rule               ? "before and after a rule"
                           : request.decision.empty() ? "decisions by the score alone"
                                                      : "decisions in " + shown(request.decision);
  return strong(fmt::format("audit of {}: {}, those who belong by {}", data.name(), what,
                            shown(data.soft())));
}

// Those of --criterion, or of the criterion that the rule was fitted for.
std::vector<Rate> rates_of(const SoftAuditRequest& request) {
  std::string name = request.criterion;
  constexpr std::string_view soft = "soft-";
  if (name.empty() && request.rule && request.rule->fit.criterion) {
    name = request.rule->fit.criterion->name;
    if (!name.starts_with(soft)) return {Rate::selection};
    name.erase(0, soft.size());
  }
  if (name.empty()) return {Rate::selection};
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

}  // namespace

int run_soft_audit(const SoftAuditRequest& request) {
  request.limits.check();
  const SoftRule* rule = request.rule ? &std::get<SoftRule>(request.rule->rule) : nullptr;
  const bool decisions = !request.decision.empty();
  SoftWanted wanted{
      .columns = request.soft, .decisions = decisions, .if_there = request.if_there, .rule = rule};
  if (request.rule) wanted.recorded = request.rule->columns();
  const SoftTable data = SoftTable::read(request.data, request.rows, wanted);
  const Reading reading = request.rows.reading();
  const SoftAuditOptions options{.weight = data.weight(),
                                 .label = data.label(),
                                 .scale = decisions ? Scale::probability : reading.scale,
                                 .favorable = reading.favorable,
                                 .costs = request.costs,
                                 .decisions = decisions,
                                 .rates = rates_of(request)};
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
    print(text);
  }
  return request.limits.judge(data.name(), last ? *last : before);
}

}  // namespace evenhand::cli
