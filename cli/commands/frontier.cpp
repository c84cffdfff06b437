#include <evenhand/frontier.h>
#include <evenhand/solve_json.h>
#include <evenhand/text.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "commands/commands.h"
#include "data/prepared.h"
#include "error.h"
#include "output/figures.h"
#include "output/infeasible.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct FrontierArguments : ProblemOptions {
  std::string at;
  bool breakpoints = false;
  bool json = false;
  bool csv = false;
  std::string output;
};

std::vector<double> parameters_of(const FrontierArguments& options, const Criterion& criterion) {
  if (options.at.empty()) {
    return criterion.relation == Relation::ratio
               ? std::vector{1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5}
               : std::vector{0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3};
  }
  std::vector<double> out;
  for (const std::string& text : split_names(options.at)) {
    out.push_back(number_from(text, "--at"));
  }
  return out;
}

std::string as_csv(const std::vector<FrontierPoint>& points, std::string_view parameter) {
  const auto optional = [](const std::optional<double>& value) {
    return value ? shortest(*value) : std::string();
  };
  std::string out = fmt::format(
      "{},objective,slope,accuracy,cost,selection_rate,lottery_share,gap,violation\n", parameter);
  for (const FrontierPoint& p : points) {
    out += fmt::format("{},{},{},{},{},{},{},{},{}\n", shortest(p.parameter), shortest(p.objective),
                       shortest(p.slope), optional(p.figures.accuracy), optional(p.figures.cost),
                       optional(p.figures.selection_rate), shortest(p.lottery_share),
                       shortest(p.gap), shortest(p.violation));
  }
  return out;
}

std::string as_json(const std::vector<FrontierPoint>& points, const Criterion& criterion,
                    const Prepared& data) {
  Json out;
  out["data"] = data.name;
  out["expected"] = !data.tally().labelled();
  out["points"] = Json::array();
  for (const FrontierPoint& p : points) out["points"].push_back(to_json(p, criterion));
  const std::vector<std::string> notes = borrowing_in_words(data.tally(), criterion);
  if (!notes.empty()) out["notes"] = notes;
  return out.dump(2) + "\n";
}

// What the rule of a point is the best in, which the slope and the bar are about.
double maximised(const FrontierPoint& point) {
  return (point.promised ? *point.promised : point.figures).accuracy.value_or(0);
}

std::string as_table(const std::vector<FrontierPoint>& points, const std::string& parameter,
                     const Prepared& data, const Costs& costs, const Criterion& criterion) {
  using Align = Table::Align;
  const bool accuracy = costs == Costs{};
  const bool promised = !points.empty() && points.front().promised;
  std::vector<std::string> titles = {parameter, accuracy ? "accuracy" : "cost"};
  if (promised) titles.emplace_back("promised");
  titles.insert(titles.end(), {"selected", "lottery share", ""});
  std::vector<Align> align(titles.size(), Align::right);
  align.back() = Align::left;
  Table table(titles, align);
  double best = 0;
  double worst = 1;
  for (const FrontierPoint& p : points) {
    best = std::max(best, maximised(p));
    worst = std::min(worst, maximised(p));
  }
  const auto figure = [&](const Figures& of) {
    if (accuracy) return percent(of.accuracy);
    return of.cost ? rounded(*of.cost, 6) : std::string("-");
  };
  for (const FrontierPoint& p : points) {
    const double share = best > worst ? (maximised(p) - worst) / (best - worst) : 1;
    std::string bar;
    for (int i = 0; i < 1 + static_cast<int>(share * 23); ++i) bar += "#";
    std::vector<std::string> row = {rounded(p.parameter, 6), figure(p.figures)};
    if (promised) row.push_back(p.promised ? figure(*p.promised) : "-");
    row.push_back(percent(p.figures.selection_rate));
    row.push_back(percent(p.lottery_share));
    row.push_back(accuracy ? faint(bar) : "");
    table.add(row);
  }
  std::string out =
      strong(fmt::format("frontier of {}: what a stricter criterion costs", data.name)) + "\n\n" +
      table.text();
  if (!data.tally().labelled()) {
    out += "\n  " + faint("accuracy is expected, if the scores are calibrated") + "\n";
  }
  if (promised) {
    const char* const what = accuracy ? "accuracy" : "cost";
    const char* const best_in = accuracy ? "maximise" : "minimise";
    const std::vector<std::string> notes = borrowing_in_words(data.tally(), criterion);
    out += fmt::format("\n  The rules {} the {} {}; the labels measure the other one.\n", best_in,
                       what, notes.empty() ? "that the scores promise" : "with borrowed outcomes");
    for (const std::string& note : notes) out += "  note: " + printable(note) + "\n";
  }
  return out;
}

