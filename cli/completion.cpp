#include "completion.h"

#include <evenhand/sql.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "error.h"

namespace evenhand::cli {
namespace {

// What may follow an option.
std::vector<std::pair<std::string, std::string>> words_for_options() {
  std::string criteria;
  for (const CriterionName& each : all_criteria()) criteria += fmt::format("{} ", each.name);
  std::vector<std::pair<std::string, std::string>> words = {
      {"--criterion", criteria},
      {"--resolution", "exact auto 8 12 16 20"},
      {"--gamma", "auto"},
      {"--no-worse", "rate tpr"},
      {"--rho", "base best"},
      {"--format", "auto csv parquet json"},
      {"--output-format", "auto csv parquet json"},
  };
  std::vector<Choices> all = all_choices();
  all.push_back(dialect_choices());
  for (const Choices& each : all) {
    words.emplace_back(fmt::format("--{}", each.option),
                       fmt::format("{}", fmt::join(each.names(), " ")));
  }
  return words;
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
  std::string nested;
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
      nested += (nested.empty() ? "" : "|") + command->get_name();
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
{}    completion) words='bash zsh fish' ;;
  esac
  case $command in
    {}) command=$command/${{COMP_WORDS[2]}} ;;
  esac
  case $command in
{}  esac
  if [ -n "$words" ] && [ "$COMP_CWORD" -eq 2 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words ${{options:--h --help}}" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -F _evenhand evenhand
)",
                     commands, values, nested, cases);
}

// The first sentence of a description, on one line.
std::string first_sentence(const std::string& description) {
  std::string out = description.substr(0, description.find('\n'));
  if (const auto end = out.find_first_of(";:("); end != std::string::npos) out.resize(end);
  while (!out.empty() && (out.back() == ' ' || out.back() == '.')) out.pop_back();
  return out;
}

// In single quotes, for a shell that takes a quote as `escape` inside them.
std::string quoted(const std::string& text, std::string_view escape) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "'";
}

// 'name:description' for _describe.
std::string zsh_word(const std::string& name, const std::string& description) {
  return quoted(name + ":" + first_sentence(description), "'\\''");
}

std::string zsh_options(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) {
      out += " " + zsh_word("-" + name, option->get_description());
    }
    for (const std::string& name : option->get_lnames()) {
      out += " " + zsh_word("--" + name, option->get_description());
    }
  }
  return out;
}

std::string zsh_completion(CLI::App& program) {
  std::string commands;
  std::string cases;
  for (CLI::App* command : commands_of(program)) {
    const std::string& name = command->get_name();
    commands += " " + zsh_word(name, command->get_description());
    std::string inner;
    for (CLI::App* sub : commands_of(*command)) {
      inner += " " + zsh_word(sub->get_name(), sub->get_description());
      cases +=
          fmt::format("    {}/{}) options=({}) ;;\n", name, sub->get_name(), zsh_options(*sub));
    }
    if (name == "completion") inner = " bash zsh fish";
    cases +=
        fmt::format("    {}/*) options=({}) inner=({}) ;;\n", name, zsh_options(*command), inner);
  }
  std::string values;
  for (const auto& [option, words] : words_for_options()) {
    values += fmt::format("    {}) compadd -- {}; return ;;\n", option, words);
  }
  return fmt::format(R"(#compdef evenhand
_evenhand() {{
  local -a commands options inner
  commands=({})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[CURRENT-1] in
{}  esac
  case $words[2]/$words[3] in
{}  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option options
  elif (( CURRENT == 3 && $#inner )); then
    _describe command inner
  else
    _files
  fi
}}
if [[ $funcstack[1] == _evenhand ]]; then
  _evenhand "$@"
else
  compdef _evenhand evenhand
fi
)",
                     commands, values, cases);
}

void add_fish_options(std::string& out, const CLI::App& command, const std::string& condition) {
  const auto values = words_for_options();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_snames().empty() && option->get_lnames().empty()) continue;
    out += fmt::format("complete -c evenhand -n {}", quoted(condition, "\\'"));
    for (const std::string& name : option->get_snames()) out += " -s " + name;
    for (const std::string& name : option->get_lnames()) {
      out += " -l " + name;
      for (const auto& [word, words] : values) {
        if (word == "--" + name) out += fmt::format(" -x -a '{}'", words);
      }
    }
    if (option->get_expected_max() > 0) out += " -r";
    out += fmt::format(" -d {}\n", quoted(first_sentence(option->get_description()), "\\'"));
  }
}

std::string fish_completion(CLI::App& program) {
  std::string out = "# Completion of evenhand for fish.\n";
  for (CLI::App* command : commands_of(program)) {
    const std::string& name = command->get_name();
    const std::string seen = "__fish_seen_subcommand_from " + name;
    out += fmt::format("complete -c evenhand -n __fish_use_subcommand -f -a {} -d {}\n", name,
                       quoted(first_sentence(command->get_description()), "\\'"));
    add_fish_options(out, *command, seen);
    for (CLI::App* sub : commands_of(*command)) {
      out += fmt::format("complete -c evenhand -n '{}' -f -a {} -d {}\n", seen, sub->get_name(),
                         quoted(first_sentence(sub->get_description()), "\\'"));
      add_fish_options(out, *sub, seen + "; and __fish_seen_subcommand_from " + sub->get_name());
    }
  }
  out += "complete -c evenhand -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
  return out;
}

}  // namespace

Shell shell_from(std::string_view name) {
  if (name == "bash") return Shell::bash;
  if (name == "zsh") return Shell::zsh;
  if (name == "fish") return Shell::fish;
  throw UserError(fmt::format("there is no completion for '{}': choose bash, zsh or fish", name));
}

std::vector<CLI::App*> commands_of(CLI::App& program) {
  std::vector<CLI::App*> out;
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) {
    if (!command->get_group().empty()) out.push_back(command);
  }
  return out;
}

std::string completion(CLI::App& program, Shell shell) {
  if (shell == Shell::zsh) return zsh_completion(program);
  if (shell == Shell::fish) return fish_completion(program);
  return bash_completion(program);
}

}  // namespace evenhand::cli
