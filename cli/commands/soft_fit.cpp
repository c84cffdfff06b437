#include "commands/soft_fit.h"

#include <evenhand/fit_record.h>
#include <evenhand/soft.h>
#include <evenhand/soft_check.h>
#include <evenhand/solve_json.h>
#include <evenhand/text.h>
#include <evenhand/theory.h>

#include <optional>

#include <fmt/format.h>

#include "data/soft_rows.h"
#include "error.h"
#include "help.h"
#include "output/confidence_text.h"
#include "output/output.h"
#include "output/soft_figures.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

void refuse_other_options(const ProblemOptions& problem, const SoftFitOptions& options) {
  if (!options.columns.given()) {
    throw UserError(fmt::format("{} needs --soft, the columns",
                                options.exhaustive ? "--exhaustive" : "--check-with"));
  }
  const FairnessOptions& fair = problem.fairness;
  static_cast<void>(soft_criterion_of(fair));
  if (!options.check_with.empty() && options.columns.any.empty()) {
    throw UserError("--check-with measures the columns of --soft; there are none");
  }
  refuse_beside_soft(problem.rows, problem.objective,
                     {{!fair.rho.empty(), "--rho"},
                      {!fair.require.empty(), "--require"},
                      {!fair.no_worse.empty(), "--no-worse"},
                      {fair.across != "intersection", "--across"},
                      {problem.fit.calibration.calibrate != "none", "--calibrate"}});
}

std::string report(const SoftTable& data, const SoftSolution& fit, const SoftAudit& before,
                   const SoftAudit& after, const ConfidenceBound& bound) {
  std::string title = fit.criterion + " for those who belong, by " + shown(data.soft());
  if (!data.columns().within.empty()) title += " within " + shown(data.columns().within);
  if (fit.tolerance > 0) title += fmt::format(", tolerance {}", rounded(fit.tolerance, 6));
  if (fit.ratio) title += fmt::format(", ratio {}", rounded(*fit.ratio, 6));
  std::string out = strong(title) + "\n";
  out += fmt::format("  {}: {}", data.name(), counted(data.size(), "row"));
  if (data.excluded() > 0) {
    out += fmt::format("; {} left out for a missing value", counted(data.excluded(), "row"));
  }
  out += fmt::format("\n  {}\n\n", judged(proof_in_words(fit.status, fit.gap, fit.violation)));
  out += summary_table(before, &after, fit.rule.parts().costs, fit.lottery_share) + "\n";
  out += pair_table(data.columns().within, before, &after, data.any().empty());
  return out + "\n" + to_text(bound);
}

FitRecord record_of(const SoftTable& data, const SoftSolution& fit, const std::string& null,
                    const SoftAudit& before, const SoftAudit& after) {
  FitRecord record = FitRecord::of(fit);
  record.add({.roles = {.sensitive = {}, .within = data.columns().within},
              .score = data.columns().score,
              .label = data.columns().label.value_or(""),
              .weight = data.columns().weight.value_or(""),
              .null = null,
              .rows = data.size(),
              .excluded = data.excluded()},
             data.any().empty() ? data.soft() : data.any(), fit);
  record.columns->soft_favorable = data.favorable();
  record.columns->soft_unfavorable = data.unfavorable();
  record.labelled = data.columns().label.has_value();
  record.before = SoftSummary::of(before);
  record.after = SoftSummary::of(after);
  return record;
}

double gamma_of(const std::string& asked, std::size_t rows) {
  if (asked.empty()) return 0;
  return asked == "auto" ? gamma_schedule(static_cast<double>(rows))
                         : number_from(asked, "--gamma");
}

}  // namespace

