#include <evenhand/names.h>
#include <evenhand/text.h>

#include <fmt/format.h>
#include <strings.h>

#include "commands/coin_options.h"
#include "commands/commands.h"
#include "data/collect.h"
#include "data/decide_function.h"
#include "data/log_file.h"
#include "data/positions.h"
#include "data/rule_file.h"
#include "data/sql.h"
#include "data/unseen.h"
#include "error.h"
#include "options.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct ApplyArguments : DecidingOptions, DecisionNames {
  DataOptions data;
  CoinOptions coins;
  std::string output;
  std::string output_format = "auto";
  std::string log;
  bool json = false;
};

// Cells of the data that the rule does not know, with their rows.
[[noreturn]] void explain_unseen(Database& database, const Source& source, const CellNames& known,
                                 const std::vector<std::string>& texts, const NullPolicy& nulls) {
  if (nulls.kind != NullPolicy::Kind::name) refuse_missing_groups(database, source, known);
  const std::string by = joined(texts);
  UnseenCells cells;
  for (const Row& row : database.query(fmt::format(
           "SELECT {}, CAST(count(*) AS VARCHAR) FROM {} GROUP BY {} ORDER BY count(*) DESC, {}",
           by, source.relation(), by, by))) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) values.push_back(row[i].value_or(""));
    const std::vector<std::string_view> views(values.begin(), values.end());
    if (!known.find(views)) cells.emplace_back(values, std::stoull(row.back().value_or("0")));
  }
  throw_unseen(source.name(), known.attributes(), cells,
               "refit it, or choose --unseen score or reject");
}

[[noreturn]] void explain(Database& database, const Source& source, const RuleFile& file,
                          const std::string& score, const std::string& id,
                          const std::vector<std::string>& texts, const NullPolicy& nulls,
                          DecideFunction::Trouble trouble, const std::string& otherwise) {
  if (trouble == DecideFunction::Trouble::unseen) {
    explain_unseen(database, source, file.cells(), texts, nulls);
  }
  refuse_bad_numbers(database, source, file, source.column(score, "--score"));
  if (!id.empty()) {
    const Row row = database.query(fmt::format(
        "SELECT CAST(min(r) AS VARCHAR), CAST(count(*) AS VARCHAR) FROM (SELECT row_number() OVER "
        "() AS r, CAST({} AS VARCHAR) AS v FROM {}) WHERE v IS NULL OR v = ''",
        identifier(id), source.relation()))[0];
    if (row[0]) {
      const std::uint64_t count = std::stoull(*row[1]);
      throw UserError(fmt::format(
          "{}: {} no id, the first is row {}; a person without an id cannot get the same decision "
          "again",
          source.name(), counted(count, "row") + (count == 1 ? " has" : " have"),
          with_commas(std::stoull(*row[0]))));
    }
  }
  throw UserError(fmt::format("{}: {}", source.name(), otherwise));
}

struct Ids {
  DecideFunction::Id kind;
  std::string sql;
};

Ids ids_of(const Source& source, const std::string& id) {
  using Id = DecideFunction::Id;
  const std::string& type = source.column(id, "--id").type;
  for (const char* whole :
       {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}) {
    if (type == whole) return {Id::whole_number, fmt::format("CAST({} AS BIGINT)", identifier(id))};
  }
  return {Id::text, fmt::format("CAST({} AS VARCHAR)", identifier(id))};
}

void check_log_options(const ApplyArguments& options, const RuleFile& file) {
  if (options.log == "-") throw UserError("--log needs a file: .parquet, .csv or .json");
  if (!options.output.empty() && same_file(options.log, options.output)) {
    throw UserError("--log and -o are the same file");
  }
  if (file.soft()) {
    throw UserError("--log is for rules of known groups: " + shown(file.path) +
                    " decides by soft ones");
  }
}

