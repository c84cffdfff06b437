#include "data/log_file.h"

#include <evenhand/text.h>

#include <array>

#include <fmt/format.h>

#include "data/function.h"
#include "data/input.h"
#include "data/key_file.h"
#include "data/source.h"
#include "data/sql.h"
#include "data/values.h"
#include "error.h"
#include "options.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

constexpr const char* reason_function = "evenhand_reason";

Cell text_or_none(duckdb_vector vector, idx_t row) {
  auto* const validity = duckdb_vector_get_validity(vector);
  if (validity && !duckdb_validity_row_is_valid(validity, row)) return std::nullopt;
  return text_at(vector, row);
}

std::optional<double> number_or_none(duckdb_vector vector, idx_t row) {
  auto* const validity = duckdb_vector_get_validity(vector);
  if (validity && !duckdb_validity_row_is_valid(validity, row)) return std::nullopt;
  return static_cast<const double*>(duckdb_vector_get_data(vector))[row];
}

void put(duckdb_vector vector, idx_t row, const std::optional<double>& value) {
  if (value) {
    static_cast<double*>(duckdb_vector_get_data(vector))[row] = *value;
    return;
  }
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

void put(duckdb_vector vector, idx_t row, const std::string& text) {
  duckdb_vector_assign_string_element_len(vector, row, text.data(), text.size());
}

}  // namespace

void KeyOptions::check_for_log(bool log) const {
  if (!log && (!key_file.empty() || !seed.empty())) {
    throw UserError("--key-file and --seed are for --log, whose coins they check");
  }
  if (!key_file.empty() && !seed.empty()) {
    throw UserError("give either --key-file or --seed, not both");
  }
}

std::optional<Coin> KeyOptions::coin() const {
  if (!key_file.empty()) return coin_of_file(key_file);
  if (!seed.empty()) return Coin::seeded(whole_number_from(seed, "--seed"));
  return std::nullopt;
}

void add_key_options(Command& command, KeyOptions& options) {
  command.add_option("--key-file", options.key_file, "FILE",
                     "The key of the coins, to check these as well; without it they are believed");
  command.add_option("--seed", options.seed, "N", "The same for decisions made by --seed");
}

struct LogFunction::State {
  DecisionLog log;
  const Coin& coin;
  Unseen unseen;
  std::size_t attributes;

  void write(duckdb_data_chunk input, duckdb_vector output) const {
    const auto vector = [&](std::size_t i) {
      return duckdb_data_chunk_get_vector(input, static_cast<idx_t>(i));
    };
    const auto child = [&](idx_t i) { return duckdb_struct_vector_get_child(output, i); };
    const auto* const scores =
        static_cast<const double*>(duckdb_vector_get_data(vector(attributes)));
    std::vector<std::optional<std::string>> values(attributes);
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
      for (std::size_t a = 0; a < attributes; ++a) values[a] = text_or_none(vector(a), row);
      const std::string id = text_or_none(vector(attributes + 1), row).value_or("");
      const DecisionReason why = log.reason(log.cell_of(values), scores[row], unseen,
                                            [&] { return coin(std::string_view(id)); });
      put(child(0), row, log.name_of(values));
      put(child(1), row, why.threshold);
      put(child(2), row, std::optional(why.probability));
      put(child(3), row, why.coin);
      put(child(4), row, std::optional(why.decision ? 1.0 : 0.0));
      put(child(5), row, why.words);
    }
  }
};

namespace {

void give_reasons(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& state =
      *static_cast<const LogFunction::State*>(duckdb_scalar_function_get_extra_info(info));
  try {
    state.write(input, output);
  } catch (const std::exception& error) {
    duckdb_scalar_function_set_error(info, error.what());
  }
}

}  // namespace

