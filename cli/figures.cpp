#include "figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "support/text.h"
#include "terminal.h"

namespace evenhand::cli {
namespace {

using Align = Table::Align;

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json values_json(const std::vector<std::string>& attributes, std::span<const std::string> values) {
  Json out = Json::object();
  for (std::size_t i = 0; i < attributes.size(); ++i) out[attributes[i]] = values[i];
  return out;
}

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

// Cells by stratum, so that those that are compared stand together.
std::vector<CellCode> by_stratum(const CellNames& names, const Roles& roles) {
  std::vector<CellCode> order(names.size());
  std::iota(order.begin(), order.end(), CellCode{0});
  std::vector<std::size_t> within;
  for (const std::string& attribute : roles.within) within.push_back(names.attribute(attribute));
  const auto key = [&](CellCode c) {
    std::vector<std::string> values;
    for (const std::size_t a : within) values.push_back(names.values(c)[a]);
    return values;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](CellCode a, CellCode b) { return key(a) < key(b); });
  return order;
}

std::string with_interval(const Figures& figures, const RateOf& rate, bool intervals) {
  std::string text = percent(figures.*rate.value, 1);
  if (!intervals) return text;
  const auto& interval = figures.*rate.interval;
  return interval
             ? fmt::format("{} ({:.1f}-{:.1f})", text, 100 * interval->low, 100 * interval->high)
             : text;
}

}  // namespace

const std::vector<RateOf>& all_rates() {
  static const std::vector<RateOf> rates = {
      {Rate::selection, "selected", "selection_rate", &Figures::selection_rate,
       &Figures::selection_interval, &Comparison::selection_rate},
      {Rate::true_positive, "true pos.", "true_positive_rate", &Figures::true_positive_rate,
       &Figures::true_positive_interval, &Comparison::true_positive_rate},
      {Rate::false_positive, "false pos.", "false_positive_rate", &Figures::false_positive_rate,
       &Figures::false_positive_interval, &Comparison::false_positive_rate},
  };
  return rates;
}

const RateOf& rate_of(Rate rate) {
  return *std::find_if(all_rates().begin(), all_rates().end(),
                       [&](const RateOf& candidate) { return candidate.rate == rate; });
}

Json to_json(const Figures& figures) {
  Json out;
  out["weight"] = figures.weight;
  for (const RateOf& rate : all_rates()) {
    out[std::string(rate.name)] = optional_json(figures.*rate.value);
    if (const auto& interval = figures.*rate.interval) {
      out[std::string(rate.name) + "_interval"] = {interval->low, interval->high};
    }
  }
  out["precision"] = optional_json(figures.precision);
  out["accuracy"] = optional_json(figures.accuracy);
  out["cost"] = optional_json(figures.cost);
  return out;
}

Json to_json(const Audit& audit, const CellNames& names, const Roles& roles) {
  Json out;
  out["expected"] = audit.expected;
  out["overall"] = comparison_json(audit.overall);
  const auto add = [&out](const char* list, Json what, const char* key, Json values) {
    what[key] = std::move(values);
    out[list].push_back(std::move(what));
  };
  for (const AuditedGroup& group : audit.overall.groups) {
    Json figures = to_json(group.figures);
    figures["covariance"] = group.covariance;
    add("groups", std::move(figures), "group", values_json(roles.sensitive, group.values));
  }
  for (const Comparison& stratum : audit.strata) {
    add("strata", comparison_json(stratum), "stratum", values_json(roles.within, stratum.values));
  }
  for (const AuditedCell& cell : audit.cells) {
    Json figures = to_json(cell.figures);
    figures["covariance"] = cell.covariance;
    add("cells", std::move(figures), "cell",
        values_json(names.attributes(), names.values(cell.cell)));
  }
  return out;
}

std::optional<double> largest_difference(const Audit& audit, Rate rate) {
  std::optional<double> largest;
  for (const Comparison& stratum : audit.strata) {
    if (const auto& spread = stratum.*rate_of(rate).spread) {
      largest = std::max(largest.value_or(0), spread->difference);
    }
  }
  return largest;
}

