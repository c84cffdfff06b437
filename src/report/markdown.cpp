// The same figures for those who read text.
#include <evenhand/report.h>
#include <evenhand/text.h>

#include <cmath>

#include <fmt/format.h>

#include "report/subject.h"

namespace evenhand {
namespace {

using report::Json;

// Nothing in a name is markup: ASCII punctuation is escaped, lines end where ours do.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_{}[]<>()#|!~&").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string shown(const Json& value, const std::string& kind) {
  if (value.is_null()) return "-";
  if (value.is_string()) return plain(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  const double number = value.get<double>();
  if (kind == "count") return report::people(number);
  if (kind == "share") return report::percent(number);
  if (kind == "ratio") return fmt::format("{:.3f}", number);
  return rounded(number, 4);
}

std::string table_text(const Json& table, const std::string& heading) {
  if (table.is_null()) return {};
  std::string out = fmt::format("{} {}\n\n", heading, plain(table.value("title", "")));
  if (table["rows"].empty()) return out + "None.\n\n";
  std::string titles = "|";
  std::string rules = "|";
  for (const Json& column : table["columns"]) {
    const std::string kind = column["kind"];
    if (kind == "hidden") continue;
    titles += " " + plain(column["title"].get<std::string>()) + " |";
    rules += kind == "text" || kind == "name" ? " :-- |" : " --: |";
  }
  out += titles + "\n" + rules + "\n";
  for (const Json& row : table["rows"]) {
    out += "|";
    for (const Json& column : table["columns"]) {
      const std::string kind = column["kind"];
      if (kind == "hidden") continue;
      const auto cell = [&](const std::string& name) {
        const auto at = row.find(name);
        return at == row.end() ? Json(nullptr) : *at;
      };
      std::string text = shown(cell(column["name"]), kind);
      if (column.contains("low") && !cell(column["low"]).is_null()) {
        text += fmt::format(" ({:.1f}–{:.1f})", 100 * cell(column["low"]).get<double>(),
                            100 * cell(column["high"]).get<double>());
      }
      out += " " + text + " |";
    }
    out += "\n";
  }
  for (const char* said : {"expected", "note"}) {
    if (table.contains(said)) out += "\n" + plain(table[said].get<std::string>()) + "\n";
  }
  return out + "\n";
}

std::string tables_text(const Json& tables, const std::string& heading) {
  std::string out;
  for (const Json& table : tables) out += table_text(table, heading);
  return out;
}

std::string fairness_text(const Json& fairness, const Json& criterion) {
  std::string out = criterion["asked"].get<bool>() ? "## How far the criterion holds\n\n"
                                                   : "## How far apart the groups are\n\n";
  const auto say = [&out](const std::string& text) { out += "- " + plain(text) + "\n"; };
  if (!fairness["holds"].is_null()) {
    say(fmt::format("On these people the criterion {}. It asks for {}.",
                    fairness["holds"].get<bool>() ? "holds" : "does not hold",
                    criterion["words"].get<std::string>()));
  }
  const auto side = [&](const char* name, const char* words) {
    if (!fairness.contains(name)) return;
    say(fmt::format("{}: {}.", words, fairness[name]["headline"].get<std::string>()));
  };
  side("now", "On these people");
  side("after", "On these people");
  side("before", "By the score alone");
  for (const Json& line : fairness["bound_words"]) say(line.get<std::string>());
  out += "\n" + table_text(fairness["strata"], "###");
  return out + table_text(fairness["requirements"], "###");
}

std::string costs_text(const Json& costs) {
  std::string out = "## What it costs\n\n";
  out += costs["expected"].get<bool>()
             ? "Accuracy and cost are to expect, if the scores are calibrated.\n\n"
             : "";
  out += "|  | Selected | Accuracy | Mean cost | By coin |\n| :-- | --: | --: | --: | --: |\n";
  for (const char* side : {"now", "before", "after"}) {
    if (!costs.contains(side)) continue;
    const Json& at = costs[side];
    out += fmt::format("| {} | {} | {} | {} | {} |\n", side, shown(at["selection_rate"], "share"),
                       shown(at["accuracy"], "share"), shown(at["cost"], "number"),
                       shown(at["lottery_share"], "share"));
  }
  out += "\n";
  return costs.contains("changes") ? out + table_text(costs["changes"], "###") : out;
}

// Every so many points: all are in the page and in the JSON.
std::string frontier_text(const Json& frontier) {
  if (frontier.is_null() || frontier.contains("none")) return {};
  const std::string parameter = frontier["parameter"];
  const Json& points = frontier["points"];
  constexpr std::size_t most = 20;
  std::string out = fmt::format(
      "## What other tolerances would give\n\n| {} | Accuracy | Mean cost | Selected | By coin "
      "|\n| --: | --: | --: | --: | --: |\n",
      parameter);
  const std::size_t step = std::max<std::size_t>(1, points.size() / most);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool chosen = !frontier["chosen"].is_null() && frontier["chosen"] == i;
    if (i % step != 0 && i + 1 != points.size() && !chosen) continue;
    const Json& at = points[i];
    out += fmt::format("| {}{} | {} | {} | {} | {} |\n", rounded(at[parameter], 6),
                       chosen ? " (chosen)" : "", shown(at["accuracy"], "share"),
                       shown(at["cost"], "number"), shown(at["selection_rate"], "share"),
                       shown(at["lottery_share"], "share"));
  }
  return out + "\n";
}

}  // namespace

std::string report_markdown(const nlohmann::ordered_json& figures) {
  std::string out = fmt::format("# {}\n\n", plain(figures["title"].get<std::string>()));
  for (const Json& sentence : figures["answer"]) out += plain(sentence.get<std::string>()) + "\n";
  out += "\n" + tables_text(figures["selection"], "##");
  out += fairness_text(figures["fairness"], figures["criterion"]);
  out += costs_text(figures["costs"]);
  out += frontier_text(figures["frontier"]);
  for (const char* name : {"rules", "calibration", "thresholds", "not_compared"}) {
    out += table_text(figures[name], "##");
  }
  if (!figures["ll144"].is_null()) {  // of known groups
    out += "## New York City Local Law 144\n\n" + tables_text(figures["ll144"], "###");
    out += "## EEOC Uniform Guidelines\n\n" + tables_text(figures["eeoc"], "###");
    out += "## EU AI Act, Annex IV, 2(g)\n\n" + table_text(figures["annex_iv"], "###");
  }
  out += "## Method and assumptions\n\n";
  for (const Json& one : figures["method"]) {
    out += fmt::format("- **{}.** {} ({})\n", plain(one["title"].get<std::string>()),
                       plain(one["text"].get<std::string>()), one["page"].get<std::string>());
  }
  return out + "\n" + table_text(figures["provenance"], "##");
}

}  // namespace evenhand
