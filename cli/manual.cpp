// The man page and the completion of shells, made from the same descriptions as --help.
#include <evenhand/names.h>
#include <evenhand/version.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands/commands.h"
#include "error.h"
#include "output/output.h"

namespace evenhand::cli {
namespace {

// What may follow an option, for completion.
std::vector<std::pair<std::string, std::string>> words_for_options() {
  std::string criteria;
  for (const CriterionName& each : all_criteria()) criteria += fmt::format("{} ", each.name);
  std::vector<std::pair<std::string, std::string>> words = {
      {"--criterion", criteria},
      {"--resolution", "exact auto 8 12 16 20"},
      {"--gamma", "auto"},
      {"--bound", "same-rate any dkw"},
      {"--no-worse", "rate tpr"},
      {"--rho", "base best"},
      {"--format", "auto csv parquet json"},
      {"--output-format", "auto csv parquet json"},
  };
  for (const Choices& each : all_choices()) {
    words.emplace_back(fmt::format("--{}", each.option),
                       fmt::format("{}", fmt::join(each.names(), " ")));
  }
  return words;
}

std::vector<CLI::App*> commands_of(CLI::App& program) {
  std::vector<CLI::App*> out;
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) {
    if (!command->get_group().empty()) out.push_back(command);
  }
  return out;
}

std::string options_of(const CLI::App& command) {
  std::string names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) names += "-" + name + " ";
    for (const std::string& name : option->get_lnames()) names += "--" + name + " ";
  }
  return names;
}

std::string bash_completion(CLI::App& program) {
  std::string commands;
  std::string cases;
  for (CLI::App* command : commands_of(program)) {
    commands += command->get_name() + " ";
    cases += fmt::format("    {}) options='{}' ;;\n", command->get_name(), options_of(*command));
    std::string inner;
    for (CLI::App* sub : commands_of(*command)) {
      inner += sub->get_name() + " ";
      cases += fmt::format("    {}/{}) options='{}' ;;\n", command->get_name(), sub->get_name(),
                           options_of(*sub));
    }
    if (!inner.empty()) {
      cases += fmt::format("    {}/*) words='{}' ;;\n", command->get_name(), inner);
    }
  }
  std::string values;
  for (const auto& [option, words] : words_for_options()) {
    values +=
        fmt::format("    {}) mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\"); return ;;\n",
                    option, words);
  }
  return fmt::format(R"(# Completion of evenhand for bash.
_evenhand() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} options= words=
  local command=${{COMP_WORDS[1]}}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{}-h --help --version' -- "$word")
    return
  fi
  case $previous in
{}  esac
  [ "$command" = theory ] && command=theory/${{COMP_WORDS[2]}}
  case $command in
{}  esac
  if [ -n "$words" ] && [ "$COMP_CWORD" -eq 2 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words -h --help" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -F _evenhand evenhand
)",
                     commands, values, cases);
}

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
  man.callback([&program, &status] {
    print(man_page(program.parsed()));
    status = exit_done;
  });
  Command& completion = *program.add_subcommand(
      "completion", "Print the completion for bash: source <(evenhand completion)");
  completion.callback([&program, &status] {
    print(bash_completion(program.parsed()));
    status = exit_done;
  });
}

}  // namespace evenhand::cli
