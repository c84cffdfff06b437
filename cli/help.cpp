#include "help.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace evenhand::cli {
namespace {

constexpr std::size_t left = 30;    // where descriptions begin
constexpr std::size_t right = 100;  // and where they end

std::string two_columns(const std::string& name, const std::string& description) {
  std::string out = "  " + name;
  std::size_t at = out.size();
  if (at + 1 >= left) {
    out += "\n";
    at = 0;
  }
  out += std::string(left - at, ' ');
  at = left;
  for (std::size_t i = 0; i < description.size();) {
    const std::size_t end = std::min(description.find(' ', i), description.size());
    const std::size_t length = end - i;
    if (at > left && at + 1 + length > right) {
      out += "\n" + std::string(left, ' ');
      at = left;
    } else if (at > left) {
      out += ' ';
      ++at;
    }
    out += description.substr(i, length);
    at += length;
    i = end + 1;
  }
  return out + "\n";
}

class Help : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = make_option_name(option, is_positional);
    for (std::size_t comma = name.find(','); comma != std::string::npos && !is_positional;
         comma = name.find(',', comma + 2)) {
      name.insert(comma + 1, " ");
    }
    if (!is_positional && !option->get_type_name().empty() && option->get_expected_max() > 0) {
      name += " " + option->get_type_name();
    }
    std::string description = option->get_description();
    if (!option->get_default_str().empty()) {
      description += fmt::format(" (default: {})", option->get_default_str());
    }
    return two_columns(name, description);
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return two_columns(command->get_name(), command->get_description());
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  auto help = std::make_shared<Help>();
  help->label("OPTIONS", "options");
  help->label("SUBCOMMAND", "command");
  help->label("Subcommands", "Commands");
  help->label("Positionals", "What to read");
  return help;
}

Section::Section(Command& command, std::string title)
    : command_(command), title_(std::move(title)), before_(command.parsed().get_options().size()) {}

Section::~Section() {
  const std::vector<CLI::Option*> all = command_.parsed().get_options();
  for (std::size_t i = before_; i < all.size(); ++i) all[i]->group(title_);
}

}  // namespace evenhand::cli
