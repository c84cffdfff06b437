#include <fmt/format.h>

#include "sql/dialect.h"

namespace evenhand {
namespace {

class Snowflake : public SqlDialect {
 public:
  using SqlDialect::SqlDialect;

  std::string text(std::string_view text) const override {
    std::string doubled;
    for (const char c : text) doubled += c == '\\' ? "\\\\" : std::string(1, c);
    return SqlDialect::text(doubled);
  }
  std::string below_sql(const std::string& text, const std::string& q) const override {
    return fmt::format(
        "CAST(TO_NUMBER(SUBSTR(SHA2({}, 256), 1, 13), 'XXXXXXXXXXXXX') AS FLOAT) / {} < {}", text,
        number(4503599627370496), q);
  }
};

}  // namespace

std::unique_ptr<SqlDialect> snowflake_dialect(const SqlWords& words) {
  return std::make_unique<Snowflake>(words);
}

}  // namespace evenhand
