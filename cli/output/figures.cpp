#include "output/figures.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "output/terminal.h"

namespace evenhand::cli {
namespace {

using Align = Table::Align;

std::string with_interval(const Figures& figures, const RateOf& rate, bool intervals) {
  std::string text = percent(figures.*rate.value, 1);
  if (!intervals) return text;
  const auto& interval = figures.*rate.interval;
  return interval
             ? fmt::format("{} ({:.1f}-{:.1f})", text, 100 * interval->low, 100 * interval->high)
             : text;
}

}  // namespace

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string judged(const std::string& text) {
  const std::size_t end = text.find(':');
  const std::string word = text.substr(0, end);
  const bool proven = word == "proven optimal" || word == "feasible";
  return (proven ? good(word) : bad(word)) + text.substr(end);
}

std::string written_in_words(const std::string& file) {
  if (file.empty()) return "\nNo rule was written: add -o rule.json.\n";
  return fmt::format("\nThe rule is in {0}; evenhand show {0} says it in words.\n", file);
}

std::string group_table(const Roles& roles, const Audit& before, const Audit* after,
                        const std::vector<Rate>& rates, bool intervals) {
  std::vector<std::string> titles;
  for (const auto* names : {&roles.within, &roles.sensitive}) {
    for (const std::string& name : *names) titles.push_back(shown(name));
  }
  if (titles.empty()) titles.emplace_back("group");
  const std::size_t names = titles.size();
  titles.emplace_back("people");
  for (const Rate rate : rates) {
    titles.emplace_back(rate_of(rate).title);
    if (after) titles.emplace_back("after");
  }
  Table table(titles, names);
  for (std::size_t s = 0; s < before.strata.size(); ++s) {
    const Comparison& stratum = before.strata[s];
    for (std::size_t g = 0; g < stratum.groups.size(); ++g) {
      const AuditedGroup& group = stratum.groups[g];
      std::vector<std::string> row;
      for (const auto* values : {&stratum.values, &group.values}) {
        for (const std::string& value : *values) row.push_back(shown(value));
      }
      if (row.empty()) row.emplace_back("everybody");
      row.push_back(people(group.figures.weight));
      for (const Rate rate : rates) {
        row.push_back(with_interval(group.figures, rate_of(rate), intervals));
        if (after) {
          row.push_back(
              with_interval(after->strata[s].groups[g].figures, rate_of(rate), intervals));
        }
      }
      table.add(row);
    }
  }
  return table.text();
}

SummaryTable::SummaryTable(bool compares)
    : compares_(compares),
      table_(compares ? std::vector<std::string>{"", "before", "after", ""}
                      : std::vector<std::string>{"", "today"},
             {Align::left, Align::right, Align::right, Align::left}) {}

void SummaryTable::add(std::string name, std::string before, std::string after,
                       const std::string& note) {
  std::vector<std::string> row = {std::move(name), std::move(before)};
  if (compares_) {
    row.push_back(std::move(after));
    row.push_back(faint(note));
  }
  table_.add(row);
}

void SummaryTable::add_lottery(double share) {
  add("lottery share", percent(0.0), percent(share),
      "of people are decided by a coin, the same every time");
}

std::string SummaryTable::text(const std::string& expected) const {
  std::string out = table_.text();
  if (!compares_ && !expected.empty()) out += "  " + faint("accuracy is " + expected) + "\n";
  return out;
}

std::string summary_table(const Audit& before, const Audit* after, const Costs& costs,
                          const std::vector<Rate>& rates, std::optional<double> lottery_share,
                          const std::optional<Promise>& promise) {
  SummaryTable table(after != nullptr);
  const Figures& old_figures = before.overall.figures;
  const Figures none;
  const Figures& new_figures = after ? after->overall.figures : none;
  const std::string expected = before.expected ? "expected, if the scores are calibrated"
                               : promise       ? "by the labels"
                                               : "";
  const auto cost = [](const Figures& of) { return of.cost ? rounded(*of.cost, 5) : "-"; };
  if (!old_figures.accuracy) {
    // Nothing is known about being right.
  } else if (costs == Costs{}) {
    table.add("accuracy", percent(old_figures.accuracy), percent(new_figures.accuracy), expected);
  } else {
    table.add("cost of a decision", cost(old_figures), cost(new_figures), expected);
  }
  if (promise) {
    const bool by_cost = costs != Costs{};
    table.add(promise->borrowed ? "  with borrowed outcomes" : "  as the scores promise",
              by_cost ? cost(promise->before) : percent(promise->before.accuracy),
              by_cost ? cost(promise->after) : percent(promise->after.accuracy),
              by_cost ? "minimised by the rule" : "maximised by the rule");
  }
  table.add("selected", percent(old_figures.selection_rate), percent(new_figures.selection_rate),
            "of all people");
  for (const Rate rate : rates) {
    table.add(fmt::format("largest difference, {}", rate_of(rate).title),
              percent(largest_difference(before, rate)),
              after ? percent(largest_difference(*after, rate)) : "",
              before.strata.size() > 1 ? "between groups of a stratum" : "between groups");
  }
  if (lottery_share) table.add_lottery(*lottery_share);
  return table.text(expected);
}

}  // namespace evenhand::cli
