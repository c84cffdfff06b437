#include <evenhand/text.h>
#include <evenhand/version.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands/commands.h"
#include "data/database.h"
#include "error.h"
#include "help.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

// One line, whatever the message: nothing in it moves the cursor, and it ends.
int complain(std::string_view message, int status) {
  constexpr std::size_t most = 600;
  std::string line;
  for (const char c : message) line += c == '\n' ? ' ' : c;
  line = printable(line);
  if (line.size() > most) {
    line.resize(most);
    while (first_invalid_utf8(line) != std::string::npos) line.pop_back();
    line += "...";
  }
  say("evenhand: " + line);
  return status;
}

void describe(CLI::App& program) {
  program.require_subcommand(1);
  program.set_version_flag("--version", fmt::format("evenhand {} (DuckDB {})", EVENHAND_VERSION,
                                                    duckdb_library_version()));
  program.footer(
      "Start with evenhand demo, then evenhand fit --help.\n"
      "Exit status: 0 done, 2 wrong input or options, 3 no rule meets the requirements, 4 a check\n"
      "failed (audit --fail-above and --fail-below, monitor, verify), 5 too few rows to certify,\n"
      "6 not proven optimal, 1 anything else.");
  program.formatter(help_formatter());
}

// What is left when all that the command takes is taken.
std::string words_for_extra(const CLI::App& program, const std::vector<std::string>& arguments) {
  const CLI::App* command = program.get_subcommand(arguments.front());
  for (const CLI::App* inner : command->get_subcommands()) command = inner;
  const std::vector<std::string> left = command->remaining();
  const std::string first = left.empty() ? arguments.back() : left.front();
  std::error_code ignored;
  const bool another = command->get_option_no_throw("DATA") && !first.starts_with('-') &&
                       std::filesystem::exists(first, ignored);
  return fmt::format("{} is not understood{}; see evenhand {} --help", shown(first),
                     another ? ": DATA is one file; for several, put the glob in quotes, such as "
                               "'*.csv', or use --sql"
                             : "",
                     arguments.front());
}

// An option that is given more than once, or whose value is missing.
std::string words_for_mismatch(const std::string& message) {
  constexpr std::string_view twice = ": At Most 1 required but received ";
  const std::string option = message.substr(0, message.find(':'));
  if (const auto at = message.find(twice); at != std::string::npos) {
    const std::string times = message.substr(at + twice.size());
    return fmt::format("{} is given {}", option, times == "2" ? "twice" : times + " times");
  }
  if (message.ends_with(" missing")) return fmt::format("{} needs a value", option);
  return message;
}

// What CLI11 says, in our words where they help.
std::string words_for(const CLI::ParseError& error, const CLI::App& program,
                      const std::vector<std::string>& arguments) {
  const std::string message = error.what();
  if (arguments.empty()) return "no command given; try evenhand demo, or evenhand --help";
  std::vector<std::string> commands;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
  }
  if (std::find(commands.begin(), commands.end(), arguments.front()) == commands.end()) {
    return fmt::format("there is no command {}{}; see evenhand --help", shown(arguments.front()),
                       suggestion(arguments.front(), commands));
  }
  for (const std::string& argument : arguments) {
    if (arguments.front() == "frontier" &&
        (argument.starts_with("--tolerance") || argument.starts_with("--ratio"))) {
      return "frontier tries several tolerances (for four-fifths: ratios): name them with --at";
    }
  }
  const std::string& command = arguments.front();
  if (command == "theory" && arguments.size() == 1) {
    return "no calculator given: use impossibility, excess-risk, sgd-error or gamma; see evenhand "
           "theory --help";
  }
  if (command == "sql" && arguments.size() == 1) {
    return "no statement given: use tally, apply, audit or key; see evenhand sql --help";
  }
  if ((command == "theory" || command == "sql") && !arguments[1].starts_with('-')) {
    std::vector<std::string> inner;
    for (const CLI::App* one :
         program.get_subcommand(command)->get_subcommands([](const CLI::App*) { return true; })) {
      inner.push_back(one->get_name());
    }
    if (std::find(inner.begin(), inner.end(), arguments[1]) == inner.end()) {
      return fmt::format("there is no {0} {1}{2}; see evenhand {0} --help", command,
                         shown(arguments[1]), suggestion(arguments[1], inner));
    }
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    return words_for_extra(program, arguments);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    return words_for_mismatch(message) + fmt::format("; see evenhand {} --help", arguments.front());
  }
  return message + fmt::format("; see evenhand {} --help", arguments.front());
}

