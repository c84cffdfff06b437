#include <evenhand/audit.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "commands/audit_limits.h"
#include "commands/commands.h"
#include "commands/soft_audit.h"
#include "data/prepared.h"
#include "data/rule_file.h"
#include "data/soft_rows.h"
#include "data/unseen.h"
#include "error.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/reliability.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

constexpr double usual_confidence = 0.95;

struct Options {
  DataOptions data;
  RowOptions rows;
  ObjectiveOptions objective;
  std::string rule;
  std::string decision;
  std::string criterion;
  std::string across;  // empty: the rule's, or the combinations
  std::string reference;
  AuditLimits limits;
  std::string soft;
  std::optional<double> confidence;
  bool calibration = false;
  std::optional<std::uint64_t> bins;
  bool json = false;
};

// A group against the one that all are compared with, in one stratum.
struct AgainstReference {
  std::string group;
  Rate rate;
  double value, reference;

  double difference() const { return value - reference; }
  std::optional<double> ratio() const {
    return reference > 0 ? std::optional(value / reference) : std::nullopt;
  }
};

// One comparison: of the combinations of all sensitive attributes, or of one attribute's values.
struct View {
  Roles roles;
  Audit before;
  std::optional<Audit> after;

  const Audit& last() const { return after ? *after : before; }
};

// The criterion of the rule's fit; empty if there is none, or it does not say.
RecordedCriterion recorded(const std::optional<RuleFile>& rule) {
  return rule ? rule->fit.criterion.value_or(RecordedCriterion()) : RecordedCriterion();
}

Across across_by(const Options& options, const std::optional<RuleFile>& rule) {
  if (!options.across.empty()) return across_from(options.across);
  return recorded(rule).roles.value_or(Roles()).across;
}

// The rates that are compared, and whether all cells are, strata or not.
struct Compared {
  std::vector<Rate> rates = {Rate::selection};
  bool all_cells = false;
};

Compared compared_by(const Options& options, const std::optional<RuleFile>& rule, bool labelled) {
  const std::string name = options.criterion.empty() ? recorded(rule).name : options.criterion;
  if (name.empty() || name == "requirements") return {};
  const Criterion criterion = criterion_from(name, {.roles = {.sensitive = {"x"}}});
  for (const Rate rate : criterion.rates) {
    if (rate != Rate::selection && !labelled) {
      throw UserError(
          fmt::format("{} needs labels, what really happened: give --label, their column, or "
                      "another --criterion",
                      name));
    }
  }
  return {criterion.rates, criterion.all_cells};
}

// Figures that trust the scores mean nothing where these are decisions.
void forget_outcomes(Audit& audit) {
  const auto forget = [](Figures& figures) {
    figures.precision = figures.accuracy = figures.cost = std::nullopt;
  };
  for (AuditedCell& cell : audit.cells) forget(cell.figures);
  audit.strata.push_back(std::move(audit.overall));
  for (Comparison& comparison : audit.strata) {
    forget(comparison.figures);
    for (AuditedGroup& group : comparison.groups) forget(group.figures);
  }
  audit.overall = std::move(audit.strata.back());
  audit.strata.pop_back();
  audit.expected = false;
}

std::vector<View> audits_of(const Options& options, const Prepared& data,
                            const std::optional<RuleFile>& rule) {
  AuditOptions auditing{
      .costs = options.objective.costs(),
      .base_threshold = options.decision.empty() ? options.objective.base_threshold : 0.5,
      .confidence = options.confidence.value_or(usual_confidence)};
  if (rule) {
    std::vector<std::uint64_t> counts;
    for (CellCode c = 0; c < data.tally().cells().size(); ++c) {
      counts.push_back(static_cast<std::uint64_t>(data.tally().total(c).n));
    }
    refuse_unseen(data.name, data.tally().cells(), counts, rule->hard().cells(),
                  "fit it anew, or leave these people out with --sql");
    auditing.calibrator = rule->hard().parts().calibrator;
  }
  std::vector<View> views;
  for (const Roles& roles : views_of(data.roles(), across_by(options, rule))) {
    View view{roles, audit(data.tally(), roles, auditing), std::nullopt};
    if (rule) view.after = audit(data.tally(), roles, rule->hard(), auditing);
    if (!options.decision.empty() && !data.tally().labelled()) forget_outcomes(view.before);
    views.push_back(std::move(view));
  }
  return views;
}

std::string values_in_words(const std::vector<std::string>& attributes,
                            const std::vector<std::string>& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += fmt::format("{}{}={}", i > 0 ? ", " : "", shown(attributes[i]), shown(values[i]));
  }
  return out;
}

