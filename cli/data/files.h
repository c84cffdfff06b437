// Files by the names that users give them, and files without a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
// What DATA stands for.
struct FileSet {
  std::vector<std::string> files;  // in the order of their names
  // Where the part of their names begins that DATA leaves open; for a file by its own name, none.
  std::optional<std::size_t> open_from;
};
// The file of that name, those in a folder of that name at any depth (but for what begins with a
// dot or an underscore), or those that match a glob, where ** is any depth. Throws UserError if
// there is none.
FileSet files_of(const std::string& data);

// The folders called year=2025 in a part of a path, each as a column and its value; none is the
// value of __HIVE_DEFAULT_PARTITION__.
using Partition = std::vector<std::pair<std::string, std::optional<std::string>>>;
Partition partition_of(std::string_view path);

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
bool is_descriptor(std::string_view path);  // whether path_of made it

}  // namespace evenhand::cli
