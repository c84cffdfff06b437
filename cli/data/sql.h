// Names and values from outside as parts of SQL: always through these, so that none is executed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace evenhand::cli {

std::string identifier(std::string_view name);  // "name", quotes doubled
std::string literal(std::string_view text);     // 'text', quotes doubled
std::string double_literal(double value);       // this very number
std::string list_literal(std::span<const std::string> texts);
std::string joined(std::span<const std::string> parts, std::string_view between = ", ");

}  // namespace evenhand::cli
