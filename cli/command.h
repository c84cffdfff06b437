// A command and its options. CLI11 does the work, out of sight: its headers would cost every source
// that includes them seconds.
#pragma once

#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace evenhand::cli {

// Each function returns the option itself, so that calls can be chained.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}
  Option* required();
  Option* default_str(const std::string& text);  // how help calls its default
  Option* capture_default_str();                 // the value it has now
  Option* one_at_a_time();                       // may be repeated, each time with one value
  CLI::Option& parsed() const { return *option_; }

 private:
  CLI::Option* option_;
};

std::string quoted_for_shell(const std::string& word);  // as it is if it needs no quotes

class Command;

struct Subcommand {
  const char* name;
  const char* description;
  // Puts its options into `command`. When it is asked for, it runs and leaves the exit status in
  // `status`.
  void (*add)(Command& command, int& status);
};

class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* add_subcommand(const std::string& name, const std::string& description);
  void add_subcommands(std::initializer_list<Subcommand> subcommands, int& status);
  // The same where one of them has to be named; `example` is one, as it is typed.
  void require_one_of(const std::string& example, std::initializer_list<Subcommand> subcommands,
                      int& status);
  // `type` is how help calls the value.
  Option* add_option(const std::string& name, std::string& value, const std::string& type,
                     const std::string& help);
  Option* add_option(const std::string& name, std::optional<std::string>& value,
                     const std::string& type, const std::string& help);
  Option* add_option(const std::string& name, std::vector<std::string>& value,
                     const std::string& type, const std::string& help);
  // `take` may throw; it is called once for each time the option is given.
  Option* add_option(const std::string& name, std::function<void(const std::string&)> take,
                     const std::string& type, const std::string& help);
  Option* add_flag(const std::string& name, bool& value, const std::string& help);
  void footer(const std::string& text);
  void callback(std::function<void()> run);
  // The arguments that `run` is called with when the command is asked for; options fill them in.
  template <class Taken, class Arguments = std::remove_cvref_t<Taken>>
  Arguments& runs(int (*run)(Taken), int& status) {
    const auto arguments = std::make_shared<Arguments>();
    callback([arguments, run, &status] { status = run(*arguments); });
    return *arguments;
  }
  // What was typed, as far as it bears on the result: without `but` (long names) and the folders of
  // files. Words that a shell would take apart are in quotes.
  std::string typed(const std::set<std::string>& but) const;
  CLI::App& parsed() const { return *app_; }

 private:
  Option* keep(CLI::Option* option);

  CLI::App* app_;
  std::deque<Command> commands_;
  std::deque<Option> options_;
};

}  // namespace evenhand::cli