LogFunction::LogFunction(Database& database, const Rule& rule, const Coin& coin, Unseen unseen)
    : state_(std::make_unique<State>(
          State{DecisionLog(rule), coin, unseen, rule.cells().attributes().size()})) {
  std::vector<duckdb_type> parameters(state_->attributes, DUCKDB_TYPE_VARCHAR);
  parameters.insert(parameters.end(), {DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_VARCHAR});
  const Type text(DUCKDB_TYPE_VARCHAR);
  const Type number(DUCKDB_TYPE_DOUBLE);
  std::array members = {text.handle,   number.handle, number.handle,
                        number.handle, number.handle, text.handle};
  std::array names = {"cell", "threshold", "probability", "coin", "decision", "reason"};
  const Type all(duckdb_create_struct_type(members.data(), names.data(), members.size()));
  add_function(database, reason_function, parameters, all, give_reasons, state_.get());
}

LogFunction::~LogFunction() = default;

std::string LogFunction::select(std::span<const std::string> attributes, const std::string& score,
                                const std::string& id, const std::string& relation) const {
  std::vector<std::string> arguments(attributes.begin(), attributes.end());
  arguments.insert(arguments.end(), {score, id});
  return fmt::format(
      "SELECT w.id AS id, {0} AS rule, {1} AS key, w.why.cell AS cell, w.score AS score, "
      "w.why.threshold AS threshold, w.why.probability AS probability, w.why.coin AS coin, "
      "CAST(w.why.decision AS TINYINT) AS decision, w.why.reason AS reason FROM (SELECT {2} AS id, "
      "{3} AS score, {4}({5}) AS why FROM {6}) AS w",
      literal(state_->log.rule_fingerprint()), literal(fingerprint(state_->coin)), id, score,
      reason_function, joined(arguments), relation);
}

LogFile check_log(const DatabaseOptions& options, const std::string& path, const RuleFile& file,
                  const std::optional<Coin>& coin) {
  if (file.soft()) {
    throw UserError(shown(file.path) +
                    " is a rule for soft attributes, whose decisions have no log");
  }
  const Input input({.data = path, .sql = {}, .format = "auto"});
  Database database(options, input);
  const Source source(database, input);
  const auto text = [&](const char* name) {
    return fmt::format("CAST({} AS VARCHAR)", identifier(source.column(name, "--log").name));
  };
  const auto number = [&](const char* name) {
    // An empty field of a CSV file is no number.
    return fmt::format("TRY_CAST(CAST({} AS VARCHAR) AS DOUBLE)",
                       identifier(source.column(name, "--log").name));
  };
  const std::string sql =
      fmt::format("SELECT {}, {}, {}, {}, {}, {}, {}, {}, {}, {} FROM {}", text("id"), text("rule"),
                  text("key"), text("cell"), text("reason"), number("score"), number("threshold"),
                  number("probability"), number("coin"), number("decision"), source.relation());
  LogCheck check(file.hard(), coin);
  database.stream_chunks(sql, "checking", [&](duckdb_data_chunk chunk) {
    const auto vector = [&](idx_t i) { return duckdb_data_chunk_get_vector(chunk, i); };
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); ++row) {
      const auto words = [&](idx_t i) { return text_or_none(vector(i), row).value_or(""); };
      const auto number_in = [&](idx_t i) { return number_or_none(vector(i), row); };
      check.see({.id = words(0),
                 .rule = words(1),
                 .key = words(2),
                 .cell = words(3),
                 .reason = words(4),
                 .score = number_in(5),
                 .threshold = number_in(6),
                 .probability = number_in(7),
                 .coin = number_in(8),
                 .decision = number_in(9)});
    }
  });
  return {source.name(), check.found()};
}

std::string to_text(const LogFile& log) {
  const CheckedLog& found = log.found;
  return strong(log.name) + "\n" + found.to_text() +
         (found.passed() ? fmt::format("\n{}: {}\n", good("verified"), counted(found.lines, "line"))
                         : fmt::format("\n{}: {} of {} are wrong\n", bad("not verified"),
                                       with_commas(found.wrong), counted(found.lines, "line")));
}

Json to_json(const LogFile& log) {
  Json out;
  out["log"] = log.name;
  out.update(Json::parse(log.found.to_json()));
  return out;
}

}  // namespace evenhand::cli
