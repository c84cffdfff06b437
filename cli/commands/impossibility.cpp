#include "commands/impossibility.h"

#include <evenhand/text.h>
#include <evenhand/theory.h>

#include <algorithm>

#include <fmt/format.h>

#include "data/rows.h"
#include "data/sql.h"
#include "error.h"
#include "options.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct ImpossibilityOptions {
  DataOptions data;
  std::string decision;
  std::string score;
  std::optional<double> base_threshold;
  std::string membership;
  std::string sensitive;
  std::string group;
  std::string weight;
  std::string null;
  std::string output;
  std::string output_format = "auto";
  std::string witness_name = "witness";
  bool json = false;
};

void check(const ImpossibilityOptions& options) {
  if (options.decision.empty() == options.score.empty()) {
    throw UserError("name the decisions: --decision, a column of 0 and 1, or --score");
  }
  if (options.base_threshold && options.score.empty()) {
    throw UserError("--base-threshold is for --score");
  }
  if (options.base_threshold && !(*options.base_threshold >= 0 && *options.base_threshold <= 1)) {
    throw UserError("--base-threshold takes a score, from 0 to 1");
  }
  if (options.witness_name.empty()) throw UserError("a column needs a name: --witness-name");
  if (options.membership.empty() == options.sensitive.empty()) {
    throw UserError(
        "say who belongs: --membership, a column of probabilities or of 0 and 1, or --sensitive "
        "with --group");
  }
  if (options.sensitive.empty() != options.group.empty()) {
    throw UserError("--sensitive and --group go together: a column, and one of its values");
  }
}

// What the rows say, and the same as SQL.
struct Split {
  std::string name;
  std::uint64_t rows = 0, excluded = 0, inside = 0;
  Impossibility found;
};

Split split_of(const ImpossibilityOptions& options, Database& database, const Source& source,
               std::string& witness_sql) {
  RowQuery query;
  const bool scores = options.decision.empty();
  const Column& decided = scores ? source.column(options.score, "--score")
                                 : source.column(options.decision, "--decision");
  if (scores) {
    query.numbers.push_back({decided, false, {score_check(decided, {})}});
  } else {
    query.numbers.push_back({decided, true, {zero_or_one_check("decision", decided)}});
  }
  if (!options.membership.empty()) {
    const Column& member = source.column(options.membership, "--membership");
    query.numbers.push_back({member, true, {probability_check(member)}});
  } else {
    query.attributes.push_back(source.column(options.sensitive, "--sensitive").name);
  }
  if (!options.weight.empty()) {
    const Column& weight = source.column(options.weight, "--weight");
    query.numbers.push_back({weight, false, weight_checks(weight)});
  }
  query.nulls = NullPolicy::from(options.null);
  const RowQuery asked = query;
  Rows rows(database, source, std::move(query));
  RowTable table = all_rows(rows, "reading");
  if (table.size == 0) throw_no_rows(source, rows.excluded());
  rows.explain();
  std::vector<double>& d = table.numbers[0];
  std::string decision_sql = as_number(decided, !scores) + " = 1";
  if (scores) {
    const auto& from = options.base_threshold;
    for (double& value : d) value = (from ? value >= *from : value > 0.5) ? 1 : 0;
    decision_sql = fmt::format("{} {}", as_number(decided, false),
                               from ? fmt::format(">= {}", double_literal(*from)) : "> 0.5");
  }
  std::vector<double> g;
  std::string membership_sql;
  if (options.sensitive.empty()) {
    g = table.numbers[1];
    membership_sql = as_number(asked.numbers[1].column, true);
  } else {
    const std::vector<std::string>& texts = rows.dictionary(0);
    const auto at = std::find(texts.begin(), texts.end(), options.group);
    if (at == texts.end()) {
      throw UserError(fmt::format("{}: nobody's {} is {} (--group){}", source.name(),
                                  shown(options.sensitive), shown(options.group),
                                  suggestion(options.group, texts)));
    }
    const auto code = static_cast<std::uint32_t>(at - texts.begin());
    for (const std::uint32_t value : table.codes[0]) g.push_back(value == code ? 1 : 0);
    membership_sql = fmt::format("CASE WHEN {} = {} THEN 1.0 ELSE 0.0 END",
                                 as_text(asked.attributes[0], asked.nulls), literal(options.group));
  }
  Split out{source.name(), table.size, rows.excluded(), 0, {}};
  out.found =
      impossibility(d, g, options.weight.empty() ? Numbers() : Numbers(table.numbers.back()));
  for (const std::uint8_t inside : out.found.witness) out.inside += inside;
  witness_sql =
      fmt::format("CASE WHEN {} THEN CAST(({} > {}) = ({}) AS TINYINT) END", rows.complete(),
                  membership_sql, double_literal(out.found.mean_membership), decision_sql);
  return out;
}

