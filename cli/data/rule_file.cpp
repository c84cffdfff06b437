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

void RuleFile::fill(RowOptions& rows, ColumnsIfThere& if_there) const {
  const RecordedColumns known = columns();
  const auto take = [](std::string& option, const std::string& column) {
    if (option.empty()) option = column;
  };
  const auto take_all = [](std::string& option, const std::vector<std::string>& names) {
    if (!option.empty()) return;
    for (const std::string& name : names) {
      // In quotes, as a name may contain a comma.
      std::string quoted;
      for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
      option += fmt::format("{}\"{}\"", option.empty() ? "" : ",", quoted);
    }
  };
  if (rows.tally.empty()) {
    take(if_there.label, known.label);
    take(if_there.weight, known.weight);
    take(rows.score, known.score);
  }
  if (known.sensitive) take_all(rows.sensitive, *known.sensitive);
  take_all(rows.within, known.within);
  rows.scale = to_string(reading().scale);
  rows.favorable = to_string(reading().favorable);
  take(rows.null, known.null);
}

void RuleFile::fill(ObjectiveOptions& options) const {
  if (!options.cost_fp) options.cost_fp = fit.cost_fp;
  if (!options.cost_fn) options.cost_fn = fit.cost_fn;
  if (!options.base_threshold) options.base_threshold = fit.base_threshold;
}

void fill_from(const std::vector<RuleFile>& rules, RowOptions& rows, ColumnsIfThere& if_there) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    RowOptions filled = rows;
    ColumnsIfThere there = if_there;
    rules[i].fill(filled, there);
    if_there.label = there.label;
    if (i == 0 || rows.sensitive.empty()) {
      rows = std::move(filled);
      if_there.weight = there.weight;
    } else if (rows.score.empty()) {
      rows.score = filled.score;
    }
  }
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
  std::string text = content.str();
  if (text.empty()) throw UserError(shown(path) + " is empty, not a rule");
  try {
    RecordedRule read = RecordedRule::from_json(text);
    return {std::move(read), path, std::move(text)};
  } catch (const std::invalid_argument& error) {
    throw UserError(fmt::format("{}: {}", shown(path), error.what()));
  }
}

}  // namespace evenhand::cli
