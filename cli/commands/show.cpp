#include <evenhand/explain.h>
#include <evenhand/rule.h>
#include <evenhand/soft_report.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
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

std::string list_of(const std::vector<std::string>& texts, std::string_view between) {
  std::string out;
  for (const std::string& text : texts) {
    out += (out.empty() ? "" : std::string(between)) + brief(text);
  }
  return out;
}

std::string criterion_in_words(const RecordedCriterion& criterion) {
  const bool soft = !criterion.soft.empty();
  std::string out = shown(soft ? compared_by({.criterion = criterion}) : criterion.name);
  const Roles roles = criterion.roles.value_or(Roles());
  if (!roles.sensitive.empty()) out += " between the groups of " + list_of(roles.sensitive, ", ");
  if (soft) out += " for those who belong, by " + list_of(criterion.soft, ", ");
  if (!roles.within.empty()) out += " within " + list_of(roles.within, ", ");
  if (roles.across == Across::marginal) out += ", marginal";
  if (roles.across == Across::both) out += ", both";
  const auto add = [&](std::string_view name, const std::optional<double>& value) {
    if (value) out += fmt::format(", {} {}", name, rounded(*value, 6));
  };
  add("tolerance", criterion.tolerance);
  add("ratio", criterion.ratio);
  if (criterion.rho && criterion.rho->kind == Rho::Kind::given) add("rho", criterion.rho->value);
  if (!criterion.require.empty()) out += "; " + list_of(criterion.require, "; ");
  return out;
}

std::string proof_in_words(const RecordedProof& proof) {
  std::string out = "Status: " + std::string(to_string(proof.status));
  const auto add = [&](std::string_view name, double value, const std::string& text) {
    if (!std::isnan(value)) out += fmt::format(", {} {}", name, text);
  };
  // The stochastic solver makes no claim.
  if (proof.status != Status::approximate) add("gap", proof.gap, small(std::max(0.0, proof.gap)));
  add("violation", proof.violation, small(proof.violation));
  add("lottery share", proof.lottery_share, percent(proof.lottery_share));
  return out + "\n";
}

std::string record_in_words(const FitRecord& fit) {
  std::string out;
  if (fit.criterion) out += fmt::format("Criterion: {}\n", criterion_in_words(*fit.criterion));
  if (fit.weight) out += fmt::format("Fitted on: {} rows\n", people(*fit.weight));
  if (fit.proof) out += proof_in_words(*fit.proof);
  if (fit.certified) {
    out += fmt::format("Certified: at {} % confidence\n", rounded(100 * *fit.certified, 6));
  }
  // The sentence itself; where it is widest is a matter for fit and audit.
  if (fit.bound) out += fit.bound->in_words().front() + "\n";
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

// Cells that have the same sentences in common share them.
std::string letters_of(const Rule& rule) {
  std::vector<std::pair<std::string, std::string>> found;  // cells, and what holds for them
  for (CellCode c = 0; c < rule.cells().size(); ++c) {
    const std::string text = letter(rule, c);
    const std::string name = cell_shown(rule.cells(), c);
    const auto same = std::find_if(found.begin(), found.end(),
                                   [&](const auto& one) { return one.second == text; });
    if (same == found.end()) {
      found.emplace_back(name, text);
    } else {
      same->first += "; " + name;
    }
  }
  std::string out;
  for (const auto& [names, text] : found) out += fmt::format("  {}: {}\n", names, text);
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

// The rule's file, with what it says in words.
Json json_of(const RuleFile& file) {
  Json out = Json::parse(
      std::visit([&](const auto& rule) { return rule_file(rule, file.fit); }, file.rule));
  if (file.soft()) {
    out["words"] = std::get<SoftRule>(file.rule).describe();
    return out;
  }
  out["words"] = Json::array();
  for (CellCode c = 0; c < file.hard().cells().size(); ++c) {
    out["words"].push_back({{"cell", file.hard().cells().name(c)},
                            {"rule", file.hard().describe(c)},
                            {"letter", letter(file.hard(), c)}});
  }
  return out;
}

int run_show(const std::string& path, bool json) {
  const RuleFile file = read_rule(path);
  if (json) {
    print(json_of(file).dump(2) + "\n");
    return exit_done;
  }
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
  if (!file.soft()) {
    out += "\n" + strong("In a letter to an applicant") + "\n" + letters_of(file.hard());
  }
  print_for_people(out);
  return exit_done;
}

}  // namespace

void add_show(Command& command, int& status) {
  command.footer("Example:\n  evenhand show rule.json");
  auto path = std::make_shared<std::string>();
  command.add_option("RULE", *path, "", "A rule made by evenhand fit")->required();
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print the rule, its record and its words as JSON");
  command.callback([path, json, &status] { status = run_show(*path, *json); });
}

}  // namespace evenhand::cli
