#include <evenhand/text.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace evenhand {
namespace {

bool continues(std::string_view text, std::size_t at, unsigned low, unsigned high) noexcept {
  if (at >= text.size()) return false;
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte >= low && byte <= high;
}

// Bytes of the well-formed character that starts at `at`, 0 if there is none (Unicode, table 3-7).
std::size_t character_length(std::string_view text, std::size_t at) noexcept {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(text, at + 1, 0x80, 0xBF) ? 2 : 0;
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  const std::size_t length = lead >= 0xE0 && lead <= 0xEF   ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || !continues(text, at + 1, low, high)) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!continues(text, at + i, 0x80, 0xBF)) return 0;
  }
  return length;
}

unsigned code_point(std::string_view character) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
    case 3:
      return (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    default:
      return (byte(0) & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U | (byte(2) & 0x3FU) << 6U |
             (byte(3) & 0x3FU);
  }
}

// Control characters, line separators, and marks that turn the direction of writing.
bool is_obeyed(unsigned code) noexcept {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

// Levenshtein's distance, in one row.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

bool is_plain(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '+' || c == '/' || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t first_invalid_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string quoted_if_needed(std::string_view text, std::size_t most) {
  std::string shown(text.substr(0, most));
  if (shown.size() < text.size()) {
    while (!shown.empty() && first_invalid_utf8(shown) != std::string_view::npos) shown.pop_back();
    shown += "...";
  }
  const std::string safe = printable(shown);
  if (!shown.empty() && safe == shown && std::all_of(shown.begin(), shown.end(), is_plain)) {
    return shown;
  }
  std::string escaped;
  for (const char c : shown) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return '"' + printable(escaped) + '"';
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
      ++at;
      continue;
    }
    const std::string_view character = text.substr(at, length);
    if (const unsigned code = code_point(character); is_obeyed(code)) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += character;
    }
    at += length;
  }
  return out;
}

void append_utf8(std::string& out, unsigned code) {
  const auto byte = [&](unsigned value) { out += static_cast<char>(value); };
  const auto continuation = [&](unsigned shift) { byte(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    continuation(0);
  } else if (code < 0x10000) {
    byte(0xE0U | (code >> 12U));
    continuation(6);
    continuation(0);
  } else {
    byte(0xF0U | (code >> 18U));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

std::string rounded(double value, int digits) {
  return fmt::format("{:.{}g}", value, digits);
}

std::string with_commas(std::size_t value) {
  std::string out;
  for (; value >= 1000; value /= 1000) out = fmt::format(",{:03}{}", value % 1000, out);
  return fmt::format("{}{}", value, out);
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", with_commas(count), what, count == 1 ? "" : "s");
}

std::string people(double weight) {
  if (weight >= 0 && weight < 1e15 && weight == std::floor(weight)) {
    return with_commas(static_cast<std::size_t>(weight));
  }
  return rounded(weight, 6);
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 60;
  return quoted_if_needed(text, most);
}

std::string shown(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + shown(text);
  return out;
}

std::string percent(double share, int digits) {
  return fmt::format("{:.{}f} %", 100 * share, digits);
}

std::string percent(std::optional<double> share, int digits) {
  return share ? percent(*share, digits) : "-";
}

std::string small(double value) {
  if (value != 0 && std::abs(value) < 1e-4) return fmt::format("{:.0e}", value);
  return rounded(value, 4);
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t longest = 200;  // beyond that nobody mistypes, and distances get slow
  if (name.size() > longest) return {};
  const std::string* nearest = nullptr;
  // Of a word of one letter every other is near.
  std::size_t distance = std::min(name.size(), std::max<std::size_t>(2, name.size() / 3) + 1);
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest) continue;
    const std::size_t d = edit_distance(name, candidate);
    if (d < distance) {
      distance = d;
      nearest = &candidate;
    }
  }
  return nearest ? fmt::format("; did you mean '{}'?", printable(*nearest)) : std::string{};
}

}  // namespace evenhand
