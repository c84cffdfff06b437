#include <evenhand/text.h>

#include <fmt/format.h>

#include "sql/dialect.h"

namespace evenhand {
namespace {

class DuckDb : public SqlDialect {
 public:
  using SqlDialect::SqlDialect;

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
};

}  // namespace

std::unique_ptr<SqlDialect> duckdb_dialect(const SqlWords& words) {
  return std::make_unique<DuckDb>(words);
}

}  // namespace evenhand
