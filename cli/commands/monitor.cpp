#include <evenhand/monitor.h>
#include <evenhand/solve_json.h>
#include <evenhand/text.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "commands/commands.h"
#include "data/prepared.h"
#include "data/rule_file.h"
#include "error.h"
#include "help.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct Options {
  DataOptions data;
  RowOptions rows;
  std::string rule;
  std::string period;
  std::string state;
  std::optional<double> tolerance;
  std::optional<double> confidence;
  bool json = false;
};

std::optional<std::string> contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string report(const Monitor& monitor) {
  const MonitorOptions& options = monitor.options();
  std::string out = strong(fmt::format("Is the largest difference still at most {} %?",
                                       rounded(100 * options.tolerance, 6))) +
                    "\n\n";
  using Align = Table::Align;
  Table table(
      {"batch", "people", "difference", "evidence", "at most", "mean score", "shares moved"},
      {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
       Align::right});
  for (const MonitorLook& look : monitor.looks()) {
    table.add({shown(look.batch), people(look.rows), percent(look.difference, 1),
               rounded(std::exp(std::min(700.0, look.log_evidence)), 3), percent(look.bound, 1),
               look.mean_score ? rounded(*look.mean_score, 4) : "-",
               percent(look.largest_share_change, 1)});
  }
  out += table.text();
  const double chance = 1 - options.confidence;
  out += fmt::format(
      "\n  An alarm is raised at an evidence of {}. \"At most\" holds if the difference is the "
      "same "
      "in all\n  batches. Mean score and shares of groups are shown, not tested.\n\n",
      rounded(1 / chance, 6));
  if (monitor.alarm()) {
    out += bad(fmt::format("The difference has been above {} % in at least one batch",
                           rounded(100 * options.tolerance, 6))) +
           fmt::format(" (at most 1 false alarm in {}, however often you look).\n",
                       rounded(1 / chance, 3));
  } else {
    out += fmt::format("No alarm: these batches do not show a difference above {} %.\n",
                       rounded(100 * options.tolerance, 6));
  }
  return out;
}

int run_monitor(Options options) {
  if (options.rule.empty()) throw UserError("name the rule to monitor: --rule rule.json");
  if (!options.tolerance) throw UserError("say how far groups may differ: --tolerance 0.05");
  if (options.period.empty()) {
    throw UserError("name the column that says which batch a row belongs to: --period month");
  }
  const RuleFile file = read_rule(options.rule);
  const Rule& rule = file.hard();
  ColumnsIfThere if_there;
  file.fill(options.rows, if_there);
  if (!options.rows.weight.empty()) {
    throw UserError("monitor counts people: --weight is not supported");
  }
  // A role, so that the tally has it.
  options.rows.within += (options.rows.within.empty() ? "" : ",") + options.period;
  const MonitorOptions wanted{.tolerance = *options.tolerance,
                              .confidence = options.confidence.value_or(0.95),
                              .subject = monitored_subject(rule)};
  std::optional<std::string> before;
  if (!options.state.empty()) before = contents_of(options.state);
  Monitor monitor = before ? Monitor::from_json(*before, wanted) : Monitor(wanted);
  const Prepared data = prepare(options.data, options.rows, {});
  Roles roles = data.roles();
  const std::string period = roles.within.back();
  roles.within.pop_back();
  for (MonitorBatch& batch : monitored_batches(data.tally(), roles, period, &rule)) {
    monitor.add(std::move(batch));
  }
  if (!options.state.empty()) {
    Output output(options.state);
    output.must_not_be(data.files);
    output.complete_with(monitor.to_json());
  }
  print(options.json ? to_json(monitor).dump(2) + "\n" : report(monitor));
  return monitor.alarm() ? exit_exceeded : exit_done;
}

}  // namespace

void add_monitor(Command& program, int& status) {
  Command& command = *program.add_subcommand(
      "monitor", "Is a rule still within its tolerance, batch after batch?");
  command.footer(
      "Examples:\n"
      "  evenhand monitor january.csv --rule rule.json --period month --tolerance 0.05 --state "
      "state.json\n"
      "  evenhand monitor '2025-*.parquet' --rule rule.json --period month --tolerance 0.05\n\n"
      "Exit status: 0 no alarm, 2 wrong input or options, 4 alarm.");
  auto options = std::make_shared<Options>();
  add_data_options(command, options->data);
  add_row_options(command, options->rows);
  {
    const Section section(command, "Monitoring");
    command.add_option("--rule", options->rule, "A rule made by evenhand fit")->type_name("FILE");
    command
        .add_option("--period", options->period,
                    "The column that says which batch a row belongs to, in the order of its values")
        ->type_name("COLUMN");
    add_number(command, "--tolerance", options->tolerance,
               "How far the groups' selection rates may differ");
    add_number(command, "--confidence", options->confidence,
               "1 minus the chance of a false alarm, however often you look (default: 0.95)");
    command
        .add_option("--state", options->state,
                    "Continue from this file if it exists, and save the state in it")
        ->type_name("FILE");
  }
  command.add_flag("--json", options->json, "Print the result as JSON");
  command.callback([options, &status] { status = run_monitor(*options); });
}

}  // namespace evenhand::cli
