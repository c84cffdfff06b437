#include "data/rule_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

std::string text_in(const Json& fit, const char* key) {
  const auto columns = fit.find("columns");
  if (columns == fit.end() || !columns->is_object()) return {};
  const auto at = columns->find(key);
  return at != columns->end() && at->is_string() ? at->get<std::string>() : std::string();
}

}  // namespace

std::string RuleFile::score_column() const {
  return text_in(fit, "score");
}

std::string RuleFile::null_policy() const {
  return text_in(fit, "null");
}

const Rule& RuleFile::hard() const {
  if (soft()) {
    throw UserError(fmt::format("{} is a rule for soft attributes, without groups", shown(path)));
  }
  return std::get<Rule>(rule);
}

const Reading& RuleFile::reading() const noexcept {
  return soft() ? std::get<SoftRule>(rule).parts().reading : std::get<Rule>(rule).parts().reading;
}

const CellNames& RuleFile::cells() const noexcept {
  return soft() ? std::get<SoftRule>(rule).parts().strata : std::get<Rule>(rule).cells();
}

std::vector<std::string> RuleFile::soft_columns() const {
  return soft() ? std::get<SoftRule>(rule).parts().columns : std::vector<std::string>();
}

std::vector<std::string> RuleFile::recorded_soft_columns() const {
  std::vector<std::string> out;
  const auto columns = fit.find("columns");
  if (columns == fit.end() || !columns->is_object()) return out;
  const auto names = columns->find("soft");
  if (names == columns->end() || !names->is_array()) return out;
  for (const Json& name : *names) {
    if (name.is_string()) out.push_back(name.get<std::string>());
  }
  return out;
}

void RuleFile::fill(RowOptions& rows, ColumnsIfThere& if_there) const {
  Json columns = fit.value("columns", Json());
  if (!columns.is_object()) columns = Json::object();
  const auto take = [&](std::string& option, const char* key) {
    const auto at = columns.find(key);
    if (!option.empty() || at == columns.end()) return;
    if (at->is_string()) option = at->get<std::string>();
    if (!at->is_array()) return;
    for (const Json& name : *at) {
      if (!name.is_string()) continue;
      // In quotes, as a name may contain a comma.
      std::string quoted;
      for (const char c : name.get<std::string>()) quoted += c == '"' ? "\"\"" : std::string(1, c);
      option += fmt::format("{}\"{}\"", option.empty() ? "" : ",", quoted);
    }
  };
  if (rows.tally.empty()) {
    take(if_there.label, "label");
    take(if_there.weight, "weight");
    take(rows.score, "score");
  }
  take(rows.sensitive, "sensitive");
  take(rows.within, "within");
  rows.scale = to_string(reading().scale);
  rows.favorable = to_string(reading().favorable);
  if (rows.null.empty()) rows.null = null_policy();
}

RuleFile read_rule(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw UserError(shown(path) + " is a folder, not a rule");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw UserError(fmt::format("{}: {}", shown(path), std::strerror(errno)));
  std::ostringstream content;
  content << stream.rdbuf();
  const std::string text = content.str();
  if (text.empty()) throw UserError(shown(path) + " is empty, not a rule");
  try {
    AnyRule rule =
        is_soft_rule(text) ? AnyRule(SoftRule::from_json(text)) : AnyRule(Rule::from_json(text));
    return {path, std::move(rule), Json::parse(fit_record(text))};
  } catch (const std::invalid_argument& error) {
    throw UserError(fmt::format("{}: {}", shown(path), error.what()));
  } catch (const nlohmann::json::exception&) {
    throw UserError(fmt::format("{}: its record of the fit is damaged", shown(path)));
  }
}

}  // namespace evenhand::cli
