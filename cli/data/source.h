// Columns by the names that users give them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/database.h"
#include "data/input.h"
#include "data/json_function.h"

namespace evenhand::cli {

struct Column {
  std::string name;
  std::string type;  // DuckDB's
};

// "a,b" as two names; one with a comma in it is written in double quotes: "\"a,b\",c".
std::vector<std::string> split_names(std::string_view text);

// Rows on their way into another file.
struct Passing {
  std::string relation;  // what goes after FROM
  std::string columns;   // what goes after SELECT
};

class Source {
 public:
  Source(Database& database, const Input& input);

  const std::string& relation() const noexcept { return relation_; }  // what goes after FROM
  const std::string& name() const noexcept { return name_; }          // for messages
  const std::vector<Column>& columns() const noexcept { return columns_; }

  // The column that is meant: by its exact name, or by the only one that differs in case. Throws
  // UserError that names the option and the nearest column.
  const Column& column(std::string_view name, std::string_view option) const;
  // Several, separated by commas, unless the whole text is one column's name.
  std::vector<std::string> names(std::string_view text, std::string_view option) const;
  bool has(std::string_view name) const noexcept;  // in any case, as DuckDB compares
  std::string free_name() const;                   // one that no column has

  // All columns as they were, without the SQL name `but`, for a file of this format: JSON that
  // stays JSON keeps its numbers and all that is nested; in other files its values are texts. A
  // number that is not finite is null in JSON, which has no other word for it.
  Passing passing(Format output, const std::string& but) const;

  // Runs it; an error of the user's data then begins with their name.
  void rethrow_named(const std::function<void()>& work) const;

 private:
  void read_json(Database& database, const Input& input);

  std::string relation_;
  std::string name_;
  std::vector<Column> columns_;
  std::optional<JsonFunctions> json_;
  Passing as_json_;
  std::string raw_name_;  // of the column with the members of JSON objects
};

// The name of the column that the option asks for, or else of `if_there` if the data have it.
std::optional<std::string> named_or_there(const Source& source, const std::string& asked,
                                          const std::string& if_there, std::string_view option);

}  // namespace evenhand::cli