// Keeps what was decided, with ids, for the log: a SELECT may give other rows the next time.
class Kept {
 public:
  Kept(Database& database, const Source& source, std::string_view decided, const std::string& ids)
      : id_(source.free_name() + "_id") {
    while (source.has(id_)) id_ += "_";
    database.query(fmt::format("CREATE TEMP TABLE {} AS SELECT {} AS {}, * FROM ({})", table, ids,
                               identifier(id_), decided),
                   "deciding");
  }
  static constexpr const char* table = "evenhand_decided";
  std::string rows() const {
    return fmt::format("SELECT * EXCLUDE ({}) FROM {}", identifier(id_), table);
  }
  std::string id() const { return fmt::format("CAST({} AS VARCHAR)", identifier(id_)); }

 private:
  std::string id_;
};

int run_apply(const ApplyArguments& options) {
  if (options.json && (options.output.empty() || options.output == "-")) {
    throw UserError("--json and decisions on standard output do not mix; name a file with -o");
  }
  const RuleFile file = read_rule(options.rule);
  const Unseen unseen = unseen_from(options.unseen);
  refuse_named_output(options.data.input, options.output);
  const Coin coin = options.coins.coin();

  const std::string score_name = options.score.empty() ? file.columns().score : options.score;
  if (score_name.empty()) {
    throw UserError("the rule does not say which column has the score: give --score");
  }
  if (!file.soft() && file.cells().attributes().empty()) {
    for (const auto& [given, name] :
         {std::pair{options.unseen != "error", "--unseen"}, {!options.null.empty(), "--null"}}) {
      if (given) throw UserError(fmt::format("the rule looks at no group: leave out {}", name));
    }
  }
  NullPolicy nulls = NullPolicy::from(options.null.empty() ? file.columns().null : options.null);
  if (nulls.kind == NullPolicy::Kind::exclude) nulls = {};  // every row gets a decision
  if (options.probability_name.empty() || options.decision_name.empty()) {
    throw UserError("a column needs a name: --probability-name and --decision-name");
  }
  if (strcasecmp(options.probability_name.c_str(), options.decision_name.c_str()) == 0) {
    throw UserError("the probability and the decision cannot have the same name");
  }
  const Input input(options.data.input);
  Output output(options.output);
  output.must_not_be(input.files());
  output.must_not_be(std::vector{options.rule});
  if (!options.coins.key_file.empty()) output.must_not_be(std::vector{options.coins.key_file});
  std::optional<Output> log;
  if (!options.log.empty()) {
    check_log_options(options, file);
    log.emplace(options.log);
    log->must_not_be(input.files());
    log->must_not_be(std::vector{options.rule, options.coins.key_file});
  }
  const std::string how = copy_clause(options.output, options.output_format);
  std::vector<std::string> writable = {output.staged()};
  if (log) writable.push_back(log->staged());
  Database database(options.data.database, input, writable);
  const Source source(database, input);
  for (const std::string& name : {options.probability_name, options.decision_name}) {
    if (source.has(name)) {
      throw UserError(fmt::format("{} already has a column {}; name ours with --{}-name",
                                  source.name(), shown(name),
                                  name == options.probability_name ? "probability" : "decision"));
    }
  }
  const Column& score = source.column(score_name, "--score");
  const std::string id =
      options.coins.id.empty() ? "" : source.column(options.coins.id, "--id").name;
  std::vector<std::string> texts;
  for (const std::string& attribute : file.cells().attributes()) {
    texts.push_back(as_text(source.column(attribute, "an attribute of the rule").name, nulls));
  }
  std::vector<std::string> numbers = {as_number(score, false)};
  for (const std::string& name : file.soft_columns()) {
    numbers.push_back(as_number(source.column(name, "a soft column of the rule"), false));
  }
  std::optional<Positions> positions;
  if (id.empty()) positions.emplace(database, input, source);
  const Ids ids =
      positions ? Ids{DecideFunction::Id::position, positions->sql()} : ids_of(source, id);
  const DecideFunction decide(database, file.rule, coin, ids.kind, unseen);
  const std::string result = identifier(source.free_name());
  const std::string call = decide.call(texts, numbers, ids.sql);
  const bool numbered = positions && !positions->column().empty();
  std::vector<std::string> ours = {result};
  if (numbered) ours.push_back(identifier(positions->column()));
  const Passing passing =
      source.passing(output_format(options.output, options.output_format), joined(ours));
  std::string decided = fmt::format("SELECT *, {} AS {} FROM {}", call, result,
                                    numbered ? positions->relation() : passing.relation);
  try {
    std::optional<Kept> kept;
    std::optional<LogFunction> reasons;
    if (log) {
      kept.emplace(database, source, decided, ids.sql);
      reasons.emplace(database, file.hard(), coin, unseen);
      decided = kept->rows();
    }
    output.write_by(
        database,
        fmt::format("COPY (SELECT {5}, {0}.probability AS {1}, {0}.decision AS {2} FROM ({3})) TO "
                    "{4} ({6})",
                    result, identifier(options.probability_name), identifier(options.decision_name),
                    decided, literal(output.staged()), passing.columns, how),
        "deciding");
    if (log) {
      log->write_by(database,
                    fmt::format("COPY ({}) TO {} ({})",
                                reasons->select(texts, numbers.front(), kept->id(), Kept::table),
                                literal(log->staged()), copy_clause(options.log, "auto")),
                    "writing the log");
    }
  } catch (const UserError& error) {
    source.rethrow_named([&] {
      explain(database, source, file, score.name, id, texts, nulls, decide.trouble(), error.what());
    });
  }
  if (input.is_sql() && id.empty() && decide.by_lot() > 0) {
    throw UserError(fmt::format(
        "{} by a coin, and the order of a SELECT's rows is not fixed: give --id and --key-file, so "
        "that coins stay with people",
        counted(decide.by_lot(), "row") + (decide.by_lot() == 1 ? " is decided" : " are decided")));
  }
  output.complete();
  if (log) log->complete();
  if (options.json) {
    Json out;
    out["rows"] = decide.rows();
    out["positive"] = decide.positive();
    out["by_lot"] = decide.by_lot();
    out["unseen"] = decide.unseen();
    if (id.empty()) out["seed"] = options.coins.seed_number();
    out["output"] = output.name();
    print(out.dump(2) + "\n");
    return exit_done;
  }
  std::string said =
      fmt::format("{} decided, {} positive, {} by lot", counted(decide.rows(), "row"),
                  with_commas(decide.positive()), with_commas(decide.by_lot()));
  if (decide.unseen() > 0) {
    said += fmt::format("; {} in cells the rule has never seen (--unseen {})",
                        with_commas(decide.unseen()), options.unseen);
  }
  if (id.empty()) {
    said += fmt::format("; coins by position with seed {}", options.coins.seed_number());
    if (options.coins.seed.empty())
      said += ": give --id and --key-file for coins that stay with people";
  }
  remark(said);
  return exit_done;
}

}  // namespace

void add_apply(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand apply loans.parquet --rule rule.json --id person --key-file key -o decided.parquet
  evenhand apply loans.csv --rule rule.json --seed 7 > decided.csv

With --id and a key the same person always gets the same decision, whatever the file or its order.
Exit status: 0 done, 2 wrong input or options.)");
  ApplyArguments& options = command.runs(run_apply, status);
  add_data_options(command, options.data);
  add_deciding_options(command, options, "The column with the score", "COLUMN");
  add_coin_options(command, options.coins, "The column that identifies people");
  add_decision_names(command, options);
  command.add_option("-o,--output", options.output, "FILE",
                     "A .parquet, .csv or .json file (default: CSV on standard output)");
  add_output_format(command, options.output_format);
  command.add_option("--log", options.log, "FILE",
                     "Write why each decision was made, too: a .parquet, .csv or .json file that "
                     "evenhand verify checks line by line");
  command.add_flag("--json", options.json, "Print what was decided, in numbers, as JSON");
}

}  // namespace evenhand::cli