std::string people(double weight) {
  if (weight >= 0 && weight < 1e15 && weight == std::floor(weight)) {
    return with_commas(static_cast<std::size_t>(weight));
  }
  return rounded(weight, 6);
}

std::string cell_table(const CellNames& names, const Roles& roles, const Audit& before,
                       const Audit* after, const std::vector<Rate>& rates, bool intervals) {
  std::vector<std::size_t> columns;
  for (const std::string& attribute : roles.within) columns.push_back(names.attribute(attribute));
  for (const std::string& attribute : roles.sensitive) {
    columns.push_back(names.attribute(attribute));
  }
  std::vector<std::string> titles;
  std::vector<Align> align;
  for (const std::size_t column : columns) {
    titles.push_back(shown(names.attributes()[column]));
    align.push_back(Align::left);
  }
  if (columns.empty()) {
    titles.emplace_back("group");
    align.push_back(Align::left);
  }
  titles.emplace_back("people");
  align.push_back(Align::right);
  for (const Rate rate : rates) {
    titles.emplace_back(rate_of(rate).title);
    align.push_back(Align::right);
    if (after) {
      titles.emplace_back("after");
      align.push_back(Align::right);
    }
  }
  Table table(titles, align);
  for (const CellCode c : by_stratum(names, roles)) {
    std::vector<std::string> row;
    for (const std::size_t column : columns) row.push_back(shown(names.values(c)[column]));
    if (columns.empty()) row.emplace_back("everybody");
    row.push_back(people(before.cells[c].figures.weight));
    for (const Rate rate : rates) {
      row.push_back(with_interval(before.cells[c].figures, rate_of(rate), intervals));
      if (after) row.push_back(with_interval(after->cells[c].figures, rate_of(rate), intervals));
    }
    table.add(row);
  }
  return table.text();
}

std::string summary_table(const Audit& before, const Audit* after, const Costs& costs,
                          const std::vector<Rate>& rates, std::optional<double> lottery_share) {
  std::vector<std::string> titles = {"", after ? "before" : "today"};
  std::vector<Align> align = {Align::left, Align::right};
  if (after) {
    titles.emplace_back("after");
    titles.emplace_back("");
    align.insert(align.end(), {Align::right, Align::left});
  }
  Table table(titles, align);
  const auto add = [&](std::string name, std::string old_text, std::string new_text,
                       std::string note) {
    std::vector<std::string> row = {std::move(name), std::move(old_text)};
    if (after) {
      row.push_back(std::move(new_text));
      row.push_back(faint(note));
    }
    table.add(row);
  };
  const Figures& old_figures = before.overall.figures;
  const Figures none;
  const Figures& new_figures = after ? after->overall.figures : none;
  const std::string expected = before.expected ? "expected, if the scores are calibrated" : "";
  if (costs == Costs{}) {
    add("accuracy", percent(old_figures.accuracy), percent(new_figures.accuracy), expected);
  } else {
    const auto text = [](const std::optional<double>& cost) {
      return cost ? rounded(*cost, 5) : std::string("-");
    };
    add("cost of a decision", text(old_figures.cost), text(new_figures.cost), expected);
  }
  add("selected", percent(old_figures.selection_rate), percent(new_figures.selection_rate),
      "of all people");
  for (const Rate rate : rates) {
    add(fmt::format("largest difference, {}", rate_of(rate).title),
        percent(largest_difference(before, rate)),
        after ? percent(largest_difference(*after, rate)) : "", "between groups of a stratum");
  }
  if (lottery_share) {
    add("lottery share", percent(0.0), percent(*lottery_share),
        "of people are decided by a coin, the same every time");
  }
  std::string out = table.text();
  if (!after && !expected.empty()) out += "  " + faint("accuracy is " + expected) + "\n";
  return out;
}

}  // namespace evenhand::cli
