#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace evenhand::record {

// Of the text and the bytes after it, as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view text, std::span<const std::byte> bytes = {});

}  // namespace evenhand::record
