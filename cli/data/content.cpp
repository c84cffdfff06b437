#include "data/content.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "error.h"
#include "output/progress.h"

namespace evenhand::cli {
namespace {

bool looks_like_utf16(std::string_view start) {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) return true;
  if (start.size() < 4) return false;
  const auto zero = [&](std::size_t at) { return start[at] == '\0'; };
  return zero(0) == zero(2) && zero(1) == zero(3) && zero(0) != zero(1);
}

// Adds to the first part as long as that has room.
void extend(std::string& start, const std::vector<char>& buffer, std::size_t size) {
  start.append(buffer.data(), std::min(size, first_part - start.size()));
}

[[noreturn]] void refuse_damaged(const std::string& name) {
  throw UserError(fmt::format("{}: the compressed file is cut off or damaged", name));
}

std::string start_of_gzip(const std::string& file, const std::string& name) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), gzclose_r);
  if (!stream) throw Failure(fmt::format("{}: {}", name, std::strerror(errno)));
  std::vector<char> buffer(std::size_t{1} << 18U);
  std::string start;
  int got = 0;
  while ((got = gzread(stream.get(), buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    throw_if_interrupted();
    extend(start, buffer, static_cast<std::size_t>(got));
  }
  int error = Z_OK;
  gzerror(stream.get(), &error);
  if (got < 0 || error != Z_OK) refuse_damaged(name);
  return start;
}

std::string start_of_zstd(const std::string& file, const std::string& name) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                             ZSTD_freeDStream);
  if (!stream) throw std::bad_alloc();
  std::ifstream bytes(file, std::ios::binary);
  std::vector<char> read(ZSTD_DStreamInSize());
  std::vector<char> buffer(ZSTD_DStreamOutSize());
  std::string start;
  std::size_t left = 1;  // 0 where a frame is complete
  while (bytes) {
    throw_if_interrupted();
    bytes.read(read.data(), static_cast<std::streamsize>(read.size()));
    ZSTD_inBuffer in{read.data(), static_cast<std::size_t>(bytes.gcount()), 0};
    bool full = false;  // then there may be more to come from what was read already
    while (in.pos < in.size || full) {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      left = ZSTD_decompressStream(stream.get(), &out, &in);
      if (ZSTD_isError(left) != 0) refuse_damaged(name);
      extend(start, buffer, out.pos);
      full = out.pos == out.size && left != 0;
    }
  }
  if (bytes.bad()) throw Failure(fmt::format("{}: {}", name, std::strerror(errno)));
  if (left != 0) refuse_damaged(name);
  return start;
}

}  // namespace

std::string first_bytes(const std::string& file) {
  std::vector<char> bytes(first_part);
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return {bytes.data(), static_cast<std::size_t>(stream.gcount())};
}

std::string checked_start(const std::string& file, const std::string& compression,
                          const std::string& name) {
  if (compression == "gzip") return start_of_gzip(file, name);
  if (compression == "zstd") return start_of_zstd(file, name);
  return first_bytes(file);
}

std::string compression_of(std::string_view start) {
  if (start.starts_with("\x1f\x8b")) return "gzip";
  if (start.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  return "none";
}

// Values may hold anything that DuckDB reads; the first line has the names.
void refuse_what_is_no_text(std::string_view start, Format format, const std::string& name) {
  using namespace std::string_view_literals;
  for (const auto& [magic, program] :
       {std::pair("\xFD"
                  "7zXZ\0"sv,
                  "xz"),
        std::pair("BZh"sv, "bzip2"), std::pair("\x04\x22\x4D\x18"sv, "lz4"),
        std::pair("7z\xBC\xAF\x27\x1C"sv, "7z")}) {
    if (!start.starts_with(magic)) continue;
    // Unlike the others, this could begin a name of a column.
    if (magic == "BZh" && start.substr(4, 6) != "1AY&SY") continue;
    throw UserError(fmt::format(
        "{}: it is compressed by {}, which cannot be read; decompress it first, or use gzip or "
        "zstd",
        name, program));
  }
  if (start.starts_with("PK\x03\x04")) {
    throw UserError(
        fmt::format("{}: it is a zip archive, as Excel writes, not UTF-8 text; save it as CSV, "
                    "JSON or Parquet",
                    name));
  }
  if (looks_like_utf16(start)) {
    throw UserError(fmt::format(
        "{}: it looks like UTF-16, not UTF-8; save it as UTF-8, or convert it with iconv -f UTF-16 "
        "-t UTF-8",
        name));
  }
  const std::string_view line = start.substr(0, start.find('\n'));
  if ((format == Format::json ? start : line).find('\0') != std::string_view::npos) {
    throw UserError(fmt::format("{}: it is not UTF-8 text; save it as CSV, JSON or Parquet", name));
  }
  constexpr std::size_t longest = 4;  // bytes of a character, which may be cut
  const std::size_t bad = first_invalid_utf8(line);
  if (format == Format::csv && bad != std::string_view::npos &&
      (line.size() < first_part || bad + longest <= line.size())) {
    throw UserError(fmt::format(
        "{}: its first line is not UTF-8 text; save it as UTF-8, or as JSON or Parquet", name));
  }
}

}  // namespace evenhand::cli
