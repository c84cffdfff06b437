#include <evenhand/blind.h>
#include <evenhand/fit_record.h>
#include <evenhand/fit_words.h>
#include <evenhand/solve.h>
#include <evenhand/solve_json.h>
#include <evenhand/text.h>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/confidence_options.h"
#include "commands/lottery.h"
#include "commands/soft_fit.h"
#include "data/prepared.h"
#include "data/provenance.h"
#include "data/stochastic.h"
#include "error.h"
#include "output/confidence_text.h"
#include "output/figures.h"
#include "output/infeasible.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct FitArguments : ProblemOptions {
  StochasticOptions stochastic;
  SoftFitOptions soft;
  ConfidenceOptions confidence;
  LotteryOptions lottery;
  bool blind = false;
  std::string output;
  bool json = false;
  bool accept_inaccurate = false;
  SourceOptions source;
};

// What the criterion is about; for requirements alone, everything that can be said.
std::vector<Rate> rates_of(const Criterion& criterion, const Tally& tally) {
  if (!criterion.rates.empty()) return criterion.rates;
  if (tally.labelled()) return {Rate::selection, Rate::true_positive, Rate::false_positive};
  return {Rate::selection};
}

// What was found, by which solver.
struct Found {
  Solution solution;
  std::optional<SgdResult> sgd;  // of which `solution` is a copy
  std::optional<SgdComparison> compared;
  std::optional<CertifiedFit> certified;  // the same
  ConfidenceBound bound;

  FitRecord record() const { return sgd ? FitRecord::of(*sgd) : FitRecord::of(solution); }
};

std::string indented(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += "  " + line + "\n";
  return out;
}

std::string report(const Prepared& data, const Found& found) {
  const Solution& fit = found.solution;
  const Criterion& criterion = fit.criterion;
  const std::vector<Rate> rates = rates_of(criterion, data.tally());
  std::string out = strong(in_words(criterion)) + "\n";
  out += fmt::format("  {}: {} rows, {}", data.name, people(data.tally().total().n),
                     counted(data.tally().cells().size(), "cell"));
  if (data.excluded() > 0) {
    out += fmt::format("; {} left out for a missing value", counted(data.excluded(), "row"));
  }
  out += "\n";
  out += fmt::format("  {}\n\n",
                     judged(found.sgd ? in_words(*found.sgd)
                                      : proof_in_words(fit.status, fit.gap, fit.violation)));
  const AuditOptions auditing = auditing_of(fit);
  const std::optional<Promise> promise = promise_of(data.tally(), fit);
  for (const Roles& view :
       views_of({data.roles().sensitive, data.roles().within, criterion.roles.across})) {
    const Audit before_view = audit(data.tally(), view, auditing);
    const Audit after_view = audit(data.tally(), view, fit.rule, auditing);
    out += summary_table(before_view, &after_view, fit.options.costs, rates, fit.lottery_share,
                         promise) +
           "\n";
    out += group_table(view, before_view, &after_view, rates, false) + "\n";
  }
  out.pop_back();
  out += indented(not_compared_in_words(fit, data.tally().cells()));
  if (!found.sgd && !found.certified) {
    const std::string coins = indented(coins_in_words(data.tally(), fit));
    if (!coins.empty()) out += "\n" + coins;
  }
  if (fit.options.blind) {
    out += "  " + in_words(blind_price(data.tally(), data.roles(), fit), fit.options.costs) + "\n";
  }
  for (const std::string& note : fit.notes) out += "  note: " + printable(note) + "\n";
  out += "\n";
  if (found.certified) out += indented(in_words(*found.certified, data.tally()));
  out += to_text(found.bound);
  if (found.compared) out += "\n" + table_of(*found.sgd, *found.compared);
  return out;
}

