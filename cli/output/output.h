// Files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "data/database.h"
#include "data/input.h"

namespace evenhand::cli {

// Written under another name in the same folder and renamed when complete; dropped if it is never
// completed. "-" is standard output, which gets nothing before all is written.
class Output {
 public:
  // Throws UserError if the path cannot be written.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  const std::string& staged() const noexcept { return staged_; }  // write here
  bool is_standard_output() const noexcept { return standard_output_; }
  const std::string& name() const noexcept { return name_; }

  // Throws UserError if the output is one of these files.
  void must_not_be(std::span<const std::string> inputs) const;

  // Runs a COPY to staged().
  void write_by(Database& database, const std::string& sql, std::string_view name);
  void complete();
  void complete_with(std::string_view content);  // writes it first

 private:
  void copy_to(int descriptor) const;

  std::string name_;              // for messages
  std::filesystem::path target_;  // what is renamed to
  std::string staged_;
  Descriptor nameless_;                  // what is copied, where nothing can be renamed
  std::optional<unsigned> permissions_;  // of the file that is replaced
  bool standard_output_ = false;
  bool special_ = false;  // a device or a pipe
  bool completed_ = false;
};

// Throws UserError if the output is a file that the SELECT names, as far as its text shows.
void refuse_named_output(const InputOptions& input, const std::string& output);
// Whether two names are of one file, be it there or not.
bool same_file(const std::string& a, const std::string& b);

// The format of an output, by the name of the file ("" is standard output, CSV) or as asked for
// (unless "auto"). Throws UserError.
Format output_format(const std::string& output, const std::string& asked);
// The same with all else that COPY needs to know.
std::string copy_clause(const std::string& output, const std::string& asked);

// To standard output, whole or throwing Failure.
void print(std::string_view text);
// The same, unless --quiet: tables and sentences, not what programs read.
void print_for_people(std::string_view text);

}  // namespace evenhand::cli
