#include "output/audit_text.h"

#include <evenhand/text.h>

#include <fmt/format.h>

#include "output/figures.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

using Align = Table::Align;

std::string strata_table(const AuditView& view, const std::vector<Rate>& rates) {
  Table table({"stratum", "rate", "difference", "ratio", ""},
              {Align::left, Align::left, Align::right, Align::right, Align::left});
  for (const Comparison& stratum : view.audit.strata) {
    const GroupName name{view.roles.within, stratum.values};
    for (const Rate rate : rates) {
      const auto& spread = stratum.*rate_of(rate).spread;
      table.add({name.text(longest_name), std::string(rate_of(rate).title),
                 spread ? percent(spread->difference) : "-",
                 spread ? rounded(spread->ratio, 3) : "-",
                 spread ? "" : faint("fewer than two groups have this rate")});
    }
  }
  return table.text();
}

std::string reference_table(const AuditView& view) {
  Table table({"against the reference", "rate", "difference", "ratio"},
              {Align::left, Align::left, Align::right, Align::right});
  for (const AgainstReference& one : view.against_reference) {
    table.add({one.group.in(one.stratum).text(longest_name), std::string(rate_of(one.rate).title),
               percent(one.difference()), one.ratio() ? rounded(*one.ratio(), 3) : "-"});
  }
  return table.text();
}

std::string requirement_table(const AuditReport& before, const AuditReport* after) {
  std::vector<std::string> titles = {"requirement", "value", "", ""};
  if (after) titles = {"requirement", "before", "after", ""};
  Table table(titles, {Align::left, Align::right, Align::right, Align::left});
  const auto value = [](const CheckedRequirement& checked) {
    return checked.value ? rounded(*checked.value, 6) : "-";
  };
  const AuditReport& last = after ? *after : before;
  for (std::size_t i = 0; i < last.requirements.size(); ++i) {
    const CheckedRequirement& checked = last.requirements[i];
    const std::string verdict = checked.holds() ? good("holds")
                                : checked.value ? bad("missed by " + small(checked.missed_by()))
                                                : faint(checked.why_not);
    table.add({printable(checked.text), value(before.requirements[i]), after ? value(checked) : "",
               verdict});
  }
  return table.text();
}

}  // namespace

std::string AuditText::title_of(const Roles& roles) const {
  std::string groups = "groups of " + shown(roles.sensitive);
  if (!roles.within.empty()) groups += " within " + shown(roles.within);
  return strong(fmt::format("audit of {}: {}, {}", data, decisions, groups)) + "\n\n";
}

std::string AuditText::text() const {
  std::string out;
  for (std::size_t i = 0; i < before.views.size(); ++i) {
    const AuditView& view = last().views[i];
    const Audit& old_audit = before.views[i].audit;
    const Audit* new_audit = after ? &after->views[i].audit : nullptr;
    std::vector<Rate> rates = {Rate::selection};
    if (old_audit.labelled) rates = {Rate::selection, Rate::true_positive, Rate::false_positive};
    out += (i > 0 ? "\n" : "") + title_of(view.roles);
    out += summary_table(old_audit, new_audit, costs, last().scope.rates, {}) + "\n";
    out += group_table(view.roles, old_audit, new_audit, rates, true) + "\n";
    out += strata_table(view, last().scope.rates);
    if (!last().scope.reference.empty()) out += "\n" + reference_table(view);
  }
  out += "\n  ";
  if (after) out += fmt::format("before: {}\n  after: ", headline(before));
  out += strong(headline(last())) + "\n";
  if (!last().requirements.empty()) out += "\n" + requirement_table(before, after);
  for (const CellCode c : last().audit().unseen) {
    out += fmt::format("\n  the rule does not know {}", last().cells.name(c));
  }
  if (!last().audit().unseen.empty()) {
    out += fmt::format("; {}\n",
                       unseen == Unseen::score ? "the score alone decides" : "they are rejected");
  }
  return out;
}

}  // namespace evenhand::cli
