#include "output/soft_figures.h"

#include <evenhand/soft_check.h>
#include <evenhand/text.h>

#include <fmt/format.h>

#include "output/terminal.h"

namespace evenhand::cli {

using Align = Table::Align;

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
  std::vector<Align> align(titles.size() + 1, Align::left);
  const bool plain = before.rates == std::vector{Rate::selection};
  titles.emplace_back("column");
  if (!plain) {
    titles.emplace_back("rate");
    align.push_back(Align::left);
  }
  titles.emplace_back("belong");
  for (const char* who : {plain ? "selected" : "those who do", "others"}) {
    titles.emplace_back(who);
    if (after) titles.emplace_back("after");
  }
  align.resize(titles.size(), Align::right);
  Table table(titles, align);
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

}  // namespace evenhand::cli
