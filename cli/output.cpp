#include "output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "terminal.h"

namespace evenhand::cli {
namespace {

namespace fs = std::filesystem;

void write_all(int descriptor, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t put = write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw Failure(fmt::format("writing {}: {}", name, std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace

Output::Output(const std::string& path) {
  if (path == "-" || path.empty()) {
    standard_output_ = true;
    name_ = "standard output";
  } else {
    name_ = shown(path);
    target_ = fs::exists(path) ? fs::canonical(path) : fs::path(path);
    if (fs::is_directory(target_)) throw UserError(name_ + " is a folder, not a file");
    special_ = fs::exists(target_) && !fs::is_regular_file(target_);
  }
  if (standard_output_ || special_) {
    nameless_ = nameless_file();
    staged_ = path_of(nameless_);
    return;
  }
  if (fs::exists(target_) && access(target_.c_str(), W_OK) != 0) {
    throw UserError(fmt::format("{}: {}", name_, std::strerror(errno)));
  }
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) {
    throw UserError(fmt::format("{}: there is no folder {}", name_, shown(folder.string())));
  }
  staged_ = (fs::canonical(folder) / fmt::format(".evenhand-{}.tmp", getpid())).string();
  const int created = open(staged_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (created < 0) throw UserError(fmt::format("{}: {}", name_, std::strerror(errno)));
  close(created);
}

Output::~Output() {
  if (!completed_ && !standard_output_ && !special_) unlink(staged_.c_str());
}

void Output::must_not_be(std::span<const std::string> inputs) const {
  for (const std::string& input : inputs) {
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
    // The content must be on the disk before the name is: a crash must not leave an empty file.
    if (fsync(written.number()) != 0) {
      throw Failure(fmt::format("writing {}: {}", name_, std::strerror(errno)));
    }
    if (rename(staged_.c_str(), target_.c_str()) != 0) {
      throw Failure(fmt::format("{}: {}", name_, std::strerror(errno)));
    }
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

void print(std::string_view text) {
  std::fflush(stdout);
  write_all(STDOUT_FILENO, text, "standard output");
}

}  // namespace evenhand::cli
