#include <fmt/format.h>

#include "sql/dialect.h"

namespace evenhand {
namespace {

class Snowflake : public SqlDialect {
 public:
  SqlTypes types() const override { return {"FLOAT", "INTEGER", "VARCHAR"}; }

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
  std::string key() const override { return "$evenhand_key"; }
  std::string set_key(const std::string& k) const override {
    return fmt::format("SET evenhand_key = '{}';", k);
  }
};

}  // namespace

const SqlDialect& snowflake_dialect() {
  static const Snowflake dialect;
  return dialect;
}

}  // namespace evenhand
