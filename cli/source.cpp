#include "source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <strings.h>

#include "error.h"
#include "support/text.h"
#include "terminal.h"

namespace evenhand::cli {
namespace {

bool same_but_for_case(const std::string& a, const std::string& b) {
  return strcasecmp(a.c_str(), b.c_str()) == 0;
}

}  // namespace

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> out;
  std::string name;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      name += text[++i];
    } else if (c == '"' && (quoted || name.empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.push_back(std::exchange(name, {}));
    } else {
      name += c;
    }
  }
  if (quoted) throw UserError(fmt::format("{}: a double quote is not closed", shown(text)));
  out.push_back(name);
  return out;
}

Source::Source(Database& database, const Input& input)
    : relation_(input.relation()), name_(input.name()) {
  const std::string query = "SELECT * FROM " + relation_;
  if (input.is_sql() && database.statements(query) != 1) {
    throw UserError("--sql must be one SELECT statement");
  }
  const std::string describe = "SELECT column_name, column_type FROM (DESCRIBE " + query + ")";
  std::vector<Row> rows;
  try {
    rows = database.query(describe);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", name_, error.what()));
  }
  for (Row& row : rows) columns_.push_back({row[0].value_or(""), row[1].value_or("")});
}

bool Source::has(std::string_view name) const noexcept {
  const std::string wanted(name);
  return std::any_of(columns_.begin(), columns_.end(),
                     [&](const Column& column) { return same_but_for_case(column.name, wanted); });
}

const Column& Source::column(std::string_view name, std::string_view option) const {
  const Column* found = nullptr;
  std::vector<std::string> all;
  for (const Column& column : columns_) {
    if (column.name == name) return column;
    if (!found && same_but_for_case(column.name, std::string(name))) found = &column;
    all.push_back(column.name);
  }
  if (found) return *found;
  std::string advice = suggestion(name, all);
  if (advice.empty()) {
    std::string list;
    for (std::size_t i = 0; i < all.size() && i < 12; ++i) {
      list += (i > 0 ? ", " : "") + shown(all[i]);
    }
    advice = fmt::format("; it has {}{}", list, all.size() > 12 ? ", ..." : "");
  }
  throw UserError(fmt::format("{} has no column {} ({}){}", name_, shown(name), option, advice));
}

std::vector<std::string> Source::names(std::string_view text, std::string_view option) const {
  std::vector<std::string> out;
  const bool one = std::any_of(columns_.begin(), columns_.end(),
                               [&](const Column& column) { return column.name == text; });
  if (one) return {std::string(text)};
  for (const std::string& name : split_names(text)) {
    if (name.empty()) throw UserError(fmt::format("{}: a column's name is empty", option));
    out.push_back(column(name, option).name);
  }
  return out;
}

}  // namespace evenhand::cli
