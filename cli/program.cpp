#include <evenhand/version.h>

#include <new>

#include <fmt/format.h>

#include "commands.h"
#include "database.h"
#include "error.h"
#include "support/text.h"

namespace evenhand::cli {
namespace {

int say(std::string_view message, int status) {
  std::string line;  // one line, whatever the message
  for (const char c : message) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "; ";
    } else if (code >= 0x20 && code != 0x7F) {
      line += c;
    }
  }
  fmt::print(stderr, "evenhand: {}\n", line);
  return status;
}

void describe(CLI::App& program) {
  program.require_subcommand(1);
  program.set_version_flag("--version", fmt::format("evenhand {} (DuckDB {})", EVENHAND_VERSION,
                                                    duckdb_library_version()));
  program.footer(
      "Start with evenhand demo, then evenhand fit --help.\n"
      "Exit status: 0 done, 2 wrong input or options, 3 no rule meets the requirements, 4 audit "
      "--fail-above\nfound more, 1 anything else.");
  program.get_formatter()->column_width(34);
  program.get_formatter()->label("OPTIONS", "options");
  program.get_formatter()->label("SUBCOMMAND", "command");
}

// What CLI11 says, in our words where they help.
std::string words_for(const CLI::ParseError& error) {
  std::string message = error.what();
  if (const auto* required = dynamic_cast<const CLI::RequiredError*>(&error)) {
    if (message.find("subcommand") != std::string::npos) {
      return "what to do? try evenhand demo, or evenhand --help";
    }
    return fmt::format("{}; see --help", required->what());
  }
  return message + "; see --help";
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  int status = exit_other;
  CLI::App program(
      "Even-handed decisions from any model's scores: the most accurate rule that treats "
      "groups alike.",
      "evenhand");
  describe(program);
  add_demo(program, status);
  add_fit(program, status);
  add_apply(program, status);
  add_show(program, status);
  add_audit(program, status);
  add_frontier(program, status);
  add_tally(program, status);
  add_merge(program, status);
  add_manual(program, status);
  try {
    // CLI11 takes them from the back.
    program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return status;
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return say(words_for(error), exit_usage);
  } catch (const UserError& error) {
    return say(error.what(), exit_usage);
  } catch (const std::invalid_argument& error) {  // the library's
    return say(error.what(), exit_usage);
  } catch (const std::out_of_range& error) {
    return say(error.what(), exit_usage);
  } catch (const Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const std::bad_alloc&) {
    return say("out of memory; try --resolution 16, or fewer --threads", exit_other);
  } catch (const std::exception& error) {
    return say(error.what(), exit_other);
  }
}

}  // namespace evenhand::cli