Found find(const FitArguments& options, const Prepared& data) {
  Criterion criterion = options.fairness.build(data.roles());
  if (options.blind) criterion.roles.within = data.roles().within;  // of requirements alone, too
  const StochasticOptions& stochastic = options.stochastic;
  SolveOptions solving =
      options.fit.build(options.objective, options.data.database.threads, data.tally(), data.rows(),
                        stochastic.wanted() ? usual_sgd_gamma : 0);
  options.lottery.put_into(solving);
  solving.blind = options.blind;
  if (options.confidence.certify) {
    CertifiedFit certified = certify(
        data.tally(), criterion, solving,
        {.confidence = *options.confidence.certify, .partial = options.confidence.certify_partial});
    Solution solution = certified.solution;
    ConfidenceBound bound = certified.bound;
    return {std::move(solution), {}, {}, std::move(certified), std::move(bound)};
  }
  const BoundOptions bounding = options.confidence.build();
  if (!stochastic.wanted()) {
    Solution solution = solve(data.tally(), criterion, solving);
    ConfidenceBound bound = confidence_bound(data.tally(), solution, bounding);
    return {std::move(solution), {}, {}, {}, std::move(bound)};
  }
  SgdResult sgd = solve_stochastic(data, options.data.database, criterion, solving, stochastic);
  Found found{sgd.solution, {}, {}, {}, confidence_bound(data.tally(), sgd.solution, bounding)};
  if (stochastic.compare) found.compared = compare(sgd, data.tally());
  found.sgd = std::move(sgd);
  return found;
}

void check_calibration(const FitArguments& options) {
  const bool labels = !options.rows.label.empty() || !options.rows.tally.empty();
  if (options.fit.calibration.method() != Calibration::none && !labels) {
    throw UserError(fmt::format(
        "--calibrate {} needs labels, the actual outcomes: name their column with --label",
        options.fit.calibration.calibrate));
  }
}

int run_fit(const FitArguments& options) {
  if (options.json && options.output == "-") {
    throw UserError("--json and -o - both write to standard output; name a file for the rule");
  }
  options.stochastic.check(options.rows, options.output);
  refuse_named_output(options.data.input, options.output);
  options.confidence.check(options, options.soft.wanted(), options.stochastic.wanted());
  options.lottery.check(options.soft.wanted()         ? "--soft"
                        : options.stochastic.wanted() ? "--solver sgd"
                        : options.confidence.certify
                            ? "--certify: coins hold the rates inside its window"
                            : "");
  if (options.soft.wanted()) {
    if (options.stochastic.wanted()) throw UserError("--soft cannot be combined with --solver sgd");
    if (options.blind) {
      throw UserError("--blind cannot be combined with --soft, whose rules see no group");
    }
    return run_soft_fit(options, options.soft, options.output, options.json, options.source);
  }
  if (options.blind && options.stochastic.wanted()) {
    throw UserError("--blind cannot be combined with --solver sgd");
  }
  if (options.blind && options.confidence.certify) {
    throw UserError(
        "--certify cannot be combined with --blind: one threshold decides for several cells");
  }
  const bool requirements_only = options.fairness.criterion.empty();
  // What is wrong with it shows before anything is read.
  check_labels(options.fairness.build({.sensitive = {"x"}}), options.rows);
  options.fit.check();
  check_calibration(options);
  std::optional<Output> output;
  if (!options.output.empty()) output.emplace(options.output);
  const Prepared data =
      prepare(options.data, options.rows, {.sensitive_needed = !requirements_only});
  if (output) output->must_not_be(data.files);
  options.stochastic.refuse_overwriting(options.data.input, data.files);
  options.check_groups(data.tally(), data.roles(), data.rows());
  const Found found = find(options, data);
  const Solution& fit = found.solution;
  if (fit.status == Status::infeasible) {
    return say_infeasible(fit.criterion, *fit.infeasibility, options.json);
  }
  if (found.certified && found.certified->too_few) {
    if (options.json) print(too_few_json(*found.certified, data.tally()).dump(2) + "\n");
    say("evenhand: " + too_few_in_words(*found.certified, data.tally()));
    return exit_too_few;
  }
  if (const std::string constant = constant_rule_in_words(data.tally(), fit); !constant.empty()) {
    remark("evenhand: " + constant);
  }
  if (fit.status == Status::inaccurate && !options.accept_inaccurate) {
    say(fmt::format(
        "evenhand: the best rule found could not be proven optimal: gap {}, violation {}; "
        "--accept-inaccurate writes it anyway",
        rounded(fit.gap, 3), rounded(fit.violation, 3)));
    return exit_inaccurate;
  }
  const int done = fit.status == Status::inaccurate ? exit_inaccurate : exit_done;
  const AuditOptions auditing = auditing_of(fit);
  const Audit before = audit(data.tally(), data.roles(), auditing);
  const Audit after = audit(data.tally(), data.roles(), fit.rule, auditing);
  const bool for_people = !options.json && !(output && output->is_standard_output());
  const std::string text = for_people ? report(data, found) : "";
  FitRecord record = found.record();
  record.add(data.stored);
  record.bound = found.bound;
  record.before = before.overall.figures;
  record.after = after.overall.figures;
  if (output) {
    FitRecord filed = record;
    filed.source = source_of(options.source, options.data.input, data.files);
    output->complete_with(rule_file(fit.rule, filed));
  }
  if (!options.stochastic.trace.empty()) write_trace(found.sgd->trace, options.stochastic.trace);
  if (output && output->is_standard_output()) return done;
  if (options.json) {
    Json all = Json::parse(record.to_json());
    if (found.certified) {
      all["certificate"] = to_json(*found.certified, data.tally());
    }
    if (found.compared) all["compare"] = to_json(*found.compared);
    all["before"] = to_json(before, data.tally().cells(), data.roles());
    all["after"] = to_json(after, data.tally().cells(), data.roles());
    print(all.dump(2) + "\n");
    return done;
  }
  print_for_people(text + written_in_words(output ? output->name() : ""));
  return done;
}

}  // namespace