int run_impossibility(const ImpossibilityOptions& options) {
  check(options);
  refuse_named_output(options.data.input, options.output);
  const Input input(options.data.input);
  std::optional<Output> output;
  std::string how;
  if (!options.output.empty()) {
    how = copy_clause(options.output, options.output_format);
    output.emplace(options.output);
    output->must_not_be(input.files());
    if (output->is_standard_output()) {
      throw UserError("standard output has the figures: give -o a file");
    }
  }
  Database database(options.data.database, input,
                    output ? std::vector{output->staged()} : std::vector<std::string>());
  const Source source(database, input);
  if (output && source.has(options.witness_name)) {
    throw UserError(fmt::format("{} already has a column {}; name ours with --witness-name",
                                source.name(), shown(options.witness_name)));
  }
  std::string witness;
  const Split split = split_of(options, database, source, witness);
  if (output) {
    output->write_by(database,
                     fmt::format("COPY (SELECT *, {} AS {} FROM {}) TO {} ({})", witness,
                                 identifier(options.witness_name), source.relation(),
                                 literal(output->staged()), how),
                     "writing");
    output->complete();
  }
  const Impossibility& found = split.found;
  if (options.json) {
    Json out;
    out["data"] = split.name;
    out["rows"] = split.rows;
    if (split.excluded > 0) out["excluded"] = split.excluded;
    out["selection_rate"] = found.selection_rate;
    out["mean_membership"] = found.mean_membership;
    out["deviation"] = found.deviation;
    out["bound"] = found.bound;
    out["value"] = found.value;
    out["inside"] = split.inside;
    out["outside"] = split.rows - split.inside;
    print(out.dump(2) + "\n");
    return exit_done;
  }
  print_for_people(
      noted_table(fmt::format("Theorem 2 on {}: {}", split.name, counted(split.rows, "row")),
                  {{"selected", percent(found.selection_rate), "E d"},
                   {"belong", percent(found.mean_membership), "E g"},
                   {"mean deviation", rounded(found.deviation, 6), "E |g - E g|"},
                   {"bound", rounded(found.bound, 6),
                    "some split of these people in two has at least this mean absolute covariance"},
                   {"the witness has", rounded(found.value, 6),
                    "of decision and membership, a side's share times its covariance"},
                   {"on one side", with_commas(split.inside),
                    "chosen and more likely to belong than the mean, or neither"},
                   {"on the other", with_commas(split.rows - split.inside), "the rest"}}));
  if (output) {
    print_for_people(fmt::format("\n{} has every row with its side, in {}.\n", output->name(),
                                 shown(options.witness_name)));
  }
  return exit_done;
}

}  // namespace

void add_impossibility(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand theory impossibility decided.csv --decision decision --membership p_female
  evenhand theory impossibility loans.csv --score p --sensitive sex --group F -o split.csv)");
  ImpossibilityOptions& options = command.runs(run_impossibility, status);
  add_data_options(command, options.data);
  command.add_option("--decision", options.decision, "COLUMN",
                     "The column with the decisions, 0 or 1");
  command.add_option("--score", options.score, "COLUMN",
                     "Instead: a column of probabilities; decisions are positive above 1/2");
  add_number(command, "--base-threshold", options.base_threshold,
             "With --score: decisions are positive from this score on");
  command.add_option("--membership", options.membership, "COLUMN",
                     "The column with the probability of belonging, or 0 and 1");
  command.add_option("--sensitive", options.sensitive, "COLUMN",
                     "Instead: the column with the group");
  command.add_option("--group", options.group, "VALUE", "With --sensitive: who belongs");
  add_weight_option(command, options.weight);
  add_null_option(command, options.null);
  command.add_option("-o,--output", options.output, "FILE",
                     "Write all rows, with the side of the witness split that each is on");
  add_output_format(command, options.output_format);
  command.add_option("--witness-name", options.witness_name, "NAME", "Name of that column")
      ->capture_default_str();
  command.add_flag("--json", options.json, "Print the result as JSON");
}

}  // namespace evenhand::cli
