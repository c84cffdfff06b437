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
  SqlTypes types() const override { return {"DOUBLE", "INT", "STRING"}; }

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
  std::string fraction(const std::string& text) const override {
    return fmt::format(
        "CAST(conv(substring(sha2(CAST({} AS BINARY), 256), 1, 13), 16, 10) AS DOUBLE) / "
        "4503599627370496D",
        text);
  }
  std::string character(int code) const override { return fmt::format("char({})", code); }
  std::string key() const override { return "system.session.evenhand_key"; }
  std::string set_key(const std::string& k) const override {
    return fmt::format("DECLARE OR REPLACE VARIABLE evenhand_key STRING DEFAULT '{}';", k);
  }
};

}  // namespace

const SqlDialect& spark_dialect() {
  static const Spark dialect;
  return dialect;
}

}  // namespace evenhand
