#include <fmt/format.h>

#include "sql/dialect.h"

namespace evenhand {
namespace {

class Trino : public SqlDialect {
 public:
  using SqlDialect::SqlDialect;

  std::string below_sql(const std::string& text, const std::string& q) const override {
    return fmt::format(
        "CAST(from_base(substr(to_hex(sha256(to_utf8({}))), 1, 13), 16) AS DOUBLE) / {} < {}", text,
        number(4503599627370496), q);
  }
  std::string key_table() const override {
    return "\nCROSS JOIN (SELECT CAST(? AS VARCHAR) AS k) AS evenhand_secret";
  }
};

}  // namespace

std::unique_ptr<SqlDialect> trino_dialect(const SqlWords& words) {
  return std::make_unique<Trino>(words);
}

}  // namespace evenhand
