#include <evenhand/text.h>

#include <fmt/format.h>

#include "sql/dialect.h"

namespace evenhand {
namespace {

bool substituted(std::string_view name) {
  return name.find("${") != std::string_view::npos;
}

class Spark : public SqlDialect {
 public:
  using SqlDialect::SqlDialect;

  // ${...} is replaced in the text of a statement, in names and in strings, before it is parsed.
  std::string name(std::string_view name) const override {
    SqlDialect::name(name);
    const std::string out = quoted(name, '`');
    return substituted(name) ? fmt::format("IDENTIFIER({})", text(out)) : out;
  }
  std::string column_of(std::string_view table, std::string_view column) const override {
    if (!substituted(column)) return SqlDialect::column_of(table, column);
    return fmt::format("IDENTIFIER({})", text(fmt::format("{}.{}", table, quoted(column, '`'))));
  }
  std::string text(std::string_view text) const override {
    check(text);
    std::string out = "'";
    for (const char c : text) {
      if (c == '\'' || c == '\\') out += '\\';
      out += c == '$' ? "\\u0024" : std::string(1, c);
    }
    return out + "'";
  }
  std::string number(double value) const override {
    const std::string out = shortest(value) + "D";
    return out.starts_with('-') ? "(" + out + ")" : out;
  }
  std::string fail(const std::string& message, std::string_view type) const override {
    return fmt::format("CAST(raise_error({}) AS {})", message, type);
  }
  // A number, by conv, would take three times as long as the digest. As texts, 64 hexadecimal
  // digits are less than 13 just where their first 13 are; with 2^52 more, even the limit of q = 1
  // has 14.
  std::string below_sql(const std::string& text, const std::string& q) const override {
    return fmt::format("'1' || {} < lower(hex(ceil(({}) * 4503599627370496D) + 4503599627370496L))",
                       digest(text), q);
  }
  // With the digest in several places, or both trees in one method, the method that Spark generates
  // outgrows what Java inlines, and takes twice as long.
  bool decides_by_column() const override { return true; }
  std::string below_column(const std::string& text, const std::string& column,
                           std::span<const double> chances) const override {
    constexpr std::size_t most = 8;
    if (chances.empty() || chances.size() > most) return below_sql(text, column);
    std::string limit = fmt::format("'{}'", hex_limit(chances.front()));
    for (const double q : chances.subspan(1)) {
      limit = fmt::format("CASE WHEN {} >= {} THEN '{}' ELSE {} END", column, number(q),
                          hex_limit(q), limit);
    }
    return fmt::format("{} < {}", digest(text), limit);
  }
  std::string character(int code) const override { return fmt::format("char({})", code); }

 private:
  static std::string digest(const std::string& text) {
    return fmt::format("sha2(CAST({} AS BINARY), 256)", text);
  }
};

}  // namespace

std::unique_ptr<SqlDialect> spark_dialect(const SqlWords& words) {
  return std::make_unique<Spark>(words);
}

}  // namespace evenhand
