// Files by the names that users give them, and files without a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand::cli {

enum class Format { csv, parquet, json };
Format format_from(std::string_view name);  // throws UserError

// By the ending of a file's name, before .gz or .zst; none if it says nothing.
std::optional<Format> format_of_name(std::string_view name);
// "gzip", "zstd" or "none", by the last ending.
std::string compression_of_name(std::string_view name);

// Throws UserError for what is not a file on this machine, and for kinds that cannot be read.
void refuse_what_is_elsewhere(const std::string& data);
// The file of that name, or those that match a glob. Throws UserError if there is none.
std::vector<std::string> files_of(const std::string& data);

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const noexcept { return number_; }

 private:
  int number_;
};

std::string temporary_folder();  // $TMPDIR, or /tmp

// A file without a name, which is gone when the program ends, however it ends.
Descriptor nameless_file();
std::string path_of(const Descriptor& file);

}  // namespace evenhand::cli
