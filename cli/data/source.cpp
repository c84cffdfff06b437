#include "data/source.h"

#include <evenhand/text.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <strings.h>

#include "data/parquet_schema.h"
#include "data/sql.h"
#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

bool same_but_for_case(const std::string& a, const std::string& b) {
  return strcasecmp(a.c_str(), b.c_str()) == 0;
}

// DuckDB does not tell names apart that differ in case only, and renames the second.
void refuse_doubles(const std::vector<std::string>& names, const Input& input) {
  std::map<std::string, std::string> seen;
  const auto folded = [](std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
  };
  for (const std::string& name : names) {
    const auto [before, is_new] = seen.try_emplace(folded(name), name);
    if (!is_new && !name.empty()) {
      throw UserError(
          fmt::format("{} has two columns called {}{}; rename one", input.name(), shown(name),
                      before->second == name
                          ? ""
                          : fmt::format(" and {} (case does not count)", shown(before->second))));
    }
  }
  for (const std::string& name : input.partition_names()) {
    if (seen.contains(folded(name))) {
      throw UserError(fmt::format("{}: {} is a column and also what folders are called; rename one",
                                  input.name(), shown(name)));
    }
  }
}

// All keys of the objects in JSON files: those of the first object in its order, then others.
std::vector<std::string> json_keys(Database& database, const Input& input) {
  const std::string keys =
      "CASE WHEN json_type(json) = 'OBJECT' THEN CAST(to_json(json_keys(json)) AS VARCHAR) END";
  const std::string objects = input.relation("json");
  std::vector<Row> rows = database.query(fmt::format("SELECT {} FROM {} LIMIT 1", keys, objects));
  for (Row& row : database.query(
           fmt::format("SELECT DISTINCT {} AS k FROM {} ORDER BY k", keys, objects), "reading")) {
    rows.push_back(std::move(row));
  }
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const Row& row : rows) {
    if (!row[0]) throw UserError(input.name() + ": JSON must have an object for each row");
    const auto of_row = nlohmann::json::parse(*row[0]).get<std::vector<std::string>>();
    if (std::set(of_row.begin(), of_row.end()).size() != of_row.size()) {
      refuse_doubles(of_row, input);
    }
    for (const std::string& key : of_row) {
      if (seen.insert(key).second) out.push_back(key);
    }
  }
  if (out.empty()) throw UserError(input.name() + " has no rows with a value");
  return out;
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

Source::Source(Database& database, const Input& input) : name_(input.name()) {
  rethrow_named([&] {
    if (input.is_sql() || input.format() == Format::csv) {
      if (!input.is_sql()) refuse_doubles(input.header(), input);
      relation_ = input.relation();
    } else if (input.format() == Format::parquet) {
      refuse_doubles(parquet_names(database, input), input);
      relation_ = input.relation();
    } else {
      read_json(database, input);
    }
  });
  const std::string query = "SELECT * FROM " + relation_;
  // One that does not parse gives an error of its own below.
  if (input.is_sql() &&
      (database.statements(input.sql()) > 1 || database.statements(query) > 1 ||
       (database.statements(query) == 0 && database.statements(input.sql()) == 1))) {
    throw UserError("--sql must be one SELECT statement");
  }
  std::vector<Row> rows;
  rethrow_named([&] {
    rows = database.query("SELECT column_name, column_type FROM (DESCRIBE " + query + ")");
  });
  for (Row& row : rows) columns_.push_back({row[0].value_or(""), row[1].value_or("")});
}

void Source::read_json(Database& database, const Input& input) {
  const std::vector<std::string> keys = json_keys(database, input);
  refuse_doubles(keys, input);
  json_.emplace(database, keys);
  std::string texts;
  std::string raws;
  raw_name_ = "evenhand_raw_";
  while (std::any_of(keys.begin(), keys.end(),
                     [&](const std::string& key) { return same_but_for_case(key, raw_name_); })) {
    raw_name_ += "_";
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string name = identifier(keys[i].empty() ? fmt::format("column{}", i) : keys[i]);
    texts += fmt::format("{}t.k{} AS {}", i > 0 ? ", " : "", i, name);
    raws += fmt::format("{}{}.k{} AS {}", i > 0 ? ", " : "", identifier(raw_name_), i, name);
  }
  for (const std::string& name : input.partition_names()) raws += ", " + identifier(name);
  relation_ = input.relation(texts, "evenhand_texts(json) AS t");
  as_json_ = {input.relation(fmt::format("{}, r AS {}", texts, identifier(raw_name_)),
                             "evenhand_texts(json) AS t, evenhand_raws(json) AS r"),
              raws};
}

Passing Source::passing(Format output, const std::string& but) const {
  if (output == Format::json && json_) return as_json_;
  Passing out{relation_, fmt::format("* EXCLUDE ({})", but)};
  std::vector<std::string> finite;
  for (const Column& column : columns_) {
    if (output != Format::json || (column.type != "DOUBLE" && column.type != "FLOAT")) continue;
    const std::string name = identifier(column.name);
    finite.push_back(fmt::format("CASE WHEN isfinite({0}) THEN {0} END AS {0}", name));
  }
  if (!finite.empty()) out.columns += fmt::format(" REPLACE ({})", joined(finite));
  return out;
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
  while (has(name) || name == raw_name_) name += "_";
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