RecordedCriterion soft_criterion_of(const FairnessOptions& fair) {
  const CriterionName& criterion =
      find_criterion(fair.criterion.empty() ? "statistical-parity" : fair.criterion);
  if (criterion.takes_rho()) {
    throw UserError(
        fmt::format("--soft does not work with {}: choose statistical-parity or another criterion",
                    criterion.name));
  }
  if (fair.ratio && !criterion.takes_ratio()) {
    throw UserError(fmt::format("{} takes no --ratio, with --soft or without", criterion.name));
  }
  if (fair.tolerance && !criterion.takes_tolerance()) {
    throw UserError(fmt::format("{} takes no --tolerance", criterion.name));
  }
  RecordedCriterion out{.name = std::string(criterion.name)};
  if (criterion.takes_tolerance()) out.tolerance = fair.tolerance.value_or(0);
  if (criterion.takes_ratio()) out.ratio = fair.ratio.value_or(0.8);
  return out;
}

void add_soft_options(Command& command, SoftFitOptions& options) {
  const Section section(command, "Groups that are not known");
  add_soft_columns(command, options.columns,
                   "Instead of --sensitive: columns with the probability that somebody belongs to "
                   "a group. The criterion (default: statistical-parity) compares those who do "
                   "with those who do not, in expectation; the rule needs these columns and no "
                   "group");
  command.add_flag("--exhaustive", options.exhaustive,
                   "The columns of --soft are all the groups there are, and add up to 1");
  command.add_option(
      "--check-with", options.check_with, "COLUMN",
      "A column with the true group, to measure how far the columns of --soft are off "
      "and what the rule really does; it takes no part in the fit");
}

int run_soft_fit(const ProblemOptions& problem, const SoftFitOptions& options,
                 const std::string& output_name, bool json, const SourceOptions& from) {
  refuse_other_options(problem, options);
  problem.fit.check();
  refuse_named_output(problem.data.input, output_name);
  std::optional<Output> output;
  if (!output_name.empty()) output.emplace(output_name);
  const SoftTable data = SoftTable::read(
      problem.data, problem.rows,
      {.columns = options.columns, .exhaustive = options.exhaustive, .truth = options.check_with});
  if (output) output->must_not_be(data.files());
  const Reading reading = problem.rows.reading();
  const RecordedCriterion asked = soft_criterion_of(problem.fairness);
  const CriterionName& criterion = find_criterion(asked.name);
  const SoftOptions solving{.weight = data.weight(),
                            .scale = reading.scale,
                            .favorable = reading.favorable,
                            .costs = problem.objective.costs(),
                            .gamma = gamma_of(problem.fit.gamma, data.size()),
                            .exhaustive = options.exhaustive,
                            .threads = problem.data.database.threads,
                            .criterion = asked.name,
                            .tolerance = asked.tolerance.value_or(0),
                            .ratio = asked.ratio.value_or(0.8)};
  const SoftSolution fit = solve_soft(data.rows(), solving);
  const SoftAuditOptions auditing{.weight = data.weight(),
                                  .label = data.label(),
                                  .scale = reading.scale,
                                  .favorable = reading.favorable,
                                  .costs = solving.costs,
                                  .rates = {criterion.rates.begin(), criterion.rates.end()}};
  const SoftAudit before = audit_soft(data.rows(), auditing);
  const std::vector<double> q = fit.rule.probability(data.rows());
  const SoftAudit after = audit_soft(data.rows(), q, auditing);
  std::optional<SoftCheck> check;
  if (!options.check_with.empty()) {
    check = check_soft(data.rows(), data.truth(), q, data.weight(),
                       {data.label(), reading.favorable, criterion.rates});
  }
  const FitRecord record =
      record_of(data, fit, NullPolicy::from(problem.rows.null).text(), before, after);
  if (output) {
    FitRecord filed = record;
    filed.source = source_of(from, problem.data.input, data.files());
    output->complete_with(rule_file(fit.rule, filed));
  }
  if (output && output->is_standard_output()) return exit_done;
  if (json) {
    Json all = Json::parse(record.to_json());
    if (check) all["check"] = to_json(*check);
    print(all.dump(2) + "\n");
    return exit_done;
  }
  std::string checked;
  if (check) {
    for (const std::string& line : in_words(*check, options.check_with))
      checked += "  " + line + "\n";
  }
  print_for_people(report(data, fit, before, after, *record.bound) +
                   (checked.empty() ? "" : "\n" + checked) +
                   written_in_words(output ? output->name() : ""));
  return exit_done;
}

}  // namespace evenhand::cli
