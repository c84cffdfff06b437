#include "command.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>

namespace evenhand::cli {

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::default_str(const std::string& text) {
  option_->default_str(text);
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::one_at_a_time() {
  option_->allow_extra_args(false);
  return this;
}

Command* Command::add_subcommand(const std::string& name, const std::string& description) {
  CLI::App* added = app_->add_subcommand(name, description);
  added->group("Commands");
  return &commands_.emplace_back(*added);
}

void Command::add_subcommands(std::initializer_list<Subcommand> subcommands, int& status) {
  for (const Subcommand& each : subcommands) {
    each.add(*add_subcommand(each.name, each.description), status);
  }
}

Option* Command::keep(CLI::Option* option) {
  return &options_.emplace_back(*option);
}

Option* Command::add_option(const std::string& name, std::string& value, const std::string& type,
                            const std::string& help) {
  return keep(app_->add_option(name, value, help)->type_name(type));
}

Option* Command::add_option(const std::string& name, std::optional<std::string>& value,
                            const std::string& type, const std::string& help) {
  return keep(app_->add_option(name, value, help)->type_name(type));
}

Option* Command::add_option(const std::string& name, std::vector<std::string>& value,
                            const std::string& type, const std::string& help) {
  return keep(app_->add_option(name, value, help)->type_name(type));
}

Option* Command::add_option(const std::string& name, std::function<void(const std::string&)> take,
                            const std::string& type, const std::string& help) {
  return keep(app_->add_option_function<std::string>(name, std::move(take), help)->type_name(type));
}

Option* Command::add_flag(const std::string& name, bool& value, const std::string& help) {
  return keep(app_->add_flag(name, value, help));
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}
void Command::callback(std::function<void()> run) {
  app_->callback(std::move(run));
}
void Command::require_one_of(const std::string& example,
                             std::initializer_list<Subcommand> subcommands, int& status) {
  app_->require_subcommand(1);
  footer("Each has its own help: " + example + " --help.");
  add_subcommands(subcommands, status);
}

std::string quoted_for_shell(const std::string& word) {
  constexpr std::string_view plain = "%+,-./:=@_";
  const bool needed = word.empty() || !std::all_of(word.begin(), word.end(), [&](char c) {
                        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                               (c >= 'a' && c <= 'z') || plain.find(c) != std::string_view::npos;
                      });
  if (!needed) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string Command::typed(const std::set<std::string>& but) const {
  std::string out = "evenhand " + app_->get_name();
  std::map<const CLI::Option*, std::size_t> seen;
  for (const CLI::Option* option : app_->parse_order()) {
    const std::size_t time = seen[option]++;
    const bool positional = option->get_lnames().empty() && option->get_snames().empty();
    const std::string name = !option->get_lnames().empty()   ? "--" + option->get_lnames().front()
                             : !option->get_snames().empty() ? "-" + option->get_snames().front()
                                                             : "";
    if (but.contains(name)) continue;
    if (!positional) out += " " + name;
    if (option->get_expected_max() == 0 || time >= option->results().size()) continue;
    std::string value = option->results()[time];
    if (positional || option->get_type_name() == "FILE") {
      const std::string file = std::filesystem::path(value).filename().string();
      if (!file.empty()) value = file;
    }
    out += " " + quoted_for_shell(value);
  }
  return out;
}

}  // namespace evenhand::cli
