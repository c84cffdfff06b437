#include <evenhand/report.h>
#include <evenhand/soft_report.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "commands/side_by_side.h"
#include "commands/soft_fit.h"
#include "data/prepared.h"
#include "data/rule_file.h"
#include "data/soft_rows.h"
#include "error.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct ReportArguments : SubjectOptions {
  FairnessOptions fairness;
  std::string categories;
  std::optional<double> smallest_category;
  std::optional<std::uint64_t> tolerances;
  std::optional<std::uint64_t> bins;
  std::string title;
  std::string date;
  std::string output;
  bool json = false;
};

enum class ReportKind { page, markdown, json };

// By the ending of the file.
ReportKind kind_of(const std::string& output) {
  if (output.empty()) return ReportKind::markdown;
  if (output == "-") return ReportKind::page;
  std::string ending = std::filesystem::path(output).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".html" || ending == ".htm") return ReportKind::page;
  if (ending == ".md" || ending == ".markdown") return ReportKind::markdown;
  if (ending == ".json") return ReportKind::json;
  throw UserError(fmt::format("{}: a report is written as .html, .md or .json", shown(output)));
}

void check_options(const ReportArguments& options) {
  if (options.json && options.output == "-") {
    throw UserError("--json and -o - both write to standard output; name a file for the page");
  }
  const FairnessOptions& fairness = options.fairness;
  if (fairness.criterion.empty() &&
      (fairness.tolerance || fairness.ratio || !fairness.rho.empty())) {
    throw UserError("--tolerance, --ratio and --rho are of a criterion: name it with --criterion");
  }
  if (options.decision.empty()) return;
  if (!options.rules.empty()) throw UserError("give either --rule or --decision, not both");
  if (!options.rows.tally.empty()) {
    throw UserError("a tally has no decisions: give DATA with --decision");
  }
  if (!options.rows.score.empty()) {
    throw UserError("give either --score or --decision, not both");
  }
}

bool asks(const FairnessOptions& fairness) {
  return !fairness.criterion.empty() || !fairness.require.empty() || !fairness.no_worse.empty();
}

