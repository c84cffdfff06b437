// What differs between engines; each has a file of its own.
#pragma once

#include <evenhand/sql.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace evenhand {

// What an engine calls things.
struct SqlWords {
  struct Types {
    std::string_view real, whole, text;
  } types;
  std::string_view key;      // where the secret is
  std::string_view set_key;  // how it gets there, with {} for it
};

class SqlDialect {
 public:
  explicit SqlDialect(const SqlWords& words) : words_(words) {}
  virtual ~SqlDialect() = default;
  SqlDialect(const SqlDialect&) = delete;
  SqlDialect& operator=(const SqlDialect&) = delete;

  const SqlWords::Types& types() const { return words_.types; }
  std::string key() const { return std::string(words_.key); }
  std::string set_key(const std::string& k) const;
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
  // The engine evaluates a probability once if it is a column of a subquery, from which it then
  // decides: whether the hash is below that column, which has one of `chances`, in order, or
  // anything in (0, 1 - 2^-52] if there are none.
  virtual bool decides_by_column() const;
  virtual std::string below_column(const std::string& text, const std::string& column,
                                   std::span<const double> chances) const;
  virtual std::string character(int code) const;

  virtual std::string key_table() const;  // to be joined, where a table has the key
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

 private:
  SqlWords words_;
};

const SqlDialect& dialect_of(Dialect dialect);

std::unique_ptr<SqlDialect> duckdb_dialect(const SqlWords& words);
std::unique_ptr<SqlDialect> postgresql_dialect(const SqlWords& words);
std::unique_ptr<SqlDialect> spark_dialect(const SqlWords& words);
std::unique_ptr<SqlDialect> bigquery_dialect(const SqlWords& words);
std::unique_ptr<SqlDialect> snowflake_dialect(const SqlWords& words);
std::unique_ptr<SqlDialect> trino_dialect(const SqlWords& words);

}  // namespace evenhand
