#include <evenhand/rule.h>
#include <evenhand/text.h>

#include <sstream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "data/rule_file.h"
#include "error.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/reliability.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

std::string text_in(const Json& record, const char* key) {
  const auto at = record.find(key);
  return at != record.end() && at->is_string() ? shown(at->get<std::string>()) : std::string();
}

// Names and requirements, without the quotes of shown.
std::string brief(std::string text) {
  constexpr std::size_t most = 200;
  if (text.size() > most) {
    text.resize(most);
    while (!text.empty() && first_invalid_utf8(text) != std::string::npos) text.pop_back();
    text += "...";
  }
  return printable(text);
}

std::optional<double> number_in(const Json& record, const char* key) {
  const auto at = record.find(key);
  return at != record.end() && at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

std::string list_in(const Json& record, const char* key, std::string_view between) {
  const auto at = record.find(key);
  std::string out;
  if (at == record.end() || !at->is_array()) return out;
  for (const Json& text : *at) {
    if (!text.is_string()) continue;
    out += (out.empty() ? "" : std::string(between)) + brief(text.get<std::string>());
  }
  return out;
}

std::string criterion_in_words(const Json& criterion) {
  std::string out = text_in(criterion, "name");
  if (const std::string groups = list_in(criterion, "sensitive", ", "); !groups.empty()) {
    out += " between the groups of " + groups;
  }
  if (const std::string columns = list_in(criterion, "soft", ", "); !columns.empty()) {
    out += " for those who belong, by " + columns;
  }
  if (const std::string strata = list_in(criterion, "within", ", "); !strata.empty()) {
    out += " within " + strata;
  }
  if (const std::string across = text_in(criterion, "across"); !across.empty()) {
    out += ", " + across;
  }
  for (const char* key : {"tolerance", "ratio", "rho"}) {
    if (const auto value = number_in(criterion, key)) {
      out += fmt::format(", {} {}", key, rounded(*value, 6));
    }
  }
  if (const std::string require = list_in(criterion, "require", "; "); !require.empty()) {
    out += "; " + require;
  }
  return out;
}

std::string record_in_words(const Json& fit) {
  std::string out;
  const auto criterion = fit.find("criterion");
  if (criterion != fit.end() && criterion->is_object()) {
    out += fmt::format("Found for: {}\n", criterion_in_words(*criterion));
  }
  if (const auto rows = number_in(fit, "weight"))
    out += fmt::format("On: {} rows\n", people(*rows));
  if (const std::string status = text_in(fit, "status"); !status.empty()) {
    out += "Status: " + status;
    const auto gap = number_in(fit, "gap");
    if (gap && status != to_string(Status::approximate))  // which makes no claim
      out += fmt::format(", gap {}", small(std::max(0.0, *gap)));
    if (const auto violation = number_in(fit, "violation")) {
      out += fmt::format(", violation {}", small(*violation));
    }
    if (const auto share = number_in(fit, "lottery_share")) {
      out += fmt::format(", lottery share {}", percent(*share));
    }
    out += "\n";
  }
  return out;
}

// The library says names in full, for programs.
std::string hard_rule_in_words(const Rule& rule) {
  std::string out;
  const CellNames& cells = rule.cells();
  for (CellCode c = 0; c < cells.size(); ++c) {
    const std::string words = rule.describe(c);
    out += fmt::format("  {}{}\n", cell_shown(cells, c), words.substr(cells.name(c).size()));
  }
  return out;
}

std::string soft_rule_in_words(const SoftRule& rule) {
  std::string words = rule.describe();
  const auto shorten = [&words](const std::string& name, const std::string& shorter) {
    if (name == shorter) return;
    for (std::size_t at = 0; (at = words.find(name, at)) != std::string::npos;) {
      words.replace(at, name.size(), shorter);
      at += shorter.size();
    }
  };
  const SoftRuleParts& parts = rule.parts();
  for (CellCode c = 0; c < parts.strata.size(); ++c) {
    shorten(parts.strata.name(c), cell_shown(parts.strata, c));
  }
  for (const std::string& name : parts.columns) shorten(quoted_if_needed(name), shown(name));
  std::string out;
  std::istringstream lines(words);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) out += fmt::format("  {}\n", printable(line));
  }
  return out;
}

int run_show(const std::string& path) {
  const RuleFile file = read_rule(path);
  std::string out = strong("Who gets a positive decision") + "\n";
  if (file.soft()) {
    out += soft_rule_in_words(std::get<SoftRule>(file.rule));
    std::string needs;
    for (const std::string& name : file.soft_columns()) {
      needs += (needs.empty() ? "" : ", ") + shown(name);
    }
    out += fmt::format("\nNeeds: {}, the probabilities of belonging; no group\n", needs);
  } else {
    out += hard_rule_in_words(file.hard()) + "\n";
  }
  out += fmt::format("Scores: {}{}\n", to_string(file.reading().scale),
                     file.reading().favorable == Favorable::low ? ", low ones are favourable" : "");
  if (!file.soft() && file.hard().parts().calibrator) {
    const Calibrator& calibrator = *file.hard().parts().calibrator;
    out += fmt::format("Calibrated: {}\n{}", in_words(calibrator.method(), calibrator.by()),
                       to_text(calibrator));
  }
  out += record_in_words(file.fit);
  print(out);
  return exit_done;
}

}  // namespace

void add_show(Command& program, int& status) {
  Command& command = *program.add_subcommand("show", "Say a rule in plain words");
  command.footer("Example:\n  evenhand show rule.json");
  auto path = std::make_shared<std::string>();
  command.add_option("RULE", *path, "A rule made by evenhand fit")->required()->type_name("");
  command.callback([path, &status] { status = run_show(*path); });
}

}  // namespace evenhand::cli
