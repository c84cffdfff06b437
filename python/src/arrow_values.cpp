#include "arrow_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace evenhand::python {
namespace {

// Takes a whole number off the front, and the comma behind it.
std::optional<int> next_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty() && text.front() == ',') text.remove_prefix(1);
  return value;
}

// The value, if eight bytes are enough for it.
std::optional<std::int64_t> small(const std::uint8_t* value, std::size_t bytes) {
  if (bytes == 4) {
    std::int32_t out = 0;
    std::memcpy(&out, value, 4);
    return out;
  }
  std::int64_t out = 0;
  std::memcpy(&out, value, 8);
  const std::uint8_t rest = out < 0 ? 0xFF : 0;
  const bool fits =
      std::all_of(value + 8, value + bytes, [&](std::uint8_t byte) { return byte == rest; });
  return fits ? std::optional(out) : std::nullopt;
}

// Digits of the absolute value, of 16 or 32 bytes.
std::string digits_of_large(const std::uint8_t* value, std::size_t bytes, bool negative) {
  std::array<std::uint32_t, 8> limbs{};
  const std::size_t count = bytes / 4;
  std::memcpy(limbs.data(), value, bytes);
  std::uint64_t carry = 1;
  for (std::size_t i = 0; negative && i < count; ++i) {
    carry += static_cast<std::uint32_t>(~limbs[i]);
    limbs[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32U;
  }
  constexpr std::uint64_t billion = 1'000'000'000;
  std::string out;
  while (std::any_of(limbs.begin(), limbs.end(), [](std::uint32_t limb) { return limb != 0; })) {
    std::uint64_t rest = 0;
    for (std::size_t i = count; i-- > 0;) {
      rest = (rest << 32U) | limbs[i];
      limbs[i] = static_cast<std::uint32_t>(rest / billion);
      rest %= billion;
    }
    out.insert(0, fmt::format("{:09}", rest));
  }
  return out.substr(std::min(out.find_first_not_of('0'), out.size()));
}

std::int64_t units_of(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 1'000;
    case 'u':
      return 1'000'000;
    case 'n':
      return 1'000'000'000;
    default:
      return 0;
  }
}

std::pair<std::int64_t, std::int64_t> divided(std::int64_t value, std::int64_t by) {
  const std::int64_t rest = value % by;
  return rest < 0 ? std::pair(value / by - 1, rest + by) : std::pair(value / by, rest);
}

// The Gregorian date of a number of days since 1970 (Hinnant's algorithm, for any year).
std::string date_text(std::int64_t days) {
  const auto [era, day_of_era] = divided(days + 719'468, 146'097);
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * from_march + 2) / 5 + 1;
  const std::int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return year > 0 ? fmt::format("{:04}-{:02}-{:02}", year, month, day)
                  : fmt::format("{:04}-{:02}-{:02} (BC)", 1 - year, month, day);
}

std::string clock_text(std::int64_t seconds, std::int64_t fraction, std::int64_t per_second) {
  std::string out =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3'600, seconds / 60 % 60, seconds % 60);
  if (fraction == 0) return out;
  std::string digits = std::to_string(per_second + fraction);  // 1 and all digits of the fraction
  digits[0] = '.';
  digits.erase(digits.find_last_not_of('0') + 1);
  return out + digits;
}

}  // namespace

