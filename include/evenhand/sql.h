// SQL: tallies, decisions and counts of decisions as plain SELECT statements, for data that stay in
// a warehouse. They give the bits that the library gives: a coin is the same hash, a probability
// the same operations on doubles in the same order.
#pragma once

#include <evenhand/fit_record.h>
#include <evenhand/names.h>
#include <evenhand/rule.h>
#include <evenhand/scale.h>
#include <evenhand/tally.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

enum class Dialect { duckdb, postgresql, spark, bigquery, snowflake, trino };

// clang-format off
inline constexpr std::array dialect_names = {
    Name{Dialect::duckdb, "duckdb", "DuckDB"},
    Name{Dialect::postgresql, "postgresql", "PostgreSQL"},
    Name{Dialect::spark, "spark", "Spark and Databricks"},
    Name{Dialect::bigquery, "bigquery", "BigQuery"},
    Name{Dialect::snowflake, "snowflake", "Snowflake"},
    Name{Dialect::trino, "trino", "Trino and Athena"},
};
// clang-format on
std::string_view to_string(Dialect dialect) noexcept;
Dialect dialect_from(std::string_view name);  // throws std::invalid_argument
Choices dialect_choices();

// Where the rows are: one of the two.
struct SqlSource {
  std::string table = {};   // "people", "shop.people", "shop.\"people.2025\""
  std::string select = {};  // a SELECT, taken as it is
};

struct SqlApplyOptions {
  Dialect dialect = Dialect::duckdb;
  SqlSource source = {};
  std::string score = {};         // name of the column
  std::string id = {};            // the same; needed if the rule throws coins
  Unseen unseen = Unseen::error;  // error: the engine's own, which names the group
  std::string key_column = {};    // that has the secret; empty: the session or a parameter has it
  bool whole_ids = false;         // ids are whole numbers, whose texts are never empty
  std::string null_name = {};     // of missing groups; empty: they are unseen
  std::string probability = "probability";  // names of the columns that are added
  std::string decision = "decision";
};

// Expressions over the columns of a row. The secret, Coin::prefix(), does not stand in them:
// `sql_key` says where they look for it.
struct SqlDecision {
  std::string probability;  // a double
  std::string decision;     // 1 or 0; Spark's needs the column SqlApplyOptions::probability with it
};

// All columns and rows, with probability and decision. Missing or invalid scores, missing ids and a
// missing secret are errors of the engine. Throws std::invalid_argument for what cannot be said: a
// rule with coins without `id`, a soft rule on the logit scale (`exp` differs between engines), a
// name that the engine has no way to write.
std::string sql_apply(const AnyRule& rule, const SqlApplyOptions& options);
SqlDecision sql_decision(const AnyRule& rule, const SqlApplyOptions& options);

// What hands the secret of a keyed coin to a session, or to a query as a parameter.
std::string sql_key(Dialect dialect, const Coin& coin);

struct SqlTallyOptions {
  Dialect dialect = Dialect::duckdb;
  SqlSource source = {};
  std::string score = {};                    // names of columns
  std::vector<std::string> attributes = {};  // sensitive, then within
  std::string label = {};                    // 0 or 1, or a truth value; empty: none
  std::string weight = {};                   // whole numbers; empty: 1 each
  Reading reading = {};
  Resolution resolution = Resolution::exact();  // or bits
  std::string null = "error";                   // missing values: error, exclude, or a group's name
  // The labels are a number, which saves the engine a detour by way of texts.
  bool numeric_label = false;
};

// One row for each cell and score: the attributes, score, n and n1, or, with weights, weight and
// weight1 (docs/formats.md, the plain form of a tally). Throws std::invalid_argument.
std::string sql_tally(const SqlTallyOptions& options);

// The same of decisions, 0 or 1, in the column `score`: the attributes, decision, n and n1.
// Reading and resolution take no part.
std::string sql_audit(const SqlTallyOptions& options);

}  // namespace evenhand
