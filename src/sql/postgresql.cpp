#include <evenhand/text.h>

#include <stdexcept>

#include <fmt/format.h>

#include "sql/dialect.h"

namespace evenhand {
namespace {

class PostgreSql : public SqlDialect {
 public:
  using SqlDialect::SqlDialect;

  std::string name(std::string_view name) const override {
    constexpr std::size_t most = 63;
    if (name.size() > most) {  // it would be cut off, and mean another column
      throw std::invalid_argument(
          fmt::format("{} is longer than the {} bytes of a name in PostgreSQL",
                      quoted_if_needed(name, 40), most));
    }
    return SqlDialect::name(name);
  }
  // Of two kinds: what a backslash means in the plain one depends on a setting.
  std::string text(std::string_view text) const override {
    if (text.find('\\') == std::string_view::npos) return SqlDialect::text(text);
    std::string doubled;
    for (const char c : text) doubled += c == '\\' ? "\\\\" : std::string(1, c);
    return "E" + SqlDialect::text(doubled);
  }
  std::string number(double value) const override {
    return fmt::format("float8 '{}'", shortest(value));
  }
  // Of seven bytes the cast keeps the first 52 bits.
  std::string below_sql(const std::string& text, const std::string& q) const override {
    return fmt::format(
        "CAST(CAST(CAST('x' || encode(substr({}, 1, 7), 'hex') AS bit(52)) AS bigint) AS double "
        "precision) / float8 '4503599627370496' < {}",
        digest(text), q);
  }
  // 32 bytes are less than 7 just where their first 7 are.
  std::string below(const std::string& text, double q) const override {
    return fmt::format("{} < decode('{}0', 'hex')", digest(text), hex_limit(q));
  }
  // A subquery of no row is an initial plan; a function of the session is called for every row.
  std::string once(const std::string& sql) const override {
    return fmt::format("(SELECT {})", sql);
  }
  bool traps_underflow() const override { return true; }
  std::string compared(const std::string& text) const override { return text + " COLLATE \"C\""; }

 private:
  static std::string digest(const std::string& text) {
    return fmt::format("sha256(convert_to({}, 'UTF8'))", text);
  }
};

}  // namespace

std::unique_ptr<SqlDialect> postgresql_dialect(const SqlWords& words) {
  return std::make_unique<PostgreSql>(words);
}

}  // namespace evenhand
