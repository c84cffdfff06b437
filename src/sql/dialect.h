// What differs between engines; each has a file of its own.
#pragma once

#include <evenhand/sql.h>

#include <string>
#include <string_view>

namespace evenhand {

// Names of types.
struct SqlTypes {
  std::string_view real, whole, text;
};

class SqlDialect {
 public:
  virtual ~SqlDialect() = default;

  virtual SqlTypes types() const = 0;
  // A name or a text that stands for itself, whatever is in it. Throw std::invalid_argument for
  // what cannot be written.
  virtual std::string name(std::string_view name) const;
  virtual std::string text(std::string_view text) const;
  virtual std::string column_of(std::string_view table, std::string_view name) const;
  virtual std::string number(double value) const;  // finite; every bit of it

  // Of that type, and never reached without an error that shows `message`, itself SQL. It depends
  // on a row: a constant would be evaluated while the statement is planned.
  virtual std::string fail(const std::string& message, std::string_view type) const;
  // Whether the first 52 bits of the SHA-256 of a text, divided by 2^52, are less than q: SQL of a
  // double in [0, 1], or a constant in (0, 1 - 2^-52], which some engines compare with the digest
  // as it is, sooner than they make a number of that.
  virtual std::string below_sql(const std::string& text, const std::string& q) const = 0;
  virtual std::string below(const std::string& text, double q) const;
  virtual std::string character(int code) const;

  virtual std::string key() const = 0;                          // where the secret is
  virtual std::string set_key(const std::string& k) const = 0;  // how it gets there
  virtual std::string key_table() const;  // to be joined, where a table has it
  // What depends on no row, so that the engine evaluates it once and not for each of them.
  virtual std::string once(const std::string& sql) const;
  virtual bool traps_underflow() const;  // x * y raises an error where it is rounded to 0
  virtual std::string compared(const std::string& text) const;  // byte by byte

  std::string as_text(const std::string& sql) const;
  std::string as_real(const std::string& sql) const;
  // Products and quotients with a constant that never raise an error of underflow.
  std::string times(const std::string& sql, double factor) const;
  std::string over(const std::string& sql, double divisor) const;

 protected:
  // Doubles every quote in it.
  static std::string quoted(std::string_view text, char quote);
  // Throws unless it is UTF-8 without NUL.
  static void check(std::string_view text);
  // The 13 hexadecimal digits of the least h with h / 2^52 >= q: just what is less than it, is
  // below q.
  static std::string hex_limit(double q);
};

const SqlDialect& dialect_of(Dialect dialect);

const SqlDialect& duckdb_dialect();
const SqlDialect& postgresql_dialect();
const SqlDialect& spark_dialect();
const SqlDialect& bigquery_dialect();
const SqlDialect& snowflake_dialect();
const SqlDialect& trino_dialect();

}  // namespace evenhand