std::optional<DecimalType> DecimalType::in(std::string_view format) {
  if (!format.starts_with("d:")) return std::nullopt;
  format.remove_prefix(2);
  const auto precision = next_number(format);
  const auto scale = next_number(format);
  const int bits = format.empty() ? 128 : next_number(format).value_or(0);
  if (!precision || !scale || std::abs(*scale) > 1'000) return std::nullopt;
  if (bits != 32 && bits != 64 && bits != 128 && bits != 256) return std::nullopt;
  return DecimalType{static_cast<std::size_t>(bits) / 8, *precision, *scale};
}

std::string DecimalType::text(const std::uint8_t* value) const {
  const bool negative = (value[bytes - 1] & 0x80U) != 0;
  std::string digits;
  if (const auto fits = small(value, bytes)) {
    const auto size = static_cast<std::uint64_t>(*fits);
    digits = *fits == 0 ? "" : std::to_string(negative ? ~size + 1 : size);
  } else {
    digits = digits_of_large(value, bytes, negative);
  }
  if (!digits.empty() && scale < 0) digits.append(static_cast<std::size_t>(-scale), '0');
  const auto behind = static_cast<std::size_t>(std::max(scale, 0));
  const std::size_t least = behind + (precision > scale ? 1 : 0);
  if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
  if (behind > 0) digits.insert(digits.size() - behind, ".");
  return negative ? "-" + digits : digits;
}

double DecimalType::number(const std::uint8_t* value) const {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  const auto fits = small(value, bytes);
  if (fits && -exact <= *fits && *fits <= exact && 0 <= scale && scale <= 22) {
    double power = 1;  // exact up to 10^22
    for (int i = 0; i < scale; ++i) power *= 10;
    return static_cast<double>(*fits) / power;
  }
  const std::string shown = text(value);
  double out = 0;
  std::from_chars(shown.data(), shown.data() + shown.size(), out);
  return out;
}

std::optional<std::int64_t> DecimalType::whole(const std::uint8_t* value) const {
  return scale == 0 ? small(value, bytes) : std::nullopt;
}

std::optional<TimeType> TimeType::in(std::string_view format) {
  if (format == "tdD") return TimeType{Kind::date, 4, 0};
  if (format == "tdm") return TimeType{Kind::date, 8, 1'000};
  if (format.size() < 3) return std::nullopt;
  const std::int64_t unit = units_of(format[2]);
  if (unit == 0) return std::nullopt;
  if (format.starts_with("tt") && format.size() == 3) {
    return TimeType{Kind::time, unit <= 1'000 ? std::size_t{4} : std::size_t{8}, unit};
  }
  if (format.starts_with("ts") && format.substr(3).starts_with(":")) {
    return TimeType{Kind::timestamp, 8, unit, format.size() > 4};
  }
  return std::nullopt;
}

std::string TimeType::text(std::int64_t value) const {
  constexpr std::int64_t day = 86'400;
  if (kind == Kind::date)
    return date_text(per_second == 0 ? value : divided(value, day * per_second).first);
  const auto [seconds, fraction] = divided(value, per_second);
  if (kind == Kind::time) return clock_text(seconds, fraction, per_second);
  const auto [days, clock] = divided(seconds, day);
  return date_text(days) + " " + clock_text(clock, fraction, per_second) + (zoned ? "+00" : "");
}

bool is_binary(std::string_view format) {
  return format == "z" || format == "Z" || format == "vz" || format.starts_with("w:");
}

std::string name_of_type(const arrow::Schema& type) {
  if (type.dictionary) return "dictionary of " + name_of_type(*type.dictionary);
  const std::string_view format = type.format;
  static constexpr std::array<std::pair<std::string_view, const char*>, 36> known = {{
      {"n", "null"},
      {"b", "boolean"},
      {"c", "int8"},
      {"C", "uint8"},
      {"s", "int16"},
      {"S", "uint16"},
      {"i", "int32"},
      {"I", "uint32"},
      {"l", "int64"},
      {"L", "uint64"},
      {"e", "float16"},
      {"f", "float"},
      {"g", "double"},
      {"u", "string"},
      {"U", "large string"},
      {"vu", "string view"},
      {"z", "binary"},
      {"Z", "large binary"},
      {"vz", "binary view"},
      {"w:", "fixed-size binary"},
      {"d:", "decimal"},
      {"td", "date"},
      {"tt", "time"},
      {"ts", "timestamp"},
      {"tD", "duration"},
      {"ti", "interval"},
      {"+l", "list"},
      {"+L", "large list"},
      {"+vl", "list view"},
      {"+vL", "large list view"},
      {"+w:", "fixed-size list"},
      {"+s", "struct"},
      {"+m", "map"},
      {"+ud:", "union"},
      {"+us:", "union"},
      {"+r", "run-end encoded"},
  }};
  for (const auto& [start, name] : known) {
    if (start.size() == 1 ? format == start : format.starts_with(start)) return name;
  }
  return fmt::format("'{}'", format);
}

}  // namespace evenhand::python
