#include "rule_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "error.h"
#include "terminal.h"

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
    return {Rule::from_json(text), Json::parse(fit_record(text))};
  } catch (const std::invalid_argument& error) {
    throw UserError(fmt::format("{}: {}", shown(path), error.what()));
  } catch (const nlohmann::json::exception&) {
    throw UserError(fmt::format("{}: its record of the fit is damaged", shown(path)));
  }
}

}  // namespace evenhand::cli
