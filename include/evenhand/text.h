// Texts for people: names, numbers, suggestions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// Where `text` stops being UTF-8, or std::string_view::npos if it never does.
std::size_t first_invalid_utf8(std::string_view text) noexcept;
void append_utf8(std::string& out, unsigned code);  // of a character, up to 0x10FFFF

// Whether a plain word may contain this byte: letters, digits, _ - . + / and what is not ASCII.
bool is_plain(char c) noexcept;

// A plain word as it is, anything else as a JSON string, shortened in the middle of very long ones
// where `most` (bytes) says so.
std::string quoted_if_needed(std::string_view text, std::size_t most = std::string_view::npos);

// Without what a terminal would obey or what would reorder or break a line: control characters,
// marks of writing direction, line separators and bytes that are no UTF-8 come out as \uXXXX or
// \xXX.
std::string printable(std::string_view text);

// The shortest text that reads back as the same double.
std::string shortest(double value);

// At most `digits` significant digits, without trailing zeros.
std::string rounded(double value, int digits);

// "12,345"
std::string with_commas(std::size_t value);
std::string counted(std::size_t count, std::string_view what);  // "1 row", "2,000 rows"
std::string people(double weight);  // "16,281", or a weight that is no whole number

std::string percent(double share, int digits = 2);                 // "12.34 %"
std::string percent(std::optional<double> share, int digits = 2);  // "-" for none
std::string small(double value);                                   // "0", "3e-17", "0.0123"

// Text from data on one line, without characters that a terminal would obey, shortened if long.
std::string shown(std::string_view text);
std::string shown(const std::vector<std::string>& texts);  // with commas between

// "; did you mean 'race'?" for the candidate nearest to `name`, or nothing if none is near.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace evenhand
