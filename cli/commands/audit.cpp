#include <evenhand/audit_confidence.h>
#include <evenhand/audit_json.h>
#include <evenhand/audit_report.h>
#include <evenhand/text.h>

#include <fmt/format.h>

#include "commands/audit_limits.h"
#include "commands/commands.h"
#include "commands/side_by_side.h"
#include "commands/soft_audit.h"
#include "data/prepared.h"
#include "data/rule_file.h"
#include "data/soft_rows.h"
#include "data/unseen.h"
#include "error.h"
#include "output/audit_text.h"
#include "output/confidence_text.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/reliability.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

constexpr double usual_confidence = 0.95;

struct AuditArguments : SubjectOptions {
  std::string criterion;
  std::string across;  // empty: the rule's, or the combinations
  std::string reference;
  AuditLimits limits;
  SoftColumnOptions soft;
  std::vector<std::string> require;  // empty: the rule's
  bool same_rows = false;
  bool calibration = false;
  std::optional<std::uint64_t> bins;
  bool json = false;
};

using RuleFiles = std::vector<RuleFile>;  // of several, the first says what is compared

// The criterion of the first rule's fit; empty if there is none, or it does not say.
RecordedCriterion recorded(const RuleFiles& rules) {
  return rules.empty() ? RecordedCriterion()
                       : rules.front().fit.criterion.value_or(RecordedCriterion());
}

// The requirements of all rules, each once.
std::vector<std::string> required_by(const RuleFiles& rules) {
  std::vector<std::string> out;
  for (const RuleFile& rule : rules) {
    if (!rule.fit.criterion) continue;
    for (const std::string& text : rule.fit.criterion->require) {
      if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
    }
  }
  return out;
}

Across across_by(const AuditArguments& options, const RuleFiles& rules) {
  if (!options.across.empty()) return across_from(options.across);
  return recorded(rules).roles.value_or(Roles()).across;
}

// What the criterion compares: that of --criterion, or the one the rule was fitted for.
AuditScope scope_by(const AuditArguments& options, const RuleFiles& rules, const Prepared& data) {
  const std::string name = options.criterion.empty() ? recorded(rules).name : options.criterion;
  AuditScope scope;
  if (!name.empty() && name != "requirements") {
    const Criterion criterion = criterion_from(name, {.roles = data.roles()});
    for (const Rate rate : criterion.rates) {
      if (rate != Rate::selection && !data.tally().labelled()) {
        throw UserError(
            fmt::format("{} needs labels, what really happened: give --label, their column, or "
                        "another --criterion",
                        name));
      }
    }
    scope = scope_of(criterion);
  }
  scope.roles = data.roles();
  scope.roles.across = across_by(options, rules);
  if (!options.reference.empty()) scope.reference = split_names(options.reference);
  scope.require = options.require.empty() ? required_by(rules) : options.require;
  return scope;
}

AuditOptions auditing_by(const AuditArguments& options, const RuleFiles& rules) {
  AuditOptions out{.costs = options.objective.costs(),
                   .base_threshold = options.objective.base_threshold,
                   .confidence = options.confidence.value_or(usual_confidence)};
  out.min_group = options.min_group.value_or(0);
  out.decisions = !options.decision.empty();
  out.unseen = options.unseen.empty() ? Unseen::error : unseen_from(options.unseen);
  if (!rules.empty()) out.calibrator = rules.front().hard().parts().calibrator;
  return out;
}

void check_soft_options(const AuditArguments& options, const RuleFiles& rules) {
  const bool any = std::any_of(rules.begin(), rules.end(), [](const auto& r) { return r.soft(); });
  if (!rules.empty() && !any) {
    throw UserError(fmt::format("{} is a rule for known groups: audit it without --soft",
                                shown(rules.front().path)));
  }
  refuse_beside_soft(options.rows, options.objective,
                     {{!options.across.empty(), "--across"},
                      {!options.reference.empty(), "--reference"},
                      {options.confidence.has_value(), "--confidence"},
                      {!options.unseen.empty(), "--unseen"},
                      {!options.require.empty(), "--require"},
                      {options.min_group.has_value(), "--min-group"},
                      {options.same_rows, "--same-rows"},
                      {options.limits.about_new_people(), "limits of what the data show"},
                      {options.calibration, "--calibration"},
                      {options.bins.has_value(), "--bins"}});
}

