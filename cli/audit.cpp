#include <evenhand/audit.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "commands.h"
#include "error.h"
#include "figures.h"
#include "output.h"
#include "prepared.h"
#include "rule_file.h"
#include "support/text.h"
#include "terminal.h"

namespace evenhand::cli {
namespace {

struct Options {
  DataOptions data;
  RowOptions rows;
  ObjectiveOptions objective;
  std::string rule;
  std::string decision;
  std::string criterion;
  std::string across = "intersection";
  std::string reference;
  std::optional<double> fail_above;
  double confidence = 0.95;
  bool json = false;
};

// A group against the one that all are compared with, in one stratum.
struct AgainstReference {
  CellCode cell;
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
  Tally tally;
  Audit before;
  std::optional<Audit> after;

  const Audit& last() const { return after ? *after : before; }
};

std::vector<Rate> rates_of(const Options& options, const std::optional<RuleFile>& rule,
                           const Tally& tally) {
  std::string name = options.criterion;
  if (name.empty() && rule) {
    const auto criterion = rule->fit.find("criterion");
    if (criterion != rule->fit.end() && criterion->is_object()) {
      name = criterion->value("name", "");
    }
  }
  std::vector<Rate> rates = {Rate::selection};
  if (!name.empty() && name != "requirements") {
    rates = criterion_from(name, {.roles = {.sensitive = {"x"}}}).rates;
  }
  for (const Rate rate : rates) {
    if (rate != Rate::selection && !tally.labelled()) {
      if (!options.criterion.empty()) {
        throw UserError(
            fmt::format("{} compares rates among those with a label: give --label", shown(name)));
      }
      return {Rate::selection};
    }
  }
  return rates;
}

std::vector<View> views_of(const Options& options, const Prepared& data,
                           const std::optional<RuleFile>& rule) {
  const Across across = across_from(options.across);
  std::vector<Roles> all;
  if (across != Across::marginal) all.push_back(data.roles());
  if (across != Across::intersection) {
    for (const std::string& attribute : data.roles().sensitive) {
      all.push_back({.sensitive = {attribute}, .within = data.roles().within});
    }
  }
  const AuditOptions auditing{
      .costs = options.objective.costs(),
      .base_threshold = options.decision.empty() ? options.objective.base_threshold : 0.5,
      .confidence = options.confidence};
  // A rule may tell apart more than is compared, so all are audited on the whole tally.
  std::vector<View> views;
  for (const Roles& roles : all) {
    views.push_back(
        {roles, data.tally(), audit(data.tally(), roles, auditing),
         rule ? std::optional(audit(data.tally(), roles, rule->rule, auditing)) : std::nullopt});
  }
  return views;
}

std::vector<AgainstReference> against(const View& view, const std::vector<std::string>& reference,
                                      const std::vector<Rate>& rates) {
  const CellNames& names = view.tally.cells();
  const auto values = [&](CellCode c, const std::vector<std::string>& attributes) {
    std::vector<std::string> out;
    for (const std::string& attribute : attributes) {
      out.push_back(names.values(c)[names.attribute(attribute)]);
    }
    return out;
  };
  std::vector<AgainstReference> out;
  bool found = false;
  for (CellCode r = 0; r < names.size(); ++r) {
    if (values(r, view.roles.sensitive) != reference) continue;
    found = true;
    for (CellCode c = 0; c < names.size(); ++c) {
      if (c == r || values(c, view.roles.within) != values(r, view.roles.within)) continue;
      for (const Rate rate : rates) {
        const auto value = view.last().cells[c].figures.*rate_of(rate).value;
        const auto other = view.last().cells[r].figures.*rate_of(rate).value;
        if (value && other) out.push_back({c, rate, *value, *other});
      }
    }
  }
  if (!found) {
    std::vector<std::string> known;
    for (CellCode c = 0; c < names.size(); ++c) {
      const auto group = values(c, view.roles.sensitive);
      known.push_back(group.size() == 1 ? group[0] : fmt::format("{}", fmt::join(group, ",")));
    }
    const std::string asked = fmt::format("{}", fmt::join(reference, ","));
    throw UserError(fmt::format("there is no group {} to compare with (--reference){}",
                                shown(asked), suggestion(asked, known)));
  }
  return out;
}

Json references_json(const std::vector<AgainstReference>& all, const CellNames& names) {
  Json out = Json::array();
  for (const AgainstReference& one : all) {
    Json at;
    at["cell"] = names.name(one.cell);
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
    std::string name;
    for (std::size_t i = 0; i < stratum.values.size(); ++i) {
      name += fmt::format("{}{}={}", i > 0 ? ", " : "", shown(view.roles.within[i]),
                          shown(stratum.values[i]));
    }
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

std::string reference_table(const std::vector<AgainstReference>& all, const CellNames& names) {
  using Align = Table::Align;
  Table table({"against the reference", "rate", "difference", "ratio"},
              {Align::left, Align::left, Align::right, Align::right});
  for (const AgainstReference& one : all) {
    table.add({names.name(one.cell), std::string(rate_of(one.rate).title),
               percent(one.difference()), one.ratio() ? rounded(*one.ratio(), 3) : "-"});
  }
  return table.text();
}

std::string title_of(const View& view, const Prepared& data, const Options& options,
                     const std::optional<RuleFile>& rule) {
  std::string what = rule                       ? "a rule, before and after"
                     : options.decision.empty() ? "decisions by the score alone"
                                                : "decisions in " + shown(options.decision);
  std::string groups;
  for (const std::string& name : view.roles.sensitive) {
    groups += (groups.empty() ? "" : ", ") + shown(name);
  }
  return strong(fmt::format("audit of {}: {} between the groups of {}", data.name, what, groups)) +
         "\n\n";
}

int run_audit(Options options) {
  std::optional<RuleFile> rule;
  if (!options.rule.empty()) rule = read_rule(options.rule);
  if (!options.decision.empty()) {
    if (rule) throw UserError("give either --rule or --decision, not both");
    if (!options.rows.score.empty()) {
      throw UserError("give either --score or --decision, not both");
    }
    options.rows.score = options.decision;
    options.rows.scale = "probability";
    options.rows.resolution = "exact";
  }
  if (rule) {
    const Json columns = rule->fit.value("columns", Json::object());
    const auto fill = [&](std::string& option, const char* key) {
      const auto at = columns.find(key);
      if (!option.empty() || at == columns.end()) return;
      if (at->is_string()) option = at->get<std::string>();
      if (!at->is_array()) return;
      for (const Json& name : *at) {
        // In quotes, as a name may contain a comma.
        std::string quoted;
        for (const char c : name.get<std::string>())
          quoted += c == '"' ? "\"\"" : std::string(1, c);
        option += fmt::format("{}\"{}\"", option.empty() ? "" : ",", quoted);
      }
    };
    if (options.rows.tally.empty()) {
      fill(options.rows.score, "score");
      fill(options.rows.sensitive, "sensitive");
      fill(options.rows.within, "within");
    }
    options.rows.scale = to_string(rule->rule.parts().reading.scale);
    options.rows.favorable = to_string(rule->rule.parts().reading.favorable);
    if (options.rows.null == "error" && !rule->null_policy().empty()) {
      options.rows.null = rule->null_policy();
    }
  }
  if (options.fail_above && !(*options.fail_above >= 0 && *options.fail_above <= 1)) {
    throw UserError("--fail-above takes a difference from 0 to 1");
  }
  const Prepared data =
      prepare(options.data, options.rows,
              {.needs = options.decision.empty() ? Needs::score : Needs::decision});
  const std::vector<Rate> rates = rates_of(options, rule, data.tally());
  const bool meaningless = !options.decision.empty() && !data.tally().labelled();
  std::vector<View> views = views_of(options, data, rule);
  std::vector<std::vector<AgainstReference>> references(views.size());
  double worst = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!options.reference.empty()) {
      references[i] = against(views[i], split_names(options.reference), rates);
      for (const AgainstReference& one : references[i]) {
        worst = std::max(worst, std::abs(one.difference()));
      }
    } else {
      for (const Rate rate : rates) {
        worst = std::max(worst, largest_difference(views[i].last(), rate).value_or(0));
      }
    }
  }
  const CellNames& names = data.tally().cells();
  if (options.json) {
    Json out;
    out["data"] = data.name;
    out["rows"] = data.rows;
    if (data.stored.excluded > 0) out["excluded"] = data.stored.excluded;
    out["largest_difference"] = worst;
    for (std::size_t i = 0; i < views.size(); ++i) {
      Json view;
      view["sensitive"] = views[i].roles.sensitive;
      view["within"] = views[i].roles.within;
      view["before"] = to_json(views[i].before, names, views[i].roles);
      if (views[i].after) view["after"] = to_json(*views[i].after, names, views[i].roles);
      if (!options.reference.empty()) view["against_reference"] = references_json(references[i], names);
      if (views.size() == 1) {
        out.update(view);
      } else {
        out["views"].push_back(std::move(view));
      }
    }
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
      text += cell_table(names, view.roles, view.before, after, shown_rates, true) + "\n";
      text += strata_table(view, rates);
      if (!options.reference.empty()) text += "\n" + reference_table(references[i], names);
    }
    if (data.stored.excluded > 0) {
      text += fmt::format("\n{} rows were left out for a missing value\n",
                          with_commas(data.stored.excluded));
    }
    text += "\n" +
            faint(fmt::format("In brackets: {} % confidence for each rate on its own, for "
                              "decisions not fitted on these rows.",
                              rounded(100 * options.confidence, 4))) +
            "\n";
    print(text);
  }
  if (options.fail_above && worst > *options.fail_above) {
    fmt::print(stderr, "evenhand: the largest difference is {}, above {}\n", rounded(worst, 6),
               rounded(*options.fail_above, 6));
    return exit_exceeded;
  }
  return exit_done;
}

}  // namespace

