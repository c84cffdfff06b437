// Values of Arrow's types that are neither texts nor C++'s own numbers: decimals, dates, times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arrow.h"

namespace evenhand::python {

// A whole number of so many bytes, divided by 10^scale.
struct DecimalType {
  std::size_t bytes;  // 4, 8, 16 or 32
  int precision;
  int scale;

  static std::optional<DecimalType> in(std::string_view format);

  // As DuckDB writes it: with all digits behind the point, and none before it if there is no room.
  std::string text(const std::uint8_t* value) const;
  double number(const std::uint8_t* value) const;                      // the nearest
  std::optional<std::int64_t> whole(const std::uint8_t* value) const;  // if it is one and fits
};

// Days, or seconds and fractions of them.
struct TimeType {
  enum class Kind { date, time, timestamp };
  Kind kind;
  std::size_t bytes;        // 4 or 8
  std::int64_t per_second;  // 0 for days
  bool zoned = false;

  static std::optional<TimeType> in(std::string_view format);

  // As DuckDB writes it: the fraction without zeros at its end, and what has a time zone in UTC.
  std::string text(std::int64_t value) const;
};

// Whether its values are bytes, which need not be texts.
bool is_binary(std::string_view format);

// What people call it: "list", "a dictionary of double".
std::string name_of_type(const arrow::Schema& type);

}  // namespace evenhand::python
