#include "data/source.h"

#include <evenhand/text.h>

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <strings.h>

#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

bool same_but_for_case(const std::string& a, const std::string& b) {
  return strcasecmp(a.c_str(), b.c_str()) == 0;
}

// The columns at the top of a Parquet schema, whose rows are (name, number of children), depth
// first.
std::vector<std::string> top_level(const std::vector<Row>& schema) {
  std::vector<std::string> out;
  std::size_t at = 1;  // after the root
  while (at < schema.size()) {
    out.push_back(schema[at][0].value_or(""));
    for (std::uint64_t left = 1; left > 0 && at < schema.size(); ++at) {
      left += std::stoull(schema[at][1].value_or("0")) - 1;
    }
  }
  return out;
}

// DuckDB does not tell names apart that differ in case only, and renames the second.
void refuse_doubles(Database& database, const Input& input) {
  const std::string query = input.names_query();
  if (query.empty()) return;
  const std::vector<Row> rows = database.query(query);
  std::vector<std::string> names;
  if (input.format() == Format::parquet) {
    names = top_level(rows);
  } else {
    for (const Row& row : rows) names.push_back(row[0].value_or(""));
  }
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    std::string folded = name;
    for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto [before, is_new] = seen.try_emplace(folded, name);
    if (!is_new && !name.empty()) {
      throw UserError(
          fmt::format("{} has two columns called {}{}; rename one", input.name(), shown(name),
                      before->second == name
                          ? ""
                          : fmt::format(" and {} (case does not count)", shown(before->second))));
    }
  }
}

}  // namespace

void open_for(Database& database, const Input& input, std::span<const std::string> also) {
  if (input.is_sql()) {
    database.allow_local_files();
    return;
  }
  std::vector<std::string> files = input.files();
  files.insert(files.end(), also.begin(), also.end());
  database.allow_only(files);
}

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
  // One that does not parse gives an error of its own below.
  if (input.is_sql() &&
      (database.statements(input.sql()) > 1 || database.statements(query) > 1 ||
       (database.statements(query) == 0 && database.statements(input.sql()) == 1))) {
    throw UserError("--sql must be one SELECT statement");
  }
  const std::string describe = "SELECT column_name, column_type FROM (DESCRIBE " + query + ")";
  std::vector<Row> rows;
  rethrow_named([&] {
    if (!input.is_sql()) refuse_doubles(database, input);
    rows = database.query(describe);
  });
  for (Row& row : rows) columns_.push_back({row[0].value_or(""), row[1].value_or("")});
}

bool Source::has(std::string_view name) const noexcept {
  const std::string wanted(name);
  return std::any_of(columns_.begin(), columns_.end(),
                     [&](const Column& column) { return same_but_for_case(column.name, wanted); });
}

void Source::rethrow_named(const std::function<void()>& work) const {
  try {
    work();
  } catch (const UserError& error) {
    const std::string message = error.what();
    if (message.starts_with(name_)) throw;
    throw UserError(fmt::format("{}: {}", name_, message));
  }
}

std::string Source::free_name() const {
  std::string name = "evenhand_";
  while (has(name)) name += "_";
  return name;
}

const Column& Source::column(std::string_view name, std::string_view option) const {
  const Column* found = nullptr;
  std::vector<std::string> all;
  for (const Column& column : columns_) {
    if (column.name == name) return column;
    if (!found && same_but_for_case(column.name, std::string(name))) found = &column;
    all.push_back(column.name);
  }
  if (found) {
    // DuckDB renames a column that differs from another in case only, by a number at its end.
    for (const Column& column : columns_) {
      const bool renamed =
          column.name.size() > name.size() + 1 && column.name.substr(0, name.size()) == name &&
          column.name[name.size()] == '_' &&
          column.name.find_first_not_of("0123456789", name.size() + 1) == std::string::npos;
      if (renamed) {
        throw UserError(fmt::format("{}: the columns {} and {} differ in case only; rename one",
                                    name_, shown(found->name), shown(name)));
      }
    }
    return *found;
  }
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

std::optional<std::string> named_or_there(const Source& source, const std::string& asked,
                                          const std::string& if_there, std::string_view option) {
  if (!asked.empty()) return source.column(asked, option).name;
  if (source.has(if_there)) return source.column(if_there, option).name;
  return std::nullopt;
}

}  // namespace evenhand::cli