void add_quiet(CLI::App& command) {
  const auto all = command.get_subcommands([](const CLI::App*) { return true; });
  for (CLI::App* inner : all) add_quiet(*inner);
  if (!all.empty()) return;
  command.add_flag_callback("-q,--quiet", be_quiet,
                            "Print no text for people unless something goes wrong: only files, "
                            "--json and what programs read");
}

// The option that is given an empty value, as by a variable of the shell that is not set; "" if
// there is none.
std::string_view empty_option(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (!argument.starts_with('-') || argument.size() < 2) continue;
    if (argument == "--require") continue;  // what is wrong with its text is said with its place
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      return argument.substr(0, argument.size() - 1);
    }
    if (i + 1 < arguments.size() && arguments[i + 1].empty()) return argument;
  }
  return {};
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  if (const std::string_view option = empty_option(arguments); !option.empty()) {
    const bool output = option == "-o" || option == "--output";
    return complain(output ? "-o is empty: name a file, or - for standard output"
                           : fmt::format("{} is empty", shown(option)),
                    exit_usage);
  }
  int status = exit_other;
  CLI::App program(
      "Even-handed decisions from any model's scores: the most accurate rule that treats "
      "groups alike.",
      "evenhand");
  describe(program);
  Command commands(program);
  commands.add_subcommands(
      {
          {"demo", "Everything below on built-in data, in a few seconds", add_demo},
          {"fit", "Find the most accurate rule that treats groups alike", add_fit},
          {"apply", "Decide for every row: adds the columns probability and decision", add_apply},
          {"show", "Explain a rule in plain words", add_show},
          {"explain", "Why somebody gets a decision, and which score it would have taken",
           add_explain},
          {"audit", "Figures by group, of the scores, of a rule, or of decisions already made",
           add_audit},
          {"report", "One page for the people who sign off, with all figures and a what-if slider",
           add_report},
          {"frontier", "What a stricter criterion costs: accuracy against tolerance", add_frontier},
          {"calibrate",
           "How far scores can be trusted as probabilities, before and after calibration",
           add_calibrate},
          {"tally", "Count rows by group and score: all that fitting needs, without anybody's row",
           add_tally},
          {"merge", "Add up tallies: the tally of all their rows, in any order", add_merge},
          {"sql", "Tallies and decisions as SQL, for data that stay in a warehouse", add_sql},
          {"plan", "How many people are needed to bound a difference", add_plan},
          {"monitor", "Is a rule still within its tolerance, batch after batch?", add_monitor},
          {"verify", "Recompute what a rule's record claims, or check a log of decisions",
           add_verify},
          {"theory", "The paper's theorems as calculators", add_theory},
      },
      status);
  add_manual(commands, status);
  add_quiet(program);
  forget_remarks();
  try {
    // CLI11 takes them from the back.
    program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    if (status == exit_done) say_remarks();  // else the reason is the only line
    return status;
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return complain(words_for(error, program, arguments), exit_usage);
  } catch (const UserError& error) {
    return complain(error.what(), exit_usage);
  } catch (const std::invalid_argument& error) {  // the library's
    return complain(error.what(), exit_usage);
  } catch (const std::out_of_range& error) {
    return complain(error.what(), exit_usage);
  } catch (const Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const std::bad_alloc&) {
    return complain("out of memory; try --resolution 16, or fewer --threads", exit_other);
  } catch (const std::exception& error) {
    return complain(error.what(), exit_other);
  }
}

}  // namespace evenhand::cli
