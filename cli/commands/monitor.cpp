#include <evenhand/monitor.h>
#include <evenhand/solve_json.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "commands/commands.h"
#include "data/files.h"
#include "data/prepared.h"
#include "data/rule_file.h"
#include "error.h"
#include "help.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct MonitorArguments {
  DataOptions data;
  RowOptions rows;
  std::string rule;
  std::string decision;
  std::string criterion;  // empty: the rule's, or selection rates
  std::string period;     // empty: every file is a batch
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

// What is monitored: a rule, or decisions, by the rates of a criterion.
class Watched {
 public:
  explicit Watched(MonitorArguments options) : options_(std::move(options)) {
    if (options_.rule.empty() == options_.decision.empty()) {
      throw UserError(
          "name what to monitor: --rule rule.json, or --decision with the column of decisions");
    }
    std::string name = options_.criterion;
    if (!options_.rule.empty()) {
      file_ = read_rule(options_.rule);
      file_->hard();
      file_->fill(options_.rows, if_there_);
      if (name.empty() && file_->fit.criterion) name = file_->fit.criterion->name;
    } else {
      if (!options_.rows.score.empty()) {
        throw UserError("give either --score or --decision, not both");
      }
      if (!options_.rows.tally.empty()) {
        throw UserError("a tally has no decisions: give DATA with --decision");
      }
      options_.rows.score = options_.decision;
    }
    if (!options_.rows.weight.empty()) {
      throw UserError("monitor counts people: --weight is not supported");
    }
    if_there_.weight.clear();
    rates_ = monitored_rates(name);
    if (rates_.front() == Rate::selection) {  // outcomes may not be known yet, and do not matter
      options_.rows.label.clear();
      if_there_.label.clear();
    }
    if (!options_.period.empty()) {
      options_.rows.within += (options_.rows.within.empty() ? "" : ",") + options_.period;
    }
  }

  std::string subject() const {
    return file_ ? monitored_subject(file_->hard(), rates_)
                 : monitored_subject(options_.decision, rates_);
  }

  // In their order. `files` gets the names of all that was read.
  std::vector<MonitorBatch> batches(std::vector<std::string>& files) const {
    const bool tallies = !options_.rows.tally.empty();
    const InputOptions& input = options_.data.input;
    const bool nothing = !tallies && input.data.empty() && input.sql.empty();
    if (nothing || !options_.period.empty()) return read(options_.data, options_.rows, "", files);
    if (!input.sql.empty() || input.data == "-") {
      throw UserError(
          "name the column that says which batch a row belongs to, --period month; or give a file "
          "for each batch");
    }
    const std::vector<std::string> paths =
        files_of(tallies ? options_.rows.tally : input.data).files;
    const std::vector<std::string> names = names_of(paths);
    std::vector<MonitorBatch> out;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      DataOptions data = options_.data;
      RowOptions rows = options_.rows;
      (tallies ? rows.tally : data.input.data) = paths[i];
      for (MonitorBatch& batch : read(data, rows, names[i], files)) out.push_back(std::move(batch));
    }
    std::stable_sort(out.begin(), out.end(), [](const MonitorBatch& a, const MonitorBatch& b) {
      return batch_before(a.name, b.name);
    });
    add_missing_groups(out);
    return out;
  }

 private:
  // "2025-01" of "months/2025-01.csv.gz"; whole paths where files of several folders have one name.
  static std::vector<std::string> names_of(const std::vector<std::string>& paths) {
    std::vector<std::string> out;
    for (const std::string& path : paths) {
      std::filesystem::path name = std::filesystem::path(path).filename();
      const auto is_format = [](const std::string& extension) {
        return extension.size() > 1 && std::isalpha(static_cast<unsigned char>(extension[1])) != 0;
      };
      while (is_format(name.extension().string())) name = name.stem();
      out.push_back(name.string());
    }
    const std::set<std::string> different(out.begin(), out.end());
    return different.size() == out.size() ? out : paths;
  }

  std::vector<MonitorBatch> read(const DataOptions& from, const RowOptions& rows,
                                 const std::string& name, std::vector<std::string>& files) const {
    const Prepared data = prepare(
        from, rows, {.needs = file_ ? Needs::score : Needs::decision, .if_there = if_there_});
    files.insert(files.end(), data.files.begin(), data.files.end());
    for (const Rate rate : rates_) {
      if (rate != Rate::selection && !data.tally().labelled()) {
        throw UserError(fmt::format(
            "{}: the {} needs labels, what really happened: give --label, or another --criterion",
            data.name, rate_of(rate).words));
      }
    }
    try {
      const Rule* const rule = file_ ? &file_->hard() : nullptr;
      if (options_.period.empty()) {
        return {monitored_batch(name, data.tally(), data.roles(), rule, rates_)};
      }
      Roles roles = data.roles();
      const std::string period = roles.within.back();
      roles.within.pop_back();
      return monitored_batches(data.tally(), roles, period, rule, rates_);
    } catch (const std::out_of_range& error) {
      throw UserError(fmt::format("{}: {}; refit it, or leave these people out with --sql",
                                  data.name, error.what()));
    }
  }

  MonitorArguments options_;
  std::optional<RuleFile> file_;
  ColumnsIfThere if_there_;
  std::vector<Rate> rates_ = {Rate::selection};
};

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