void add_audit(CLI::App& program, int& status) {
  CLI::App& command = *program.add_subcommand(
      "audit", "Figures by group, of the scores, of a rule, or of decisions already made");
  command.footer(
      "Examples:\n"
      "  evenhand audit loans.csv --score p --sensitive sex --label repaid\n"
      "  evenhand audit loans.csv --rule rule.json\n"
      "  evenhand audit hired.csv --decision hired --sensitive sex --reference M --fail-above "
      "0.05\n\n"
      "Exit status: 0 done, 2 wrong input or options, 4 more than --fail-above.");
  auto options = std::make_shared<Options>();
  add_data_options(command, options->data);
  command
      .add_option("--tally", options->rows.tally,
                  "A file made by evenhand tally or by SQL, instead of DATA")
      ->type_name("FILE");
  command.add_option("--rule", options->rule, "Audit this rule, beside the scores alone")
      ->type_name("FILE");
  command
      .add_option("--decision", options->decision,
                  "Audit the decisions in this column, 0 or 1, instead of a score")
      ->type_name("COLUMN");
  add_row_options(command, options->rows);
  command
      .add_option("--criterion", options->criterion,
                  "Compare the rates of this criterion (default: the rule's, or selection rates)")
      ->type_name("NAME");
  command
      .add_option(
          "--across", options->across,
          "Several sensitive columns: their combinations (intersection), each column on its "
          "own (marginal), or both")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--reference", options->reference,
                  "Compare every group with this one; several sensitive columns with commas")
      ->type_name("GROUP");
  add_number(command, "--fail-above", options->fail_above,
             "Exit with status 4 if a difference is larger than this");
  add_number(command, "--confidence", options->confidence, "Of the intervals");
  add_objective_options(command, options->objective);
  command.add_flag("--json", options->json, "Print the result as JSON");
  command.callback([options, &status] { status = run_audit(*options); });
}

}  // namespace evenhand::cli
