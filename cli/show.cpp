#include <evenhand/rule.h>

#include <fmt/format.h>

#include "commands.h"
#include "error.h"
#include "figures.h"
#include "output.h"
#include "rule_file.h"
#include "terminal.h"

namespace evenhand::cli {
namespace {

std::string record_in_words(const Json& fit) {
  std::string out;
  const auto text = [&](const char* key) {
    const auto at = fit.find(key);
    return at != fit.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto at = fit.find(key);
    return at != fit.end() && at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
  };
  const auto criterion = fit.find("criterion");
  if (criterion != fit.end() && criterion->is_object()) {
    out += fmt::format("Found for: {}\n", shown(criterion->value("name", "requirements")));
  }
  if (const auto rows = number("weight")) out += fmt::format("On: {} rows\n", people(*rows));
  if (const std::string status = text("status"); !status.empty()) {
    out += fmt::format("Status: {}", shown(status));
    if (const auto gap = number("gap")) out += fmt::format(", gap {}", small(*gap));
    if (const auto violation = number("violation")) {
      out += fmt::format(", violation {}", small(*violation));
    }
    if (const auto share = number("lottery_share")) {
      out += fmt::format(", lottery share {}", percent(*share));
    }
    out += "\n";
  }
  return out;
}

int run_show(const std::string& path) {
  const RuleFile file = read_rule(path);
  const RuleParts& parts = file.rule.parts();
  std::string out = strong("Who gets a positive decision") + "\n";
  for (CellCode c = 0; c < parts.cells.size(); ++c) out += "  " + file.rule.describe(c) + "\n";
  out += fmt::format("\nScores: {}{}\n", to_string(parts.reading.scale),
                     parts.reading.favorable == Favorable::low ? ", low ones are favourable" : "");
  out += record_in_words(file.fit);
  print(out);
  return exit_done;
}

}  // namespace

void add_show(CLI::App& program, int& status) {
  CLI::App& command = *program.add_subcommand("show", "Say a rule in plain words");
  command.footer("Example:\n  evenhand show rule.json");
  auto path = std::make_shared<std::string>();
  command.add_option("RULE", *path, "A rule made by evenhand fit")->required()->type_name("");
  command.callback([path, &status] { status = run_show(*path); });
}

}  // namespace evenhand::cli