std::vector<AgainstReference> against(const View& view, const std::vector<std::string>& reference,
                                      const std::vector<Rate>& rates) {
  std::vector<AgainstReference> out;
  for (const Comparison& stratum : view.last().strata) {
    const auto one = std::find_if(stratum.groups.begin(), stratum.groups.end(),
                                  [&](const AuditedGroup& g) { return g.values == reference; });
    if (one == stratum.groups.end()) continue;
    for (const AuditedGroup& group : stratum.groups) {
      if (&group == &*one) continue;
      std::string name = values_in_words(view.roles.sensitive, group.values);
      if (!stratum.values.empty()) {
        name += ", " + values_in_words(view.roles.within, stratum.values);
      }
      for (const Rate rate : rates) {
        const auto value = group.figures.*rate_of(rate).value;
        const auto other = one->figures.*rate_of(rate).value;
        if (value && other) out.push_back({name, rate, *value, *other});
      }
    }
  }
  return out;
}

// In views of one attribute at a time the reference is a group of one of them.
bool has_group(const View& view, const std::vector<std::string>& values) {
  return std::any_of(view.last().overall.groups.begin(), view.last().overall.groups.end(),
                     [&](const AuditedGroup& group) { return group.values == values; });
}

[[noreturn]] void refuse_reference(const std::string& asked, const std::vector<View>& views) {
  std::vector<std::string> known;
  for (const View& view : views) {
    for (const AuditedGroup& group : view.last().overall.groups) {
      known.push_back(fmt::format("{}", fmt::join(group.values, ",")));
    }
  }
  throw UserError(fmt::format("there is no group {} to compare with (--reference){}", shown(asked),
                              suggestion(asked, known)));
}

// The largest difference and the smallest ratio between two rates that were compared.
struct Worst {
  std::optional<double> difference;
  double ratio = 1;

  void see(double a, double b) {
    difference = std::max(difference.value_or(0), std::abs(a - b));
    if (std::max(a, b) > 0) ratio = std::min(ratio, std::min(a, b) / std::max(a, b));
  }
};

// In each stratum, or over all cells for criteria that compare strata too.
void see_all(const Audit& audit, Rate rate, bool all_cells, Worst& worst) {
  std::vector<std::vector<double>> compared(1);
  if (all_cells) {
    for (const AuditedCell& cell : audit.cells) {
      if (const auto value = cell.figures.*rate_of(rate).value) compared[0].push_back(*value);
    }
  } else {
    for (const Comparison& stratum : audit.strata) {
      compared.emplace_back();
      for (const AuditedGroup& group : stratum.groups) {
        if (const auto value = group.figures.*rate_of(rate).value) {
          compared.back().push_back(*value);
        }
      }
    }
  }
  for (const std::vector<double>& values : compared) {
    if (values.size() < 2) continue;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    worst.see(*low, *high);
  }
}

Json references_json(const std::vector<AgainstReference>& all) {
  Json out = Json::array();
  for (const AgainstReference& one : all) {
    Json at;
    at["cell"] = one.group;
    at["rate"] = rate_of(one.rate).name;
    at["value"] = one.value;
    at["reference"] = one.reference;
    at["difference"] = one.difference();
    at["ratio"] = one.ratio() ? Json(*one.ratio()) : Json(nullptr);
    out.push_back(std::move(at));
  }
  return out;
}

std::string strata_table(const View& view, const std::vector<Rate>& rates) {
  using Align = Table::Align;
  Table table({"stratum", "rate", "difference", "ratio", ""},
              {Align::left, Align::left, Align::right, Align::right, Align::left});
  for (const Comparison& stratum : view.last().strata) {
    const std::string name = values_in_words(view.roles.within, stratum.values);
    for (const Rate rate : rates) {
      const auto& spread = stratum.*rate_of(rate).spread;
      table.add({name.empty() ? "everybody" : name, std::string(rate_of(rate).title),
                 spread ? percent(spread->difference) : "-",
                 spread ? rounded(spread->ratio, 3) : "-",
                 spread ? "" : faint("fewer than two groups have this rate")});
    }
  }
  return table.text();
}

std::string reference_table(const std::vector<AgainstReference>& all) {
  using Align = Table::Align;
  Table table({"against the reference", "rate", "difference", "ratio"},
              {Align::left, Align::left, Align::right, Align::right});
  for (const AgainstReference& one : all) {
    table.add({one.group, std::string(rate_of(one.rate).title), percent(one.difference()),
               one.ratio() ? rounded(*one.ratio(), 3) : "-"});
  }
  return table.text();
}

