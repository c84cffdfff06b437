#include <evenhand/text.h>

#include <fmt/format.h>

#include "sql/dialect.h"

namespace evenhand {
namespace {

class DuckDb : public SqlDialect {
 public:
  SqlTypes types() const override { return {"DOUBLE", "INTEGER", "VARCHAR"}; }

  // With an exponent it is read as a double at once; without, by way of a decimal.
  std::string number(double value) const override {
    std::string out = shortest(value);
    if (out.find('e') == std::string::npos) out += "e0";
    return out.starts_with('-') ? "(" + out + ")" : out;
  }
  std::string fail(const std::string& message, std::string_view type) const override {
    return fmt::format("CAST(error({}) AS {})", message, type);
  }
  std::string below_sql(const std::string& text, const std::string& q) const override {
    return fmt::format(
        "CAST(CAST('0x' || substr(sha256({}), 1, 13) AS BIGINT) AS DOUBLE) / 4503599627370496e0 < "
        "{}",
        text, q);
  }
  std::string key() const override { return "getvariable('evenhand_key')"; }
  std::string set_key(const std::string& k) const override {
    return fmt::format("SET VARIABLE evenhand_key = '{}';", k);
  }
};

}  // namespace

const SqlDialect& duckdb_dialect() {
  static const DuckDb dialect;
  return dialect;
}

}  // namespace evenhand
