// The man page, made from the same descriptions as --help; completion.cpp has the completion.
#include <evenhand/version.h>

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "completion.h"
#include "error.h"
#include "output/output.h"

namespace evenhand::cli {
namespace {

std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string option_page(const CLI::Option& option) {
  std::string title = option.get_name(!option.nonpositional(), option.nonpositional());
  if (const auto comma = title.find(','); comma != std::string::npos) title.insert(comma + 1, " ");
  title = roff(title);
  const std::string type = option.get_type_name();
  if (!type.empty() && option.nonpositional() && option.get_expected_max() > 0) {
    title += " \\fI" + roff(type) + "\\fR";
  }
  std::string text = roff(option.get_description());
  if (!option.get_default_str().empty()) {
    text += roff(fmt::format(" (default: {})", option.get_default_str()));
  }
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", title, text);
}

std::string command_page(const CLI::App& command) {
  std::string out = roff(command.get_description()) + ".\n";
  for (const CLI::Option* option : command.get_options()) out += option_page(*option);
  if (!command.get_footer().empty()) {
    out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.get_footer()));
  }
  return out;
}

std::string man_page(CLI::App& program) {
  std::string out = fmt::format(
      ".TH EVENHAND 1 \"\" \"evenhand {}\" \"User Commands\"\n.SH NAME\nevenhand \\- {}\n"
      ".SH SYNOPSIS\n.B evenhand\n\\fIcommand\\fR [\\fIDATA\\fR] [\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\n{}\n",
      EVENHAND_VERSION, roff("even-handed decisions from any model's scores"),
      roff("Turns the scores of any model into the most accurate decisions that treat groups of "
           "people alike, and proves it. Standard output is for results, standard error for "
           "progress and messages."));
  for (CLI::App* command : commands_of(program)) {
    std::string name = "EVENHAND " + command->get_name();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    out += fmt::format(".SH \"{}\"\n", name) + command_page(*command);
    for (CLI::App* sub : commands_of(*command)) {
      out += fmt::format(".SS \"evenhand {} {}\"\n", command->get_name(), roff(sub->get_name())) +
             command_page(*sub);
    }
  }
  out += ".SH EXIT STATUS\n";
  for (const auto& [number, meaning] : std::initializer_list<std::pair<int, std::string>>{
           {exit_done, "Done."},
           {exit_other, "Anything else: a full disk, too little memory."},
           {exit_usage, "Wrong input or options."},
           {exit_infeasible, "No rule meets the requirements."},
           {exit_exceeded,
            "A check failed: audit --fail-above or --fail-below, or an alarm of monitor."},
           {exit_too_few, "Too few rows to certify a rule."},
           {exit_inaccurate,
            "The rule could not be proven optimal; --accept-inaccurate writes it anyway."}}) {
    out += fmt::format(".TP\n.B {}\n{}\n", number, roff(meaning));
  }
  out +=
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set, nothing is coloured.\n.TP\n.B TMPDIR\n"
      "Where standard input is kept while it is read.\n";
  return out;
}

}  // namespace

void add_manual(Command& program, int& status) {
  Command& man = *program.add_subcommand("man", "Print the man page");
  const auto json = std::make_shared<bool>(false);
  const auto write = [json](const std::string& text) {
    print(*json ? nlohmann::ordered_json{{"text", text}}.dump(2) + "\n" : text);
  };
  man.add_flag("--json", *json, "Print it as JSON, in `text`");
  man.callback([&program, &status, write] {
    write(man_page(program.parsed()));
    status = exit_done;
  });
  Command& completion = *program.add_subcommand(
      "completion", "Print the completion of a shell: source <(evenhand completion bash)");
  const auto shell = std::make_shared<Shell>(Shell::bash);
  completion
      .add_option(
          "SHELL", [shell](const std::string& name) { *shell = shell_from(name); }, "TEXT",
          "bash, zsh or fish")
      ->default_str("bash");
  completion.add_flag("--json", *json, "Print it as JSON, in `text`");
  completion.callback([&program, &status, shell, write] {
    write(cli::completion(program.parsed(), *shell));
    status = exit_done;
  });
}

}  // namespace evenhand::cli
