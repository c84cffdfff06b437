#include <evenhand/text.h>

#include <fmt/format.h>

#include "sql/dialect.h"

namespace evenhand {
namespace {

// Names and texts have the same escapes, and neither may span lines.
std::string escaped(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      if (c == quote || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + quote;
}

class BigQuery : public SqlDialect {
 public:
  using SqlDialect::SqlDialect;

  std::string name(std::string_view name) const override {
    SqlDialect::name(name);
    return escaped(name, '`');
  }
  std::string text(std::string_view text) const override {
    check(text);
    return escaped(text, '\'');
  }
  std::string fail(const std::string& message, std::string_view type) const override {
    return fmt::format("CAST(ERROR({}) AS {})", message, type);
  }
  std::string below_sql(const std::string& text, const std::string& q) const override {
    return fmt::format(
        "CAST(CAST(CONCAT('0x', SUBSTR(TO_HEX(SHA256({})), 1, 13)) AS INT64) AS FLOAT64) / {} < {}",
        text, number(4503599627370496), q);
  }
};

}  // namespace

std::unique_ptr<SqlDialect> bigquery_dialect(const SqlWords& words) {
  return std::make_unique<BigQuery>(words);
}

}  // namespace evenhand