std::string title_of(const View& view, const Prepared& data, const Options& options,
                     const std::optional<RuleFile>& rule) {
  std::string what = rule                       ? "before and after a rule"
                     : options.decision.empty() ? "decisions by the score alone"
                                                : "decisions in " + shown(options.decision);
  std::string groups = "groups of " + shown(view.roles.sensitive);
  if (!view.roles.within.empty()) groups += " within " + shown(view.roles.within);
  return strong(fmt::format("audit of {}: {}, {}", data.name, what, groups)) + "\n\n";
}

// What the rule was fitted for, unless told otherwise.
void take_objective(const FitRecord& fit, ObjectiveOptions& options) {
  if (!options.cost_fp) options.cost_fp = fit.cost_fp;
  if (!options.cost_fn) options.cost_fn = fit.cost_fn;
  if (!options.base_threshold) options.base_threshold = fit.base_threshold;
}

void check_soft_options(const Options& options, const std::optional<RuleFile>& rule) {
  if (rule && !rule->soft()) {
    throw UserError(
        fmt::format("{} is a rule for known groups: audit it without --soft", shown(rule->path)));
  }
  refuse_beside_soft(options.rows, options.objective, options.criterion,
                     {{!options.across.empty(), "--across"},
                      {!options.reference.empty(), "--reference"},
                      {options.confidence.has_value(), "--confidence"},
                      {options.calibration, "--calibration"},
                      {options.bins.has_value(), "--bins"}});
}

int run_audit(Options options) {
  std::optional<RuleFile> rule;
  ColumnsIfThere if_there;
  if (!options.rule.empty()) rule = read_rule(options.rule);
  const bool soft = !options.soft.empty() || (rule && rule->soft());
  if (soft) check_soft_options(options, rule);
  if (!options.decision.empty()) {
    if (rule) throw UserError("give either --rule or --decision, not both");
    if (!options.rows.tally.empty()) {
      throw UserError("a tally has no decisions: give DATA with --decision");
    }
    if (!options.rows.score.empty()) {
      throw UserError("give either --score or --decision, not both");
    }
    options.rows.score = options.decision;
  }
  if (rule) {
    rule->fill(options.rows, if_there);
    take_objective(rule->fit, options.objective);
  }
  if (soft) {
    return run_soft_audit({options.data, options.rows, options.objective.costs(), options.soft,
                           options.decision, if_there, rule ? &*rule : nullptr, options.limits,
                           options.json});
  }
  if (options.bins && !options.calibration) throw UserError("--bins is for --calibration");
  if (options.calibration && !options.decision.empty()) {
    throw UserError("decisions are not probabilities: there is no --calibration of --decision");
  }
  if (options.calibration && options.rows.label.empty() && if_there.label.empty() &&
      options.rows.tally.empty()) {
    throw UserError("--calibration is measured against what really happened: give --label");
  }
  options.limits.check();
  const Prepared data = prepare(
      options.data, options.rows,
      {.needs = options.decision.empty() ? Needs::score : Needs::decision, .if_there = if_there});
  const Compared compared = compared_by(options, rule, data.tally().labelled());
  const std::vector<Rate>& rates = compared.rates;
  const bool meaningless = !options.decision.empty() && !data.tally().labelled();
  const std::vector<View> views = audits_of(options, data, rule);
  const std::vector<std::string> reference =
      options.reference.empty() ? std::vector<std::string>{} : split_names(options.reference);
  std::vector<std::vector<AgainstReference>> references(views.size());
  Worst worst;
  bool found = reference.empty();
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!reference.empty()) {
      found = found || has_group(views[i], reference);
      references[i] = against(views[i], reference, rates);
      for (const AgainstReference& one : references[i]) worst.see(one.value, one.reference);
      continue;
    }
    for (const Rate rate : rates) see_all(views[i].last(), rate, compared.all_cells, worst);
  }
  if (!found) refuse_reference(options.reference, views);
  const CellNames& names = data.tally().cells();
  std::optional<Reliability> reliability;
  if (options.calibration) {
    reliability =
        reliability_of(data.tally(), rule ? rule->hard().parts().calibrator : std::nullopt,
                       options.bins.value_or(15));
  }
  if (options.json) {
    Json out;
    out["data"] = data.name;
    out["rows"] = data.rows();
    if (data.excluded() > 0) out["excluded"] = data.excluded();
    out["largest_difference"] = worst.difference ? Json(*worst.difference) : Json(nullptr);
    out["smallest_ratio"] = worst.difference ? Json(worst.ratio) : Json(nullptr);
    for (std::size_t i = 0; i < views.size(); ++i) {
      Json view;
      view["sensitive"] = views[i].roles.sensitive;
      view["within"] = views[i].roles.within;
      view["before"] = to_json(views[i].before, names, views[i].roles);
      if (views[i].after) view["after"] = to_json(*views[i].after, names, views[i].roles);
      if (!options.reference.empty()) view["against_reference"] = references_json(references[i]);
      if (views.size() == 1) {
        out.update(view);
      } else {
        out["views"].push_back(std::move(view));
      }
    }
    if (reliability) out["calibration"] = to_json(*reliability, names);
    print(out.dump(2) + "\n");
  } else {
    std::string text;
    for (std::size_t i = 0; i < views.size(); ++i) {
      const View& view = views[i];
      const Audit* after = view.after ? &*view.after : nullptr;
      std::vector<Rate> shown_rates = {Rate::selection};
      if (data.tally().labelled()) {
        shown_rates = {Rate::selection, Rate::true_positive, Rate::false_positive};
      }
      text += (i > 0 ? "\n" : "") + title_of(view, data, options, rule);
      if (!meaningless) {
        text += summary_table(view.before, after, options.objective.costs(), rates, {}) + "\n";
      }
      text += group_table(view.roles, view.before, after, shown_rates, true) + "\n";
      text += strata_table(view, rates);
      if (!options.reference.empty()) text += "\n" + reference_table(references[i]);
    }
    if (reliability) {
      text += "\n" + strong("calibration of the scores") + "\n\n" + to_text(*reliability, names);
    }
    if (data.excluded() > 0) {
      text += fmt::format("\n{} left out for a missing value\n", counted(data.excluded(), "row"));
    }
    if (data.tally().unit_weights()) {
      text += "\n" +
              faint(fmt::format("In brackets: {} % confidence for each rate on its own, for "
                                "decisions not fitted on these rows.",
                                rounded(100 * options.confidence.value_or(usual_confidence), 4))) +
              "\n";
    }
    print(text);
  }
  return options.limits.judge(data.name, worst.difference,
                              worst.difference ? std::optional(worst.ratio) : std::nullopt);
}

}  // namespace

