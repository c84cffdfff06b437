#include "data/sql.h"

#include <evenhand/text.h>

#include <algorithm>

#include <fmt/format.h>

#include "error.h"

namespace evenhand::cli {
namespace {

std::string quoted(std::string_view text, char quote) {
  if (text.find('\0') != std::string_view::npos) {
    throw UserError("a name or value contains the character NUL, which cannot be used here");
  }
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

}  // namespace

std::string identifier(std::string_view name) {
  return quoted(name, '"');
}

std::string literal(std::string_view text) {
  return quoted(text, '\'');
}

std::string double_literal(double value) {
  return fmt::format("CAST('{}' AS DOUBLE)", shortest(value));
}

std::string list_literal(std::span<const std::string> texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? ", " : "") + literal(text);
  return out + "]";
}

std::string joined(std::span<const std::string> parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != parts.data()) out += between;
    out += part;
  }
  return out;
}

}  // namespace evenhand::cli
