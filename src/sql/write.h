// Pieces of statements that every dialect writes alike.
#pragma once

#include <evenhand/sql.h>

#include <span>
#include <string>
#include <vector>

#include "sql/dialect.h"

namespace evenhand {

inline constexpr std::string_view sql_rows = "evenhand_rows";  // the rows' name in statements

struct SqlBranch {
  std::string when, then;
};
// CASE [of] WHEN ... THEN ... ELSE ... END, a line for each branch.
std::string sql_case(const std::string& of, std::span<const SqlBranch> branches,
                     const std::string& otherwise, std::size_t depth);

// "'evenhand: ' || ...": the texts stand for themselves, the values are SQL of texts that may be
// missing; one more text than values.
std::string sql_message(const SqlDialect& sql, std::span<const std::string> texts,
                        std::span<const std::string> values);

// "people" AS evenhand_rows. Throws std::invalid_argument unless it is one of table and select.
std::string sql_from(const SqlDialect& sql, const SqlSource& source);

// The column of the rows; with an empty `of`, of whatever has it.
std::string sql_column(const SqlDialect& sql, std::string_view name,
                       std::string_view of = sql_rows);

// Whether a score, SQL of a double in the caller's own scale, is one of the reading.
std::string sql_is_valid(const SqlDialect& sql, const std::string& score, const Reading& reading);
// The turned score.
std::string sql_turned(const std::string& score, const Reading& reading);
// The interval of a turned score, as Cutter gives it (support/dyadic.h).
std::string sql_cut(const SqlDialect& sql, const std::string& x, int level, const Reading& reading);

}  // namespace evenhand
