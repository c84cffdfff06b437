// The page's parts, which the build puts into the library: report/, d3 and Observable Plot.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace evenhand::report {

std::string_view page_template();
std::string_view style();
std::string licences();                       // of what the scripts contain
std::span<const std::string_view> scripts();  // in the order in which they run

}  // namespace evenhand::report
