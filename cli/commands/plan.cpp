#include <evenhand/plan.h>
#include <evenhand/solve.h>
#include <evenhand/text.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/confidence_options.h"
#include "data/prepared.h"
#include "error.h"
#include "help.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct PlanArguments : ProblemOptions {
  std::optional<double> rate;
  std::optional<std::uint64_t> groups;
  std::optional<std::uint64_t> strata;
  std::optional<double> confidence;
  std::optional<double> power;
  std::optional<double> actual;
  std::string bound;
  bool json = false;

  bool has_data() const {
    return !data.input.data.empty() || !data.input.sql.empty() || !rows.tally.empty();
  }
};

PlanOptions wanted(const PlanArguments& options) {
  PlanOptions out{.tolerance = options.fairness.tolerance, .ratio = options.fairness.ratio};
  if (!out.tolerance && !out.ratio) {
    throw UserError("say what to show: --tolerance 0.05, or --ratio 0.8");
  }
  if (options.confidence) out.confidence = *options.confidence;
  if (options.power) out.power = *options.power;
  if (!options.bound.empty()) out.kind = bound_kind_from(options.bound);
  out.actual = options.actual;
  return out;
}

std::vector<PlannedStratum> from_numbers(const PlanArguments& options) {
  if (!options.rate) {
    throw UserError("give the selection rate: --rate 0.2, or give DATA and a criterion");
  }
  try {
    return planned_strata(*options.rate, options.groups.value_or(2), options.strata.value_or(1));
  } catch (const std::invalid_argument& error) {
    throw UserError(fmt::format("--groups and --strata: {}", error.what()));
  }
}

std::string goal_in_words(const PlanOptions& plan) {
  return plan.ratio ? fmt::format("the smallest ratio is at least {}", rounded(*plan.ratio, 6))
                    : fmt::format("the largest difference is at most {} %",
                                  rounded(100 * *plan.tolerance, 6));
}

std::string bound_shown(double value, bool is_ratio) {
  return is_ratio ? rounded(value, 3) : percent(value, 1);
}

int run_plan(const PlanArguments& options) {
  const PlanOptions wants = wanted(options);
  std::optional<Prepared> data;
  if (options.has_data()) {
    if (options.rate || options.groups || options.strata) {
      throw UserError("--rate, --groups and --strata are for plans without data");
    }
    data = prepare(options.data, options.rows, {});
  }
  const std::vector<PlannedStratum> strata =
      data ? planned_strata(data->tally(), options.fairness.build(data->roles()),
                            options.fit.build(options.objective, options.data.database.threads,
                                              data->tally(), data->rows()))
           : from_numbers(options);
  const Plan found = plan(strata, wants);
  const double rows = data ? data->tally().total().n : 1;
  const double fitted = std::ceil(found.fitted * rows);
  const double fresh = std::ceil(found.fresh * rows);
  if (options.json) {
    Json out;
    out[wants.ratio ? "ratio" : "tolerance"] = wants.ratio ? *wants.ratio : *wants.tolerance;
    out["confidence"] = wants.confidence;
    out["power"] = wants.power;
    out["bound"] = to_string(wants.kind);
    out[data ? "rows_fitted" : "rows_per_group_fitted"] = fitted;
    out[data ? "rows_fresh" : "rows_per_group_fresh"] = fresh;
    if (data) {
      out["rows"] = rows;
      out["bound_at_hand"] = found.at_hand;
    }
    print(out.dump(2) + "\n");
    return exit_done;
  }
  std::string text = fmt::format("To show that {} ({} % confidence)\n\n", goal_in_words(wants),
                                 rounded(100 * wants.confidence, 6));
  Table table({"", data ? "people like these" : "people in each group"},
              {Table::Align::left, Table::Align::right});
  table.add({"for a rule fitted on them", people(fitted)});
  table.add({fmt::format("for a rule they are new to, with a chance of {} %",
                         rounded(100 * wants.power, 6)),
             people(fresh)});
  text += table.text();
  if (data) {
    text += fmt::format("\n  There are {}: a rule fitted on them has a bound of {}.\n",
                        people(rows), bound_shown(found.at_hand, wants.ratio.has_value()));
  }
  print_for_people(text);
  return exit_done;
}

}  // namespace

void add_plan(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand plan --tolerance 0.05 --rate 0.2
  evenhand plan --ratio 0.8 --rate 0.3 --groups 4 --strata 5 --confidence 0.9
  evenhand plan loans.csv --score p --sensitive sex --criterion statistical-parity \
      --tolerance 0.05)");
  PlanArguments& options = command.runs(run_plan, status);
  add_problem_options(command, options);
  {
    const Section section(command, "New people");
    add_numbers(
        command,
        {
            {"--rate", options.rate, "Without data: the rate that the groups have in common"},
            {"--groups", options.groups, "Without data: groups that are compared (default: 2)"},
            {"--strata", options.strata, "Without data: strata they are compared in (default: 1)"},
            {"--confidence", options.confidence, "Confidence of the bound (default: 0.95)"},
            {"--power", options.power, "How likely new rows are to show it (default: 0.8)"},
            {"--actual", options.actual,
             "The true difference, or ratio, that new rows are drawn with (default: 0, or 1)"},
        });
    command
        .add_option("--bound", options.bound, "NAME",
                    "Bound for a fitted rule: same-rate, any or dkw")
        ->default_str("same-rate");
  }
  command.add_flag("--json", options.json, "Print the result as JSON");
}

}  // namespace evenhand::cli
