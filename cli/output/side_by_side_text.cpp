#include "output/side_by_side_text.h"

#include <evenhand/text.h>

#include <fmt/format.h>

#include "output/figures.h"
#include "output/reliability.h"

namespace evenhand::cli {
namespace {

std::string number(const std::optional<double>& value, int digits) {
  return value ? rounded(*value, digits) : "-";
}

std::string expected_people(double weight) {
  return weight == 0 ? "0" : fmt::format("{:.1f}", weight);
}

std::vector<Rate> rates_of(const Audit& audit) {
  if (!audit.labelled) return {Rate::selection};
  return {Rate::selection, Rate::true_positive, Rate::false_positive};
}

}  // namespace

template <class Figure>
std::vector<std::string> SideBySideText::row(std::string name, const Figure& figure) const {
  std::vector<std::string> out = {std::move(name), figure(beside.base)};
  for (const RuleBeside& rule : beside.rules) out.push_back(figure(rule.report));
  return out;
}

void SideBySideText::add_groups(Table& table, std::size_t v, Rate rate) const {
  const AuditView& view = beside.base.views[v];
  for (std::size_t s = 0; s < view.audit.strata.size(); ++s) {
    const GroupName stratum{view.roles.within, view.audit.strata[s].values};
    for (std::size_t g = 0; g < view.audit.strata[s].groups.size(); ++g) {
      const GroupName group{view.roles.sensitive, view.audit.strata[s].groups[g].values};
      table.add(
          row(fmt::format("{}, {}", rate_of(rate).title, group.in(stratum).text(longest_name)),
              [&](const AuditReport& report) {
                const AuditedGroup& at = report.views[v].audit.strata[s].groups[g];
                return percent(at.figures.*rate_of(rate).value);
              }));
    }
  }
}

std::string SideBySideText::figures() const {
  std::vector<std::string> titles = {"", "score alone"};
  for (const std::string& name : names) titles.push_back(shown(name));
  Table table(titles, 1);
  const Audit& base = beside.base.audit();
  const auto overall = [](const AuditReport& report) -> const Figures& {
    return report.audit().overall.figures;
  };
  if (overall(beside.base).accuracy) {
    table.add(row("accuracy", [&](const AuditReport& r) { return percent(overall(r).accuracy); }));
    table.add(row("cost of a decision",
                  [&](const AuditReport& r) { return number(overall(r).cost, 5); }));
  }
  for (const Rate rate : rates_of(base)) {
    table.add(row(std::string(rate_of(rate).title),
                  [&](const AuditReport& r) { return percent(overall(r).*rate_of(rate).value); }));
  }
  for (std::size_t v = 0; v < beside.base.views.size(); ++v) {
    const std::string by = beside.base.views.size() > 1
                               ? fmt::format(" by {}", shown(beside.base.views[v].roles.sensitive))
                               : "";
    for (const Rate rate : rates_of(base)) {
      table.add({""});
      add_groups(table, v, rate);
      table.add(row(fmt::format("largest difference{}", by), [&](const AuditReport& r) {
        return percent(largest_difference(r.views[v].audit, rate));
      }));
      table.add(row(fmt::format("smallest ratio{}", by), [&](const AuditReport& r) {
        return number(smallest_ratio(r.views[v].audit, rate), 3);
      }));
    }
  }
  table.add({""});
  for (std::size_t i = 0; i < beside.base.requirements.size(); ++i) {
    table.add(row(printable(beside.base.requirements[i].text), [&](const AuditReport& r) {
      const CheckedRequirement& checked = r.requirements[i];
      if (!checked.value) return std::string("-");
      return checked.holds() ? good("holds") : bad("missed by " + small(checked.missed_by()));
    }));
  }
  table.add(row("decided by a coin",
                [](const AuditReport& r) { return percent(r.audit().lottery_share); }));
  std::vector<std::string> needs = {"needs the group", "no"};
  for (const RuleBeside& rule : beside.rules) needs.emplace_back(rule.needs_group ? "yes" : "no");
  table.add(needs);
  std::string out = table.text();
  if (base.expected) {
    out += "  " + faint("accuracy and cost are expected, if the scores are calibrated") + "\n";
  }
  return out;
}

std::string SideBySideText::changes() const {
  std::vector<std::string> titles = {"", "people"};
  for (std::size_t i = 1; i < names.size(); ++i) {
    titles.insert(titles.end(), {shown(names[i]) + ": to yes", "to no"});
  }
  Table table(titles, 1);
  const auto add = [&](std::string name, double weight, const auto& change_of) {
    std::vector<std::string> cells = {std::move(name), people(weight)};
    for (std::size_t i = 1; i < beside.rules.size(); ++i) {
      const Change change = change_of(beside.rules[i]);
      cells.insert(cells.end(), {expected_people(change.to_yes), expected_people(change.to_no)});
    }
    table.add(cells);
  };
  const std::vector<Change>& first = beside.rules.front().changes;
  for (std::size_t c = 0; c < first.size(); ++c) {
    add(cell_shown(beside.base.cells, first[c].cell), first[c].weight,
        [&](const RuleBeside& rule) { return rule.changes[c]; });
  }
  add("everybody", beside.rules.front().changed().weight,
      [](const RuleBeside& rule) { return rule.changed(); });
  return strong(fmt::format("decided unlike {}", shown(names.front()))) + "\n\n" + table.text();
}

std::string SideBySideText::text() const {
  const Roles& roles = beside.base.scope.roles;
  std::string groups = "groups of " + shown(roles.sensitive);
  if (!roles.within.empty()) groups += " within " + shown(roles.within);
  return strong(fmt::format("audit of {}: {} rules side by side, {}", data, names.size(), groups)) +
         "\n\n" + figures() + "\n" + changes();
}

}  // namespace evenhand::cli