void add_fit(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand fit loans.parquet --score p --sensitive sex --criterion statistical-parity -o rule.json
  evenhand fit loans.csv --score p --label repaid --sensitive sex,age_group --within region \
      --criterion equalized-odds --tolerance 0.02 -o rule.json
  evenhand fit risk.csv --score risk --favorable low --sensitive race --criterion four-fifths \
      --require "rate <= 0.3" -o rule.json
  evenhand fit --tally tally.parquet --criterion statistical-parity -o rule.json
  evenhand fit loans.csv --score margin --scale raw --label repaid --calibrate platt \
      --sensitive sex --criterion statistical-parity -o rule.json
  evenhand fit loans.csv --score p --soft p_female,p_male -o rule.json

Exit status: 0 done, 2 wrong input or options, 3 no rule meets the requirements,
5 too few rows to certify, 6 not proven optimal.)");
  auto options = std::make_shared<FitArguments>();
  add_problem_options(command, *options);
  add_stochastic_options(command, options->stochastic);
  add_soft_options(command, options->soft);
  add_confidence_options(command, options->confidence);
  add_lottery_options(command, options->lottery);
  command.add_flag("--blind", options->blind,
                   "One rule for everybody: groups are used to find it, not to apply it");
  command.add_option("-o,--output", options->output, "FILE",
                     "File to write the rule to; - for standard output");
  command.add_flag("--json", options->json, "Print the result as JSON");
  command.add_flag("--accept-inaccurate", options->accept_inaccurate,
                   "Write the rule even if it could not be proven optimal (status inaccurate)");
  add_source_options(command, options->source);
  command.callback([options, &status, &command] {
    // Whatever else is typed changes nothing about the rule.
    options->source.command =
        command.typed({"--output", "--json", "--threads", "--memory", "--accept-inaccurate",
                       "--no-source", "--stamp", "--trace", "--record-every", "--compare"});
    status = run_fit(*options);
  });
}

}  // namespace evenhand::cli
