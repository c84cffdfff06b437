#include <filesystem>

#include <fmt/format.h>

#include "commands/commands.h"
#include "error.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

// data/demo_data.cpp has them.
extern "C" const char evenhand_demo_data[];
extern "C" const char evenhand_demo_data_end[];

namespace evenhand::cli {
namespace {

namespace fs = std::filesystem;

struct Step {
  std::string words;
  std::vector<std::string> arguments;
};

std::string command_line(const std::vector<std::string>& arguments) {
  std::string out = "evenhand";
  for (const std::string& argument : arguments) out += " " + quoted_for_shell(argument);
  return out;
}

int run_demo(const std::string& folder, bool json) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UserError(fmt::format("{}: {}", shown(folder), error.message()));
  const auto in = [&](const char* name) { return (fs::path(folder) / name).string(); };
  Output(in("adult-scores.csv"))
      .complete_with({evenhand_demo_data,
                      static_cast<std::size_t>(evenhand_demo_data_end - evenhand_demo_data)});
  Output(in("key")).complete_with("a key for the demo; use secret bytes for real decisions");
  using std::filesystem::perms;
  std::filesystem::permissions(in("key"), perms::owner_read | perms::owner_write);
  const std::string data = in("adult-scores.csv");
  const std::string rule = in("rule.json");
  const std::string decided = in("decided.csv");
  const std::vector<Step> steps = {
      {"A model scored 16,281 Americans by whether they earn more than $50,000. Decide for women "
       "and "
       "men\nof each race at the same rate, as accurately as that can be done:",
       {"fit", data, "--score", "score", "--label", "high_income", "--sensitive", "sex", "--within",
        "race", "--criterion", "statistical-parity", "-o", rule}},
      {"The rule in words:", {"show", rule}},
      {"Decide. The same person gets the same answer every time:",
       {"apply", data, "--rule", rule, "--id", "person", "--key-file", in("key"), "-o", decided}},
      {"Look at what was decided, with what is left to chance:",
       {"audit", decided, "--decision", "decision", "--sensitive", "sex", "--within", "race",
        "--label", "high_income"}},
      {"What a stricter criterion costs:",
       {"frontier", data, "--score", "score", "--label", "high_income", "--sensitive", "sex",
        "--within", "race", "--criterion", "statistical-parity"}},
  };
  if (json) be_quiet();
  Json done = Json::array();
  for (const Step& step : steps) {
    done.push_back({{"words", step.words}, {"command", command_line(step.arguments)}});
    print_for_people(
        fmt::format("{}\n\n{}\n\n", step.words, strong("$ " + command_line(step.arguments))));
    if (const int status = run(step.arguments); status != exit_done) return status;
    print_for_people("\n");
  }
  if (json) print(Json{{"folder", folder}, {"steps", done}}.dump(2) + "\n");
  print_for_people(
      fmt::format("The files are in {}. Try next:\n"
                  "  evenhand fit {} --score score --label high_income \\\n"
                  "      --sensitive sex --criterion equalized-odds --tolerance 0.02\n"
                  "  evenhand fit {} --score score --sensitive sex,race \\\n"
                  "      --criterion four-fifths --require 'rate <= 0.2'\n"
                  "  evenhand fit --help\n",
                  shown(folder), quoted_for_shell(data), quoted_for_shell(data)));
  return exit_done;
}

}  // namespace

void add_demo(Command& command, int& status) {
  auto folder = std::make_shared<std::string>("evenhand-demo");
  command.add_option("-o,--output", *folder, "FOLDER", "The folder for its files")
      ->capture_default_str();
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print the steps as JSON, without what they print");
  command.callback([folder, json, &status] { status = run_demo(*folder, *json); });
}

}  // namespace evenhand::cli
