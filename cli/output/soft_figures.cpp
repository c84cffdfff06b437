#include "output/soft_figures.h"

#include <evenhand/soft_check.h>
#include <evenhand/text.h>

#include <fmt/format.h>

#include "output/terminal.h"

namespace evenhand::cli {

std::string summary_table(const SoftAudit& before, const SoftAudit* after, const Costs& costs,
                          std::optional<double> lottery_share) {
  SummaryTable table(after != nullptr);
  const std::string expected = before.expected ? "expected, if the scores are calibrated" : "";
  if (costs == Costs{}) {
    table.add("accuracy", percent(before.accuracy), after ? percent(after->accuracy) : "",
              expected);
  } else {
    table.add("cost of a decision", rounded(before.cost.value_or(0), 5),
              after ? rounded(after->cost.value_or(0), 5) : "", expected);
  }
  table.add("selected", percent(before.selection_rate), after ? percent(after->selection_rate) : "",
            "of all people");
  std::string rates;
  for (const Rate rate : before.rates) {
    rates += (rates.empty() ? "" : ", ") + std::string(rate_of(rate).title);
  }
  table.add("largest difference, " + rates, percent(before.largest_difference()),
            after ? percent(after->largest_difference()) : "",
            "between those who belong and the others, expected");
  if (lottery_share) table.add_lottery(*lottery_share);
  return table.text(expected);
}

std::string pair_table(const std::vector<std::string>& within, const SoftAudit& before,
                       const SoftAudit* after, bool given_outcome) {
  std::vector<std::string> titles;
  for (const std::string& name : within) titles.push_back(shown(name));
  const bool plain = before.rates == std::vector{Rate::selection};
  titles.emplace_back("column");
  if (!plain) titles.emplace_back("rate");
  const std::size_t names = titles.size();
  titles.emplace_back("belong");
  for (const char* who : {plain ? "selected" : "those who do", "others"}) {
    titles.emplace_back(who);
    if (after) titles.emplace_back("after");
  }
  Table table(titles, names);
  for (std::size_t k = 0; k < before.strata.size(); ++k) {
    const SoftAuditedStratum& stratum = before.strata[k];
    for (std::size_t j = 0; j < stratum.columns.size(); ++j) {
      std::vector<std::string> row;
      for (const std::string& value : stratum.values) row.push_back(shown(value));
      const SoftPair& pair = stratum.columns[j];
      row.push_back(shown(pair.column));
      if (!plain) row.emplace_back(rate_of(pair.of).title);
      row.push_back(percent(pair.mean, 1));
      for (const auto who : {&SoftPair::rate, &SoftPair::others}) {
        row.push_back(percent(pair.*who, 1));
        if (after) row.push_back(percent(after->strata[k].columns[j].*who, 1));
      }
      table.add(row);
    }
  }
  return table.text() + fmt::format("  {}\n", soft_assumption(before.rates, given_outcome));
}

std::string side_by_side_tables(const SoftRulesBeside& beside) {
  std::vector<std::string> titles = {"", "score alone"};
  for (const std::string& name : beside.names) titles.push_back(shown(name));
  Table table(titles, 1);
  const auto add = [&](std::string name, const auto& figure) {
    std::vector<std::string> row = {std::move(name), figure(beside.before)};
    for (const SoftBeside& rule : beside.rules) row.push_back(figure(rule.audit));
    table.add(row);
  };
  if (beside.before.accuracy) {
    add("accuracy", [](const SoftAudit& one) { return percent(one.accuracy); });
    add("cost of a decision", [](const SoftAudit& one) { return rounded(*one.cost, 5); });
  }
  add("selected", [](const SoftAudit& one) { return percent(one.selection_rate); });
  table.add({""});
  for (std::size_t k = 0; k < beside.before.strata.size(); ++k) {
    const SoftAuditedStratum& stratum = beside.before.strata[k];
    std::string where;
    for (std::size_t a = 0; a < beside.within.size(); ++a) {
      where += fmt::format(", {}={}", shown(beside.within[a]), shown(stratum.values[a]));
    }
    for (std::size_t j = 0; j < stratum.columns.size(); ++j) {
      const SoftPair& pair = stratum.columns[j];
      const std::string of = fmt::format("{}, {}", rate_of(pair.of).title, shown(pair.column));
      add(of + where, [&](const SoftAudit& one) { return percent(one.strata[k].columns[j].rate); });
      add(of + where + ", others",
          [&](const SoftAudit& one) { return percent(one.strata[k].columns[j].others); });
    }
  }
  add("largest difference", [](const SoftAudit& one) { return percent(one.largest_difference()); });
  add("smallest ratio", [](const SoftAudit& one) {
    return one.smallest_ratio() ? rounded(*one.smallest_ratio(), 3) : "-";
  });
  table.add({""});
  std::vector<std::string> coins = {"decided by a coin", percent(0.0)};
  std::vector<std::string> needs = {"needs the group", "no"};
  for (std::size_t i = 0; i < beside.rules.size(); ++i) {
    coins.push_back(percent(beside.rules[i].lottery_share));
    needs.emplace_back(beside.need_group[i] ? "yes" : "no");
  }
  table.add(coins);
  table.add(needs);
  std::string out = table.text();
  if (beside.before.expected) {
    out += "  " + faint("accuracy and cost are expected, if the scores are calibrated") + "\n";
  }

  titles = {"", "people"};
  for (std::size_t i = 1; i < beside.names.size(); ++i) {
    titles.insert(titles.end(), {shown(beside.names[i]) + ": to yes", "to no"});
  }
  Table changes(titles, 1);
  for (std::size_t c = 0; c < beside.rules.front().changes.size(); ++c) {
    const SoftChange& first = beside.rules.front().changes[c];
    std::vector<std::string> row = {first.column.empty() ? "everybody" : shown(first.column),
                                    rounded(first.weight, 6)};
    for (std::size_t i = 1; i < beside.rules.size(); ++i) {
      const SoftChange& change = beside.rules[i].changes[c];
      row.insert(row.end(),
                 {fmt::format("{:.1f}", change.to_yes), fmt::format("{:.1f}", change.to_no)});
    }
    changes.add(row);
  }
  return out + "\n" + strong(fmt::format("decided unlike {}", shown(beside.names.front()))) +
         "\n\n" + changes.text();
}

}  // namespace evenhand::cli
