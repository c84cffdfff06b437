#include <evenhand/advice.h>
#include <evenhand/text.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

namespace evenhand {
namespace {

std::vector<char32_t> characters_of(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t code = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k) {
      code = code << 6U | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    }
    out.push_back(code);
    i += length;
  }
  return out;
}

bool is_space(char32_t c) {
  return c <= 0x20 || c == 0xA0 || (c >= 0x2000 && c <= 0x200B) || c == 0x202F || c == 0x3000 ||
         c == 0xFEFF;
}

// Of Latin, Greek and Cyrillic letters.
char32_t lower(char32_t c) {
  const auto in = [c](char32_t from, char32_t to) { return c >= from && c <= to; };
  if (in('A', 'Z') || (in(0xC0, 0xDE) && c != 0xD7) || in(0x391, 0x3A9) || in(0x410, 0x42F)) {
    return c + 0x20;
  }
  if (in(0x400, 0x40F)) return c + 0x50;
  const bool pairs = in(0x100, 0x137) || in(0x14A, 0x177) || in(0x460, 0x52F) || in(0x1E00, 0x1EFF);
  return pairs ? c | 1U : c;
}

bool is_mark(char32_t c) {
  return c >= 0x300 && c <= 0x36F;
}

// Without case, and white space only where it divides words.
std::vector<char32_t> folded(std::string_view text) {
  std::vector<char32_t> out;
  bool space = false;
  for (const char32_t c : characters_of(text)) {
    if (is_space(c)) {
      space = true;
      continue;
    }
    if (space && !out.empty()) out.push_back(' ');
    space = false;
    out.push_back(lower(c));
  }
  return out;
}

// With the same sign for every letter beyond ASCII and every letter with marks of its own. Texts in
// NFC and NFD have the same; so may others, but these are compared with a text that has marks only.
std::vector<char32_t> without_accents(const std::vector<char32_t>& text) {
  constexpr char32_t accented = 0xFFFD;
  std::vector<char32_t> out;
  for (const char32_t c : text) {
    if (is_mark(c)) {
      if (!out.empty()) out.back() = accented;
    } else {
      out.push_back(c < 0x80 ? c : accented);
    }
  }
  return out;
}

bool looks_missing(std::string_view value) {
  constexpr std::array words = {"nan",  "NaN",  "NAN",  "null", "NULL", "Null",
                                "None", "<NA>", "<na>", "NaT",  "N/A",  "n/a"};
  return folded(value).empty() || std::find(words.begin(), words.end(), value) != words.end();
}

std::string in_quotes(const std::string& value) {
  return fmt::format("'{}'", printable(value.size() > 40 ? value.substr(0, 37) + "..." : value));
}

std::vector<std::vector<std::string>> alike_among(const std::set<std::string>& values) {
  std::map<std::vector<char32_t>, std::vector<std::string>> by_fold;
  for (const std::string& value : values) by_fold[folded(value)].push_back(value);
  std::vector<std::vector<std::string>> out;
  std::map<std::vector<char32_t>, std::vector<std::string>> plain;  // of texts without marks
  for (const auto& [fold, same] : by_fold) {
    if (same.size() > 1 && !fold.empty()) out.push_back(same);
    if (std::none_of(fold.begin(), fold.end(), is_mark)) {
      plain.emplace(without_accents(fold), same);
    }
  }
  for (const auto& [fold, same] : by_fold) {
    if (std::none_of(fold.begin(), fold.end(), is_mark)) continue;
    const auto other = plain.find(without_accents(fold));
    if (other != plain.end()) out.push_back({other->second.front(), same.front()});
  }
  return out;
}

}  // namespace

std::vector<std::string> odd_groups_in_words(const CellNames& cells) {
  constexpr std::size_t most = 5;
  std::vector<std::string> out;
  for (std::size_t a = 0; a < cells.attributes().size(); ++a) {
    std::set<std::string> values;
    for (CellCode c = 0; c < cells.size(); ++c) values.insert(cells.values(c)[a]);
    std::vector<std::string> odd;
    for (const std::vector<std::string>& same : alike_among(values)) {
      std::string names;
      for (std::size_t i = 0; i < same.size() && i < most; ++i) {
        names += (i == 0 ? "" : i + 1 == same.size() ? " and " : ", ") + in_quotes(same[i]);
      }
      odd.push_back(names + " count as different groups");
    }
    for (const std::string& value : values) {
      if (looks_missing(value)) odd.push_back(in_quotes(value) + " looks like a missing value");
    }
    if (odd.empty()) continue;
    std::string words = shown(cells.attributes()[a]) + ": ";
    for (std::size_t i = 0; i < odd.size() && i < most; ++i) words += (i > 0 ? "; " : "") + odd[i];
    out.push_back(odd.size() > most ? words + "; ..." : words);
  }
  return out;
}

std::vector<std::string> odd_key_in_words(std::string_view name, std::string_view key,
                                          bool readable_by_all) {
  std::vector<std::string> out;
  if (key.ends_with('\n') || key.ends_with('\r')) {
    out.push_back(
        fmt::format("{}: the key ends with a line break, which is part of it; the same key without "
                    "one tosses other coins",
                    name));
  }
  if (readable_by_all) {
    out.push_back(fmt::format(
        "{}: everybody on this machine can read the key, and foresee coins; chmod 600 it", name));
  }
  return out;
}

}  // namespace evenhand