int run_monitor(const MonitorArguments& options) {
  if (!options.tolerance) throw UserError("say how far groups may differ: --tolerance 0.05");
  const Watched watched(options);
  const MonitorOptions wanted{.tolerance = *options.tolerance,
                              .confidence = options.confidence.value_or(0.95),
                              .subject = watched.subject()};
  std::optional<std::string> before;
  if (!options.state.empty()) before = contents_of(options.state);
  Monitor monitor = before ? Monitor::from_json(*before, wanted) : Monitor(wanted);
  std::vector<std::string> files;
  for (MonitorBatch& batch : watched.batches(files)) monitor.add(std::move(batch));
  if (!options.state.empty()) {
    Output output(options.state);
    output.must_not_be(files);
    output.complete_with(monitor.to_json());
  }
  if (options.json) {
    print(to_json(monitor).dump(2) + "\n");
  } else {
    print_for_people(report(monitor));
  }
  return monitor.alarm() ? exit_exceeded : exit_done;
}

}  // namespace

void add_monitor(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand monitor january.csv --rule rule.json --period month --tolerance 0.05 --state state.json
  evenhand monitor '2025-*.parquet' --rule rule.json --tolerance 0.05
  evenhand monitor hired.csv --decision hired --sensitive sex --period month --tolerance 0.05

Exit status: 0 no alarm, 2 wrong input or options, 4 alarm.)");
  MonitorArguments& options = command.runs(run_monitor, status);
  add_data_options(command, options.data);
  add_tally_option(command, options.rows);
  add_row_options(command, options.rows);
  {
    const Section section(command, "Monitoring");
    command.add_option("--rule", options.rule, "FILE", "A rule made by evenhand fit");
    command.add_option("--decision", options.decision, "COLUMN",
                       "Instead of --rule: the column with decisions, 0 or 1");
    command.add_option(
        "--criterion", options.criterion, "NAME",
        "Monitor the rates of this criterion (default: the rule's, or selection rates)");
    command.add_option("--period", options.period, "COLUMN",
                       "The column that says which batch a row belongs to, in the order of its "
                       "values; without it every file, or every tally, is a batch, in the order of "
                       "their names");
    add_number(command, "--tolerance", options.tolerance, "How far the rates of groups may differ");
    add_number(command, "--confidence", options.confidence,
               "1 minus the chance of a false alarm, however often you look (default: 0.95)");
    command.add_option("--state", options.state, "FILE",
                       "Continue from this file if it exists, and save the state in it");
  }
  command.add_flag("--json", options.json, "Print the result as JSON");
}

}  // namespace evenhand::cli
