#include "commands/side_by_side.h"

#include <evenhand/audit_json.h>
#include <evenhand/side_by_side.h>

#include <algorithm>

#include <fmt/format.h>

#include "error.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/side_by_side_text.h"
#include "output/terminal.h"

namespace evenhand::cli {

void check_same_reading(const std::vector<RuleFile>& rules) {
  for (const RuleFile& rule : rules) {
    const Reading& first = rules.front().reading();
    const Reading& other = rule.reading();
    if (other == first) continue;
    throw UserError(fmt::format(
        "{} reads scores as {} ({} ones are favourable), {} as {} ({}): they cannot be compared",
        shown(rules.front().path), to_string(first.scale), to_string(first.favorable),
        shown(rule.path), to_string(other.scale), to_string(other.favorable)));
  }
}

std::vector<std::string> attributes_of(const std::vector<RuleFile>& rules) {
  std::vector<std::string> out;
  for (const RuleFile& rule : rules) {
    for (const std::string& name : rule.cells().attributes()) {
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

int run_side_by_side(const SideBySideRequest& request) {
  const auto& [data, scope, auditing, files, limits, same_rows, json] = request;
  std::vector<Rule> rules;
  std::vector<std::string> names;
  for (const RuleFile& file : files) {
    rules.push_back(file.hard());
    names.push_back(file.path);
  }
  const SideBySide beside = for_rule_on(data.name, [&] {
    return side_by_side(data.tally(), request.scope, rules, request.auditing);
  });
  std::vector<AuditConfidence> confidence;
  for (std::size_t i = 0; i < files.size(); ++i) {
    confidence.push_back(confidence_by(&files[i], same_rows, data.stored, beside.rules[i].report,
                                       auditing.confidence));
  }
  if (json) {
    Json out = to_json({data.name, data.rows(), data.excluded()}, beside, names);
    for (std::size_t i = 0; i < files.size(); ++i) {
      out["rules"][i]["bound"] = to_json(confidence[i], request.scope);
    }
    print(out.dump(2) + "\n");
  } else {
    std::string text = SideBySideText{data.name, beside, names}.text();
    if (data.excluded() > 0) {
      text += fmt::format("\n{} left out for a missing value\n", counted(data.excluded(), "row"));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      text += fmt::format("{}  {}: {}\n", i == 0 ? "\n" : "", shown(names[i]),
                          confidence[i].of(request.scope.relation).in_words().front());
    }
    print_for_people(text);
  }
  int status = exit_done;
  for (std::size_t i = 0; i < names.size(); ++i) {
    status = std::max(status, judge(limits, data.name, beside.rules[i].report, confidence[i],
                                    "by " + shown(names[i]) + ", "));
  }
  return status;
}

}  // namespace evenhand::cli