int run_audit(AuditArguments options) {
  RuleFiles rules;
  ColumnsIfThere if_there;
  for (const std::string& path : options.rules) rules.push_back(read_rule(path));
  const RuleFile* const rule = rules.empty() ? nullptr : &rules.front();
  const bool soft = options.soft.given() || std::any_of(rules.begin(), rules.end(),
                                                        [](const RuleFile& r) { return r.soft(); });
  if (soft) check_soft_options(options, rules);
  if (!options.decision.empty()) {
    if (rule) throw UserError("give either --rule or --decision, not both");
    if (!options.rows.score.empty()) {
      throw UserError("give either --score or --decision, not both");
    }
    options.rows.score = options.decision;
  }
  if (rule) {
    check_same_reading(rules);
    fill_from(rules, options.rows, if_there);
    rule->fill(options.objective);
  }
  if (soft) {
    return run_soft_audit({options.data, options.rows, options.objective.costs(), options.soft,
                           options.criterion, options.decision, if_there, rules, options.limits,
                           options.json});
  }
  if (options.same_rows && !rule) {
    throw UserError("--same-rows says that the rule was fitted on these rows: give --rule");
  }
  if (options.bins && !options.calibration) throw UserError("--bins is for --calibration");
  if (options.calibration && !options.decision.empty()) {
    throw UserError("decisions are not probabilities: there is no --calibration of --decision");
  }
  if (options.calibration && options.rows.label.empty() && if_there.label.empty() &&
      options.rows.tally.empty()) {
    throw UserError("--calibration is measured against what really happened: give --label");
  }
  check(options.limits);
  if (options.calibration && rules.size() > 1) {
    throw UserError("--calibration is about the scores: give it with one --rule, or with none");
  }
  const Needs needs = !options.decision.empty()     ? Needs::decision
                      : rule || options.calibration ? Needs::score
                                                    : Needs::either;
  const Prepared data = prepare(options.data, options.rows,
                                {.needs = needs,
                                 .if_there = if_there,
                                 .also = attributes_of(rules),
                                 .squared_weights = true});
  if (data.columns.decisions && options.decision.empty()) options.decision = "decision";
  const AuditScope scope = scope_by(options, rules, data);
  AuditOptions auditing = auditing_by(options, rules);
  auditing.squared_weights = data.squared_weights;
  if (rules.size() > 1) {
    return run_side_by_side(
        {data, scope, auditing, rules, options.limits, options.same_rows, options.json});
  }
  const AuditReport before = audit_report(data.tally(), scope, auditing);
  std::optional<AuditReport> after;
  if (rule) {
    after = for_rule_on(data.name,
                        [&] { return audit_report(data.tally(), scope, rule->hard(), auditing); });
  }
  const AuditReport* const by_rule = after ? &*after : nullptr;
  const AuditReport& last = after ? *after : before;
  const AuditConfidence confidence =
      confidence_by(rule, options.same_rows, data.stored, last, auditing.confidence);
  // Tests are for decisions that were not chosen by these rows.
  std::optional<AuditTests> tests;
  if (!confidence.fitted) tests = tests_of(last, auditing.confidence);
  const CellNames& names = data.tally().cells();
  std::optional<Reliability> reliability;
  if (options.calibration) {
    reliability = reliability_of(data.tally(), auditing.calibrator, options.bins.value_or(15));
  }
  if (options.json) {
    Json out = to_json({data.name, data.rows(), data.excluded()}, before, by_rule);
    out["bound"] = to_json(confidence, scope);
    if (tests) out["tests"] = to_json(*tests);
    if (reliability) out["calibration"] = to_json(*reliability, names);
    print(out.dump(2) + "\n");
  } else {
    const std::string decisions = rule ? "before and after a rule"
                                  : options.decision.empty()
                                      ? "decisions by the score alone"
                                      : "decisions in " + shown(options.decision);
    std::string text =
        AuditText{data.name, decisions, before, by_rule, options.objective.costs(), auditing.unseen}
            .text();
    if (tests && !options.decision.empty()) text += "\n" + to_text(*tests);
    text += "\n" + to_text(confidence, last);
    if (reliability) {
      text += "\n" + strong("calibration of the scores") + "\n\n" + to_text(*reliability, names);
    }
    if (data.excluded() > 0) {
      text += fmt::format("\n{} left out for a missing value\n", counted(data.excluded(), "row"));
    }
    if (data.tally().unit_weights() || last.effective) {
      text += "\n" +
              faint(fmt::format("In brackets: {} % confidence for each rate on its own, for "
                                "decisions not fitted on these rows{}.",
                                rounded(100 * auditing.confidence, 4),
                                last.effective ? ", by effective sizes" : "")) +
              "\n";
    }
    print_for_people(text);
  }
  return judge(options.limits, data.name, last, confidence);
}

}  // namespace

