#include "output/output.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "output/progress.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

namespace fs = std::filesystem;

void write_all(int descriptor, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t put = write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EPIPE && descriptor == STDOUT_FILENO) throw Interrupted(SIGPIPE);
    if (put < 0) throw Failure(fmt::format("writing {}: {}", name, std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

bool is_stream(const std::string& path) {
  return path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/") ||
         path == "/dev/stdout" || path == "/dev/stderr";
}

}  // namespace

Output::Output(const std::string& path) {
  if (path == "-" || path.empty() || path == "/dev/stdout") {
    standard_output_ = true;
    name_ = "standard output";
  } else {
    name_ = shown(path);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error && status.type() == fs::file_type::none) {
      throw UserError(fmt::format("{}: {}", name_, error.message()));
    }
    if (fs::is_directory(status)) throw UserError(name_ + " is a folder, not a file");
    // What /dev/fd/63 leads to may have no name of its own.
    special_ = (fs::exists(status) && !fs::is_regular_file(status)) || is_stream(path);
    target_ = fs::exists(status) && !special_ ? fs::canonical(path, error) : fs::path(path);
  }
  if (standard_output_ || special_) {
    nameless_ = nameless_file();
    staged_ = path_of(nameless_);
    return;
  }
  std::error_code error;
  struct stat old {};
  if (stat(target_.c_str(), &old) == 0) {
    if (access(target_.c_str(), W_OK) != 0) {
      throw UserError(fmt::format("{}: {}", name_, std::strerror(errno)));
    }
    permissions_ = old.st_mode & 07777U;
  }
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    throw UserError(fmt::format("{}: there is no folder {}", name_, shown(folder.string())));
  }
  std::random_device random;
  while (true) {
    staged_ = (fs::canonical(folder) / fmt::format(".evenhand-{:08x}{:08x}", random(), random()))
                  .string();
    remove_on_signal(staged_);  // before it is there, so that no signal comes between
    const Descriptor created(open(staged_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (created.number() >= 0) return;
    const int why = errno;
    remove_on_signal({});
    if (why != EEXIST) throw UserError(fmt::format("{}: {}", name_, std::strerror(why)));
  }
}

Output::~Output() {
  if (completed_ || standard_output_ || special_) return;
  unlink(staged_.c_str());
  remove_on_signal({});
}

void Output::must_not_be(std::span<const std::string> inputs) const {
  std::vector<std::string> all(inputs.begin(), inputs.end());
  all.emplace_back("/dev/stdin");
  for (const std::string& input : all) {
    std::error_code ignored;  // of an output that is not there yet
    if (!special_ && fs::equivalent(target_, input, ignored)) {
      throw UserError(name_ + " is also the input; choose another output");
    }
  }
}

void Output::copy_to(int descriptor) const {
  const Descriptor from(open(staged_.c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<char> buffer(std::size_t{1} << 20U);
  while (true) {
    const ssize_t got = read(from.number(), buffer.data(), buffer.size());
    if (got < 0) throw Failure(fmt::format("reading back {}: {}", name_, std::strerror(errno)));
    if (got == 0) return;
    write_all(descriptor, {buffer.data(), static_cast<std::size_t>(got)}, name_);
  }
}

void Output::write_by(Database& database, const std::string& sql, std::string_view name) {
  try {
    database.query(sql, name);
  } catch (const Failure& failure) {
    // DuckDB names the file that it writes to, which is not the one that the user asked for.
    std::string message = failure.what();
    if (const auto at = message.find(staged_); at != std::string::npos) {
      message.replace(at, staged_.size(), name_);
    }
    throw Failure(fmt::format("writing {}: {}", name_, message));
  }
}

void Output::complete() {
  if (standard_output_) {
    std::fflush(stdout);
    copy_to(STDOUT_FILENO);
  } else if (special_) {
    const Descriptor to(open(target_.c_str(), O_WRONLY | O_CLOEXEC));
    if (to.number() < 0) throw UserError(fmt::format("{}: {}", name_, std::strerror(errno)));
    copy_to(to.number());
  } else {
    const Descriptor written(open(staged_.c_str(), O_RDONLY | O_CLOEXEC));
    if (permissions_ && fchmod(written.number(), *permissions_) != 0) {
      throw Failure(fmt::format("writing {}: {}", name_, std::strerror(errno)));
    }
    // The content must be on the disk before the name is: a crash must not leave an empty file.
    if (fsync(written.number()) != 0) {
      throw Failure(fmt::format("writing {}: {}", name_, std::strerror(errno)));
    }
    if (rename(staged_.c_str(), target_.c_str()) != 0) {
      throw Failure(fmt::format("{}: {}", name_, std::strerror(errno)));
    }
    remove_on_signal({});
  }
  completed_ = true;
}

void Output::complete_with(std::string_view content) {
  {
    const Descriptor to(open(staged_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (to.number() < 0) throw Failure(fmt::format("{}: {}", name_, std::strerror(errno)));
    write_all(to.number(), content, name_);
  }
  complete();
}

void refuse_named_output(const InputOptions& input, const std::string& output) {
  if (input.sql.empty() || output.empty()) return;
  const std::string name = fs::path(output).filename().string();
  if (fs::exists(output) && input.sql.find(name) != std::string::npos) {
    throw UserError(fmt::format("{} is also the input, by its name in --sql; choose another output",
                                shown(output)));
  }
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;  // of files that are not there yet
  if (fs::equivalent(a, b, ignored)) return true;
  return fs::weakly_canonical(fs::absolute(a), ignored) ==
         fs::weakly_canonical(fs::absolute(b), ignored);
}

Format output_format(const std::string& output, const std::string& asked) {
  if (asked != "auto") return format_from(asked);
  if (output.empty() || output == "-" || is_stream(output)) return Format::csv;
  const auto by_name = format_of_name(output);
  if (!by_name) {
    throw UserError(
        fmt::format("{}: its ending does not say what to write; use .csv, .parquet or .json, or "
                    "--output-format",
                    shown(output)));
  }
  return *by_name;
}

std::string copy_clause(const std::string& output, const std::string& asked) {
  const bool standard = output.empty() || output == "-";
  const std::string compression = standard ? "none" : compression_of_name(output);
  std::string out = "USE_TMP_FILE false, ";
  switch (output_format(output, asked)) {
    case Format::parquet:
      if (compression != "none")
        throw UserError("Parquet files are compressed inside: drop the ending");
      return out + "FORMAT parquet";
    case Format::json: {
      const bool lines =
          output.find(".ndjson") != std::string::npos || output.find(".jsonl") != std::string::npos;
      return out + fmt::format("FORMAT json, ARRAY {}, COMPRESSION {}", !lines, compression);
    }
    case Format::csv:
      break;
  }
  const bool tabs = output.find(".tsv") != std::string::npos;
  return out + fmt::format("FORMAT csv, HEADER true, DELIMITER {}, COMPRESSION {}",
                           tabs ? "'\t'" : "','", compression);
}

void print_for_people(std::string_view text) {
  if (!quiet()) print(text);
}

void print(std::string_view text) {
  std::fflush(stdout);
  write_all(STDOUT_FILENO, text, "standard output");
}

}  // namespace evenhand::cli
