#include "sql/dialect.h"

#include <evenhand/text.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <fmt/format.h>

#include "support/first_where.h"

namespace evenhand {

std::string_view to_string(Dialect dialect) noexcept {
  return name_in(dialect_names, dialect);
}

Dialect dialect_from(std::string_view name) {
  return value_in(dialect_names, "dialect", name);
}

Choices dialect_choices() {
  Choices out{"dialect", {}};
  for (const auto& each : dialect_names) out.choices.push_back({each.name, each.help});
  return out;
}

std::string sql_key(Dialect dialect, const Coin& coin) {
  return dialect_of(dialect).set_key(coin.prefix());
}

const SqlDialect& dialect_of(Dialect dialect) {
  // In the order of Dialect.
  static const std::array<std::unique_ptr<SqlDialect>, dialect_names.size()> all = {
      duckdb_dialect({{"DOUBLE", "INTEGER", "VARCHAR"},
                      "getvariable('evenhand_key')",
                      "SET VARIABLE evenhand_key = '{}';"}),
      postgresql_dialect({{"double precision", "integer", "text"},
                          "current_setting('evenhand.key')",
                          "SET evenhand.key = '{}';"}),
      spark_dialect({{"DOUBLE", "INT", "STRING"},
                     "system.session.evenhand_key",
                     "DECLARE OR REPLACE VARIABLE evenhand_key STRING DEFAULT '{}';"}),
      bigquery_dialect({{"FLOAT64", "INT64", "STRING"},
                        "@evenhand_key",
                        "bq query --parameter=evenhand_key:STRING:{}"}),
      snowflake_dialect(
          {{"FLOAT", "INTEGER", "VARCHAR"}, "$evenhand_key", "SET evenhand_key = '{}';"}),
      // There are no variables of a session; one parameter, wherever it is needed.
      trino_dialect(
          {{"DOUBLE", "INTEGER", "VARCHAR"}, "evenhand_secret.k", "EXECUTE apply USING '{}';"}),
  };
  const auto at = static_cast<std::size_t>(dialect);
  if (at >= all.size()) throw std::invalid_argument("there is no such dialect");
  return *all[at];
}

std::string SqlDialect::set_key(const std::string& k) const {
  return fmt::format(fmt::runtime(words_.set_key), k);
}

void SqlDialect::check(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    throw std::invalid_argument("a name or value contains the character NUL, which SQL cannot say");
  }
  if (first_invalid_utf8(text) != std::string_view::npos) {
    throw std::invalid_argument("a name or value is not UTF-8");
  }
}

std::string SqlDialect::hex_limit(double q) {
  return fmt::format("{:013x}", static_cast<std::uint64_t>(std::ceil(q * 0x1p52)));
}

std::string SqlDialect::quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

std::string SqlDialect::name(std::string_view name) const {
  check(name);
  if (name.empty()) throw std::invalid_argument("a column's name is empty");
  return quoted(name, '"');
}

std::string SqlDialect::column_of(std::string_view table, std::string_view column) const {
  return fmt::format("{}.{}", table, name(column));
}

std::string SqlDialect::text(std::string_view text) const {
  check(text);
  return quoted(text, '\'');
}

std::string SqlDialect::number(double value) const {
  return as_real(fmt::format("'{}'", shortest(value)));
}

std::string SqlDialect::fail(const std::string& message, std::string_view type) const {
  return fmt::format("CAST({} AS {})", message, type);
}

std::string SqlDialect::below(const std::string& text, double q) const {
  return below_sql(text, number(q));
}

bool SqlDialect::decides_by_column() const {
  return false;
}

std::string SqlDialect::below_column(const std::string& text, const std::string& column,
                                     std::span<const double> /*chances*/) const {
  return below_sql(text, column);
}

std::string SqlDialect::character(int code) const {
  return fmt::format("CHR({})", code);
}

std::string SqlDialect::key_table() const {
  return {};
}

std::string SqlDialect::once(const std::string& sql) const {
  return sql;
}

bool SqlDialect::traps_underflow() const {
  return false;
}

std::string SqlDialect::compared(const std::string& text) const {
  return text;
}

std::string SqlDialect::as_text(const std::string& sql) const {
  return fmt::format("CAST({} AS {})", sql, types().text);
}

std::string SqlDialect::as_real(const std::string& sql) const {
  return fmt::format("CAST({} AS {})", sql, types().real);
}

namespace {

// Where nothing smaller in size gives anything but 0; 0 if nothing that is not 0 does.
template <class Result>
double smallest_kept(Result result) {
  constexpr Reading all{Scale::raw, Favorable::high};
  const double first = first_where(all, [&](double x) { return x > 0 && result(x) != 0; });
  return result(std::numeric_limits<double>::denorm_min()) != 0 ? 0 : first;
}

}  // namespace

std::string SqlDialect::times(const std::string& sql, double factor) const {
  if (factor == 1) return sql;
  const std::string product = fmt::format("({} * {})", sql, number(factor));
  if (!traps_underflow() || factor == 0) return product;
  const double kept = smallest_kept([&](double x) { return x * factor; });
  if (kept == 0) return product;
  return fmt::format("CASE WHEN {0} > {1} AND {0} < {2} THEN {3} ELSE {4} END", sql, number(-kept),
                     number(kept), number(0), product);
}

std::string SqlDialect::over(const std::string& sql, double divisor) const {
  const std::string quotient = fmt::format("({} / {})", sql, number(divisor));
  if (!traps_underflow()) return quotient;
  const double kept = smallest_kept([&](double x) { return x / divisor; });
  if (kept == 0) return quotient;
  return fmt::format("CASE WHEN {0} > {1} AND {0} < {2} THEN {3} ELSE {4} END", sql, number(-kept),
                     number(kept), number(0), quotient);
}

}  // namespace evenhand
