#include <evenhand/names.h>
#include <evenhand/sql.h>

#include <fmt/format.h>

#include "commands/commands.h"
#include "data/key_file.h"
#include "data/rule_file.h"
#include "data/source.h"
#include "error.h"
#include "help.h"
#include "output/figures.h"
#include "output/output.h"

namespace evenhand::cli {
namespace {

// What all statements have in common.
struct Target {
  std::string dialect;
  SqlSource source;
  std::string output;
  bool json = false;

  Dialect engine() const {
    if (dialect.empty()) {
      throw UserError(fmt::format("--dialect is missing: {}", dialect_choices().text()));
    }
    return dialect_from(dialect);
  }
  SqlSource rows() const {
    if (source.table.empty() && source.select.empty()) {
      throw UserError("say where the rows are: a table, or --sql SELECT");
    }
    if (!source.table.empty() && !source.select.empty()) {
      throw UserError("give either a table or --sql, not both");
    }
    return source;
  }
  void write(const std::string& statement) const {
    if (!output.empty()) {
      Output file(output);
      file.complete_with(statement);
    }
    if (json) {
      print(Json{{"dialect", dialect}, {"statement", statement}}.dump(2) + "\n");
    } else if (output.empty()) {
      print(statement);
    }
  }
};

void add_dialect(Command& command, std::string& dialect) {
  command.add_option("--dialect", dialect, "NAME", "The engine: " + dialect_choices().text());
}

void add_target(Command& command, Target& target) {
  const Section section(command, "Data");
  command.add_option("TABLE,--table", target.source.table, "NAME",
                     "The table with the rows; schema.table, with double quotes around a name that "
                     "has a dot itself");
  command.add_option("--sql", target.source.select, "SELECT",
                     "A SELECT of the rows instead, taken as it is");
  add_dialect(command, target.dialect);
  command.add_option("-o,--output", target.output, "FILE",
                     "Write to this file (default: standard output)");
  command.add_flag("--json", target.json, "Print the statement as JSON");
}

std::vector<std::string> attributes_of(const RowOptions& rows) {
  std::vector<std::string> out;
  for (const std::string& names : {rows.sensitive, rows.within}) {
    if (names.empty()) continue;
    for (std::string& name : split_names(names)) out.push_back(std::move(name));
  }
  return out;
}

struct SqlTallyArguments {
  Target target;
  RowOptions rows;
  std::string decision;
};

SqlTallyOptions counting(const SqlTallyArguments& options) {
  return {.dialect = options.target.engine(),
          .source = options.target.rows(),
          .score = options.rows.score,
          .attributes = attributes_of(options.rows),
          .label = options.rows.label,
          .weight = options.rows.weight,
          .reading = options.rows.reading(),
          .resolution = options.rows.finest(),
          .null = options.rows.null};
}

int run_sql_tally(const SqlTallyArguments& options) {
  if (options.rows.score.empty()) {
    throw UserError("--score is missing: name the column with the model's score");
  }
  options.target.write(sql_tally(counting(options)));
  return exit_done;
}

int run_sql_audit(const SqlTallyArguments& options) {
  if (options.decision.empty()) {
    throw UserError("--decision is missing: name the column with the decisions, 0 or 1");
  }
  SqlTallyOptions counted = counting(options);
  counted.score = options.decision;
  options.target.write(sql_audit(counted));
  return exit_done;
}

struct SqlApplyArguments : DecidingOptions, DecisionNames {
  Target target;
  std::string id;
};

int run_sql_apply(const SqlApplyArguments& options) {
  const RuleFile file = read_rule(options.rule);
  const std::string score = options.score.empty() ? file.columns().score : options.score;
  if (score.empty()) {
    throw UserError("the rule does not say which column has the score: give --score");
  }
  // Every row gets a decision: the ones that the fit left out, too.
  const NullPolicy nulls =
      NullPolicy::from(options.null.empty() ? file.columns().null : options.null);
  options.target.write(
      sql_apply(file.rule, {.dialect = options.target.engine(),
                            .source = options.target.rows(),
                            .score = score,
                            .id = options.id,
                            .unseen = unseen_from(options.unseen),
                            .null_name = nulls.kind == NullPolicy::Kind::name ? nulls.name : "",
                            .probability = options.probability_name,
                            .decision = options.decision_name}));
  return exit_done;
}

void add_sql_tally(Command& command, int& status) {
  command.footer(R"(Example:
  evenhand sql tally people --dialect postgresql --score p --sensitive sex --label repaid |
    psql --csv -f - | evenhand fit --tally - --sensitive sex --criterion equal-opportunity -o rule.json)");
  SqlTallyArguments& options = command.runs(run_sql_tally, status);
  add_target(command, options.target);
  add_row_options(command, options.rows);
}

void add_sql_audit(Command& command, int& status) {
  command.footer(R"(Example:
  evenhand sql audit hired --dialect postgresql --decision hired --sensitive sex |
    psql --csv -f - | evenhand audit --tally - --sensitive sex)");
  SqlTallyArguments& options = command.runs(run_sql_audit, status);
  add_target(command, options.target);
  command.add_option("--decision", options.decision, "COLUMN",
                     "The column with the decisions, 0 or 1");
  command.add_option("--sensitive", options.rows.sensitive, "COLUMNS",
                     "The columns that make groups");
  command.add_option("--within", options.rows.within, "COLUMNS", "The columns that make strata");
  command.add_option("--label", options.rows.label, "COLUMN",
                     "The column with the actual outcome, 0 or 1");
  add_weight_option(command, options.rows.weight);
  add_null_option(command, options.rows.null);
}

void add_sql_apply(Command& command, int& status) {
  command.footer(R"(Example:
  evenhand sql apply people --dialect postgresql --rule rule.json --id person

The secret does not stand in it: evenhand sql key says what to give to the session.)");
  SqlApplyArguments& options = command.runs(run_sql_apply, status);
  add_target(command, options.target);
  add_deciding_options(command, options, "The column with the score", "COLUMN");
  command.add_option("--id", options.id, "COLUMN",
                     "The column that identifies people; needed if the rule decides some by lot");
  add_decision_names(command, options);
}

struct SqlKeyArguments {
  std::string key_file, dialect;
  bool json = false;
};

int run_sql_key(const SqlKeyArguments& options) {
  const Coin coin = coin_of_file(options.key_file);
  const std::string key =
      options.dialect.empty() ? coin.prefix() : sql_key(dialect_from(options.dialect), coin);
  print(options.json ? Json{{"key", key}}.dump(2) + "\n" : key + "\n");
  return exit_done;
}

void add_sql_key(Command& command, int& status) {
  command.footer(R"text(Examples:
  PGOPTIONS="-c evenhand.key=$(evenhand sql key --key-file key)" psql -f apply.sql
  evenhand sql key --key-file key --dialect duckdb

K is the SHA-256 of the key in hexadecimal. Whoever has K can foresee coins: keep it as the key.)text");
  SqlKeyArguments& options = command.runs(run_sql_key, status);
  command.add_option("--key-file", options.key_file, "FILE", "The file of secret bytes")
      ->required();
  add_dialect(command, options.dialect);
  command.add_flag("--json", options.json, "Print it as JSON");
}

}  // namespace

void add_sql(Command& command, int& status) {
  command.require_one_of(
      "evenhand sql apply",
      {
          {"tally", "A SELECT that counts rows by group and score: what fit --tally takes",
           add_sql_tally},
          {"apply", "A SELECT that decides for every row: all columns, probability and decision",
           add_sql_apply},
          {"audit", "A SELECT that counts decisions already made: what audit --tally takes",
           add_sql_audit},
          {"key", "Print K, what statements need of the secret: as it is, or set for a session",
           add_sql_key},
      },
      status);
}

}  // namespace evenhand::cli
