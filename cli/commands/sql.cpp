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
  command.add_option("--dialect", dialect, "The engine: " + dialect_choices().text())
      ->type_name("NAME");
}

void add_target(Command& command, Target& target) {
  const Section section(command, "Data");
  command
      .add_option("TABLE,--table", target.source.table,
                  "The table with the rows; schema.table, with double quotes around a name that "
                  "has a dot itself")
      ->type_name("NAME");
  command.add_option("--sql", target.source.select, "A SELECT of the rows instead, taken as it is")
      ->type_name("SELECT");
  add_dialect(command, target.dialect);
  command.add_option("-o,--output", target.output, "Write to this file (default: standard output)")
      ->type_name("FILE");
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

int run_tally(const SqlTallyArguments& options) {
  if (options.rows.score.empty()) {
    throw UserError("--score is missing: name the column with the model's score");
  }
  options.target.write(sql_tally(counting(options)));
  return exit_done;
}

int run_audit(const SqlTallyArguments& options) {
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

int run_apply(const SqlApplyArguments& options) {
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

void add_sql_tally(Command& sql, int& status) {
  Command& command = *sql.add_subcommand(
      "tally", "A SELECT that counts rows by group and score: what fit --tally takes");
  command.footer(
      "Example:\n"
      "  evenhand sql tally people --dialect postgresql --score p --sensitive sex --label repaid "
      "|\n"
      "    psql --csv -f - | evenhand fit --tally - --sensitive sex --criterion "
      "equal-opportunity -o rule.json");
  auto options = std::make_shared<SqlTallyArguments>();
  add_target(command, options->target);
  add_row_options(command, options->rows);
  command.callback([options, &status] { status = run_tally(*options); });
}

void add_sql_audit(Command& sql, int& status) {
  Command& command = *sql.add_subcommand(
      "audit", "A SELECT that counts decisions already made: what audit --tally takes");
  command.footer(
      "Example:\n"
      "  evenhand sql audit hired --dialect postgresql --decision hired --sensitive sex |\n"
      "    psql --csv -f - | evenhand audit --tally - --sensitive sex");
  auto options = std::make_shared<SqlTallyArguments>();
  add_target(command, options->target);
  command.add_option("--decision", options->decision, "The column with the decisions, 0 or 1")
      ->type_name("COLUMN");
  command.add_option("--sensitive", options->rows.sensitive, "The columns that make groups")
      ->type_name("COLUMNS");
  command.add_option("--within", options->rows.within, "The columns that make strata")
      ->type_name("COLUMNS");
  command.add_option("--label", options->rows.label, "The column with the actual outcome, 0 or 1")
      ->type_name("COLUMN");
  command.add_option("--weight", options->rows.weight, "The column with the weight of a row")
      ->type_name("COLUMN");
  command
      .add_option("--null", options->rows.null,
                  "Rows with a missing value: error, exclude, or a name for missing groups")
      ->type_name("WORD")
      ->default_str("error");
  command.callback([options, &status] { status = run_audit(*options); });
}

void add_sql_apply(Command& sql, int& status) {
  Command& command = *sql.add_subcommand(
      "apply", "A SELECT that decides for every row: all columns, probability and decision");
  command.footer(
      "Example:\n"
      "  evenhand sql apply people --dialect postgresql --rule rule.json --id person\n\n"
      "The secret does not stand in it: evenhand sql key says what to give to the session.");
  auto options = std::make_shared<SqlApplyArguments>();
  add_target(command, options->target);
  add_deciding_options(command, *options, "The column with the score", "COLUMN");
  command
      .add_option("--id", options->id,
                  "The column that identifies people; needed if the rule decides some by lot")
      ->type_name("COLUMN");
  add_decision_names(command, *options);
  command.callback([options, &status] { status = run_apply(*options); });
}

void add_sql_key(Command& sql, int& status) {
  struct Arguments {
    std::string key_file, dialect;
    bool json = false;
  };
  Command& command = *sql.add_subcommand(
      "key", "Print K, what statements need of the secret: as it is, or set for a session");
  command.footer(
      "Examples:\n"
      "  PGOPTIONS=\"-c evenhand.key=$(evenhand sql key --key-file key)\" psql -f apply.sql\n"
      "  evenhand sql key --key-file key --dialect duckdb\n\n"
      "K is the SHA-256 of the key in hexadecimal. Whoever has K can foresee coins: keep it as the "
      "key.");
  auto options = std::make_shared<Arguments>();
  command.add_option("--key-file", options->key_file, "The file of secret bytes")
      ->required()
      ->type_name("FILE");
  add_dialect(command, options->dialect);
  command.add_flag("--json", options->json, "Print it as JSON");
  command.callback([options, &status] {
    const Coin coin = coin_of_file(options->key_file);
    const std::string key =
        options->dialect.empty() ? coin.prefix() : sql_key(dialect_from(options->dialect), coin);
    print(options->json ? Json{{"key", key}}.dump(2) + "\n" : key + "\n");
    status = exit_done;
  });
}

}  // namespace

void add_sql(Command& program, int& status) {
  Command& command = *program.add_subcommand(
      "sql", "Tallies and decisions as SQL, for data that stay in a warehouse");
  command.require_subcommand();
  command.footer("Each has its own help: evenhand sql apply --help.");
  add_sql_tally(command, status);
  add_sql_apply(command, status);
  add_sql_audit(command, status);
  add_sql_key(command, status);
}

}  // namespace evenhand::cli