ReportOptions reporting_by(const ReportArguments& options, const Roles& roles) {
  ReportOptions out;
  if (asks(options.fairness)) out.criterion = options.fairness.build(roles);
  out.auditing.costs = options.objective.costs();
  out.auditing.base_threshold = options.objective.base_threshold;
  if (options.confidence) out.auditing.confidence = *options.confidence;
  out.auditing.min_group = options.min_group.value_or(0);
  out.auditing.decisions = !options.decision.empty();
  if (!options.unseen.empty()) out.auditing.unseen = unseen_from(options.unseen);
  if (!options.categories.empty()) out.categories = split_names(options.categories);
  if (options.smallest_category) out.smallest_category = *options.smallest_category;
  if (options.tolerances) out.tolerances = static_cast<std::size_t>(*options.tolerances);
  if (options.bins) out.bins = static_cast<std::size_t>(*options.bins);
  out.title = options.title;
  out.date = options.date;
  out.threads = options.data.database.threads;
  return out;
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::vector<ReportedRule> reported(const std::vector<RuleFile>& files) {
  std::vector<ReportedRule> out;
  for (const RuleFile& file : files) {
    out.push_back({base_name(file.path), file.hard(), file.fit});
  }
  return out;
}

// What categories name but the comparison does not.
std::vector<std::string> also_needed(const ReportArguments& options,
                                     const std::vector<RuleFile>& files) {
  std::vector<std::string> out = attributes_of(files);
  if (options.categories.empty()) return out;
  for (const std::string& name : split_names(options.categories)) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

void deliver(const ReportArguments& options, std::optional<Output>& output,
             const nlohmann::ordered_json& figures) {
  const auto json = [&] {
    return figures.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  };
  if (output) {
    const ReportKind kind = kind_of(options.output);
    output->complete_with(kind == ReportKind::page       ? report_page(figures)
                          : kind == ReportKind::markdown ? report_markdown(figures)
                                                         : json());
  }
  if (options.json) {
    print(json());
  } else if (!output) {
    print_for_people(report_markdown(figures));
  }
}

void check_soft_options(const ReportArguments& options) {
  const FairnessOptions& fair = options.fairness;
  refuse_beside_soft(options.rows, options.objective,
                     {{!fair.require.empty(), "--require"},
                      {!fair.no_worse.empty(), "--no-worse"},
                      {!fair.rho.empty(), "--rho"},
                      {fair.across != "intersection", "--across"},
                      {!options.unseen.empty(), "--unseen"},
                      {!options.categories.empty(), "--categories"},
                      {options.smallest_category.has_value(), "--smallest-category"},
                      {options.confidence.has_value(), "--confidence"},
                      {options.min_group.has_value(), "--min-group"},
                      {options.tolerances.has_value(), "--tolerances"},
                      {options.bins.has_value(), "--bins"}});
}

// Of rules one of which is for soft groups: by its columns.
int run_soft_report(const ReportArguments& options, const std::vector<RuleFile>& files,
                    const ColumnsIfThere& if_there, std::optional<Output>& output) {
  const auto soft =
      std::find_if(files.begin(), files.end(), [](const RuleFile& file) { return file.soft(); });
  SoftWanted wanted{.columns = {},
                    .recorded = soft->columns(),
                    .if_there = if_there,
                    .rule = &std::get<SoftRule>(soft->rule)};
  for (const RuleFile& file : files) wanted.rules.push_back(&file);
  const SoftTable data = SoftTable::read(options.data, options.rows, wanted);
  if (output) output->must_not_be(data.files());
  std::vector<SoftReportedRule> rules;
  for (std::size_t i = 0; i < files.size(); ++i) {
    rules.push_back(
        {base_name(files[i].path), files[i].rule, files[i].fit, data.decided_by(wanted.rules, i)});
  }
  const SoftRows rows = data.rows();
  const Reading reading = options.rows.reading();
  SoftReported about{.data = base_name(data.name()), .rows = rows, .rules = rules};
  about.auditing = {.weight = data.weight(),
                    .label = data.label(),
                    .scale = reading.scale,
                    .favorable = reading.favorable,
                    .costs = options.objective.costs()};
  if (!options.fairness.criterion.empty()) about.criterion = soft_criterion_of(options.fairness);
  about.score = data.columns().score;
  about.label = data.columns().label.value_or("");
  about.weight = data.columns().weight.value_or("");
  about.within = data.columns().within;
  about.excluded = data.excluded();
  about.title = options.title;
  about.date = options.date;
  deliver(options, output, soft_report_figures(about));
  return exit_done;
}

int run_report(ReportArguments options) {
  kind_of(options.output);  // throws for an ending that is none
  check_options(options);
  std::vector<RuleFile> files;
  ColumnsIfThere if_there;
  for (const std::string& path : options.rules) files.push_back(read_rule(path));
  const bool soft = std::any_of(files.begin(), files.end(), [](const auto& r) { return r.soft(); });
  if (soft) check_soft_options(options);
  if (!files.empty()) {
    check_same_reading(files);
    fill_from(files, options.rows, if_there);
    files.front().fill(options.objective);
  }
  if (!options.decision.empty()) options.rows.score = options.decision;
  if (asks(options.fairness)) static_cast<void>(options.fairness.build({.sensitive = {"x"}}));
  refuse_named_output(options.data.input, options.output);
  std::optional<Output> output;
  if (!options.output.empty()) {
    output.emplace(options.output);
    output->must_not_be(options.rules);
  }
  if (soft) return run_soft_report(options, files, if_there, output);
  const std::vector<ReportedRule> rules = reported(files);
  const Prepared data = prepare(options.data, options.rows,
                                {.needs = options.decision.empty() ? Needs::score : Needs::decision,
                                 .if_there = if_there,
                                 .also = also_needed(options, files)});
  if (output) output->must_not_be(data.files);
  const ReportOptions reporting = reporting_by(options, data.roles());
  const auto figures = for_rule_on(data.name, [&] {
    return report_figures({base_name(data.name), data.stored}, rules, reporting);
  });
  deliver(options, output, figures);
  return exit_done;
}

}  // namespace

void add_report(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand report loans.csv --rule rule.json -o report.html
  evenhand report loans.csv --rule today.json --rule blind.json -o report.html
  evenhand report loans.csv --rule soft.json --rule today.json -o report.html
  evenhand report hired.csv --decision hired --sensitive sex,race -o report.html
  evenhand report --tally tally.parquet --rule rule.json -o report.md)");
  ReportArguments& options = command.runs(run_report, status);
  add_subject_options(
      command, options,
      "The rule that the report is about; give it again for each further rule, and they stand "
      "beside the first",
      "Report on the decisions in this column, 0 or 1, instead of a score");
  add_fairness_options(command, options.fairness);
  add_objective_options(command, options.objective);
  add_unseen_option(command, options.unseen);
  command.add_option("--categories", options.categories, "COLUMNS",
                     "Columns that regulators' tables are about (default: the sensitive ones)");
  add_numbers(
      command,
      {
          {"--smallest-category", options.smallest_category,
           "Categories with a smaller share of the people have no impact ratio (default: 0.02)"},
          {"--min-group", options.min_group,
           "Show groups of fewer people than this, but do not compare them (default: 0)"},
          {"--confidence", options.confidence, "How sure intervals and bounds are (default: 0.95)"},
          {"--tolerances", options.tolerances,
           "The most that the slider has, up to 500; 0 leaves it out (default: 500)"},
          {"--bins", options.bins, "Bins in the calibration charts (default: 10)"},
      });
  command.add_option("--title", options.title, "TEXT", "Title of the page");
  command.add_option("--date", options.date, "TEXT",
                     "The date that the page bears (default: none, so that the same data make the "
                     "same page)");
  command.add_option(
      "-o,--output", options.output, "FILE",
      "Write to a file: .html is the page, .md Markdown, .json the figures (default: "
      "Markdown on standard output)");
  command.add_flag("--json", options.json, "Print the figures as JSON");
}

}  // namespace evenhand::cli
