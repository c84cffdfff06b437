#include "command.h"

#include <CLI/CLI.hpp>

namespace evenhand::cli {

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::type_name(const std::string& text) {
  option_->type_name(text);
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

Option* Command::keep(CLI::Option* option) {
  return &options_.emplace_back(*option);
}

Option* Command::add_option(const std::string& name, std::string& value, const std::string& help) {
  return keep(app_->add_option(name, value, help));
}

Option* Command::add_option(const std::string& name, std::optional<std::string>& value,
                            const std::string& help) {
  return keep(app_->add_option(name, value, help));
}

Option* Command::add_option(const std::string& name, std::vector<std::string>& value,
                            const std::string& help) {
  return keep(app_->add_option(name, value, help));
}

Option* Command::add_option(const std::string& name, std::function<void(const std::string&)> take,
                            const std::string& help) {
  return keep(app_->add_option_function<std::string>(name, std::move(take), help));
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
void Command::require_subcommand() {
  app_->require_subcommand(1);
}

}  // namespace evenhand::cli
