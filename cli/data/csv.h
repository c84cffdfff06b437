// How a CSV file is written, by its first line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenhand::cli {

// What separates the names in the first line; a comma if it has one name only.
std::string delimiter_of(std::string_view start);
// The names in the first line; none if it is very long.
std::vector<std::string> header_of(std::string_view start, char delimiter);

}  // namespace evenhand::cli