void add_audit(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand audit loans.csv --score p --sensitive sex --label repaid
  evenhand audit loans.csv --rule rule.json
  evenhand audit loans.csv --rule today.json --rule blind.json --rule no-coins.json
  evenhand audit hired.csv --decision hired --sensitive sex --reference M --fail-above 0.05
  evenhand audit loans.csv --rule soft.json
  evenhand audit hired.csv --decision hired --soft p_female

Exit status: 0 done, 2 wrong input or options, 4 a limit is exceeded.)");
  AuditArguments& options = command.runs(run_audit, status);
  add_subject_options(
      command, options,
      "Audit this rule, beside the scores alone; give it again for each further rule, and they "
      "stand side by side, with whom each decides unlike the first",
      "Audit the decisions in this column, 0 or 1, instead of a score");
  add_soft_columns(command, options.soft,
                   "Instead of --sensitive: columns with the probability that somebody belongs to "
                   "a group; those who do are compared with those who do not, in expectation");
  command.add_option(
      "--criterion", options.criterion, "NAME",
      "Compare the rates of this criterion (default: the rule's, or selection rates)");
  command.add_option(
      "--across", options.across, "NAME",
      "Several sensitive columns: their combinations (intersection), each column on its "
      "own (marginal), or both (default: the rule's, or intersection)");
  command.add_option("--reference", options.reference, "GROUP",
                     "Compare every group with this one; several sensitive columns with commas");
  add_unseen_option(command, options.unseen);
  command
      .add_option(
          "--require", options.require, "TEXT",
          "Check this requirement on these people, such as \"rate <= 0.1\"; may be repeated "
          "(default: those of the rule)")
      ->one_at_a_time();
  add_number(command, "--min-group", options.min_group,
             "Show groups of fewer people than this, but do not compare them (default: 0)");
  add_limits(command, options.limits);
  add_number(command, "--confidence", options.confidence,
             "Of the intervals, and of what is said of new people (default: 0.95)");
  command.add_flag("--same-rows", options.same_rows,
                   "The rule was fitted on these rows (identical data are recognised): bound it as "
                   "fit does");
  add_objective_options(command, options.objective);
  command.add_flag("--calibration", options.calibration,
                   "Say how far the scores can be trusted as probabilities, too; needs labels");
  add_whole_number(command, "--bins", options.bins, "Bins in the calibration table (default: 15)");
  command.add_flag("--json", options.json, "Print the result as JSON");
}

}  // namespace evenhand::cli
