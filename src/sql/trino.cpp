#include <fmt/format.h>

#include "sql/dialect.h"

namespace evenhand {
namespace {

class Trino : public SqlDialect {
 public:
  SqlTypes types() const override { return {"DOUBLE", "INTEGER", "VARCHAR"}; }

  std::string below_sql(const std::string& text, const std::string& q) const override {
    return fmt::format(
        "CAST(from_base(substr(to_hex(sha256(to_utf8({}))), 1, 13), 16) AS DOUBLE) / {} < {}", text,
        number(4503599627370496), q);
  }
  // There are no variables of a session; one parameter, wherever it is needed.
  std::string key() const override { return "evenhand_secret.k"; }
  std::string key_table() const override {
    return "\nCROSS JOIN (SELECT CAST(? AS VARCHAR) AS k) AS evenhand_secret";
  }
  std::string set_key(const std::string& k) const override {
    return fmt::format("EXECUTE apply USING '{}';", k);
  }
};

}  // namespace

const SqlDialect& trino_dialect() {
  static const Trino dialect;
  return dialect;
}

}  // namespace evenhand