enum class Kind { table, csv, json };

// By --csv and --json, else by the ending of the file; throws UserError where these do not agree.
Kind kind_of(const FrontierArguments& options) {
  if (options.json && options.csv) throw UserError("give either --json or --csv, not both");
  Kind kind = options.json ? Kind::json : options.csv ? Kind::csv : Kind::table;
  if (options.output.empty() || options.output == "-") return kind;
  std::string ending = std::filesystem::path(options.output).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending.empty() || ending == ".txt") return kind;
  if (ending != ".csv" && ending != ".json") {
    throw UserError(
        fmt::format("{}: a frontier is written as .csv, .json or, with .txt or no ending, as the "
                    "table",
                    shown(options.output)));
  }
  const Kind by_name = ending == ".csv" ? Kind::csv : Kind::json;
  if (kind != Kind::table && kind != by_name) {
    throw UserError(
        fmt::format("{}: its ending contradicts --csv or --json", shown(options.output)));
  }
  return by_name;
}

int run_frontier(const FrontierArguments& options) {
  const Kind kind = kind_of(options);
  if (options.breakpoints && !options.at.empty()) {
    throw UserError("give either --at or --breakpoints, not both");
  }
  check_labels(options.fairness.build({.sensitive = {"x"}}), options.rows);
  options.fit.check();
  refuse_named_output(options.data.input, options.output);
  std::optional<Output> output;
  if (!options.output.empty()) output.emplace(options.output);
  const Prepared data = prepare(options.data, options.rows, {});
  if (output) output->must_not_be(data.files);
  options.check_groups(data.tally(), data.roles(), data.rows());
  const Criterion criterion = options.fairness.build(data.roles());
  const SolveOptions solving = options.fit.build(options.objective, options.data.database.threads,
                                                 data.tally(), data.rows());
  const std::vector<double> parameters = parameters_of(options, criterion);
  std::vector<FrontierPoint> points;
  if (options.breakpoints) {
    points = frontier_breakpoints(data.tally(), criterion, 0, 1, solving);
  } else {
    Frontier found = frontier(data.tally(), criterion, parameters, solving);
    if (found.infeasibility) return say_infeasible(criterion, *found.infeasibility, options.json);
    points = std::move(found.points);
  }
  const std::string parameter = criterion.relation == Relation::ratio ? "ratio" : "tolerance";
  std::string text;
  if (kind == Kind::json) {
    text = as_json(points, criterion, data);
  } else if (kind == Kind::csv) {
    text = as_csv(points, parameter);
  } else {
    text = as_table(points, parameter, data, solving.costs, criterion);
  }
  if (output) {
    output->complete_with(text);
  } else if (kind == Kind::table) {
    print_for_people(text);
  } else {
    print(text);
  }
  return exit_done;
}

}  // namespace

void add_frontier(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand frontier loans.csv --score p --sensitive sex --criterion statistical-parity
  evenhand frontier loans.csv --score p --label repaid --sensitive sex \
      --criterion equalized-odds --at 0,0.01,0.02,0.05 -o frontier.csv)");
  FrontierArguments& options = command.runs(run_frontier, status);
  add_problem_options(command, options, Strictness::varied);
  command.add_option("--at", options.at, "X,...",
                     "Tolerances (for four-fifths: ratios), separated by commas");
  command.add_flag(
      "--breakpoints", options.breakpoints,
      "All tolerances where the slope changes: between them accuracy is a straight line");

  command.add_flag("--json", options.json, "Print the result as JSON");
  command.add_flag("--csv", options.csv, "Print the result as CSV");
  command.add_option("-o,--output", options.output, "FILE",
                     "Write to a file: .csv is CSV, .json JSON, .txt or no ending the table");
}

}  // namespace evenhand::cli
