// What is in a file, by its bytes: names lie.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/files.h"

namespace evenhand::cli {

constexpr std::size_t first_part = std::size_t{1} << 20U;  // of a file, to see what it is

std::string first_bytes(const std::string& file);    // its first part
std::string compression_of(std::string_view start);  // "gzip", "zstd" or "none"

// The first part of what a compressed file holds, or of one that is not compressed. All of it is
// decompressed: DuckDB takes one that was cut off for a whole one. Throws UserError that begins
// with `name`.
std::string checked_start(const std::string& file, const std::string& compression,
                          const std::string& name);

// Throws UserError for what can be neither CSV nor JSON.
void refuse_what_is_no_text(std::string_view start, Format format, const std::string& name);

}  // namespace evenhand::cli
