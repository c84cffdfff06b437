// How --help looks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command.h"

namespace CLI {
class FormatterBase;
}  // namespace CLI

namespace evenhand::cli {

std::shared_ptr<CLI::FormatterBase> help_formatter();

// Options that are added to the command while it lives stand together under its title.
class Section {
 public:
  Section(Command& command, std::string title);
  ~Section();
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

 private:
  Command& command_;
  std::string title_;
  std::size_t before_;
};

}  // namespace evenhand::cli