void add_audit(Command& program, int& status) {
  Command& command = *program.add_subcommand(
      "audit", "Figures by group, of the scores, of a rule, or of decisions already made");
  command.footer(
      "Examples:\n"
      "  evenhand audit loans.csv --score p --sensitive sex --label repaid\n"
      "  evenhand audit loans.csv --rule rule.json\n"
      "  evenhand audit hired.csv --decision hired --sensitive sex --reference M --fail-above "
      "0.05\n"
      "  evenhand audit loans.csv --rule soft.json\n"
      "  evenhand audit hired.csv --decision hired --soft p_female\n\n"
      "Exit status: 0 done, 2 wrong input or options, 4 more than --fail-above.");
  auto options = std::make_shared<Options>();
  add_data_options(command, options->data);
  add_tally_option(command, options->rows);
  command.add_option("--rule", options->rule, "Audit this rule, beside the scores alone")
      ->type_name("FILE");
  command
      .add_option("--decision", options->decision,
                  "Audit the decisions in this column, 0 or 1, instead of a score")
      ->type_name("COLUMN");
  add_row_options(command, options->rows);
  command
      .add_option("--soft", options->soft,
                  "Instead of --sensitive: columns with the probability that somebody belongs to "
                  "a group; those who do are compared with those who do not, in expectation")
      ->type_name("COLUMNS");
  command
      .add_option("--criterion", options->criterion,
                  "Compare the rates of this criterion (default: the rule's, or selection rates)")
      ->type_name("NAME");
  command
      .add_option(
          "--across", options->across,
          "Several sensitive columns: their combinations (intersection), each column on its "
          "own (marginal), or both (default: the rule's, or intersection)")
      ->type_name("NAME");
  command
      .add_option("--reference", options->reference,
                  "Compare every group with this one; several sensitive columns with commas")
      ->type_name("GROUP");
  add_limits(command, options->limits);
  add_number(command, "--confidence", options->confidence, "Of the intervals (default: 0.95)");
  add_objective_options(command, options->objective);
  command.add_flag("--calibration", options->calibration,
                   "Say how far the scores can be trusted as probabilities, too; needs labels");
  add_whole_number(command, "--bins", options->bins, "Of the calibration table (default: 15)");
  command.add_flag("--json", options->json, "Print the result as JSON");
  command.callback([options, &status] { status = run_audit(*options); });
}

}  // namespace evenhand::cli
