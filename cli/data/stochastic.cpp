#include "data/stochastic.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "data/rows.h"
#include "error.h"
#include "help.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

// The cell of each row of a batch; rows of one come after the other in any order.
class CellFinder {
 public:
  CellFinder(const CellNames& names, const Rows& rows) : names_(names), rows_(rows) {}

  std::vector<CellCode> operator()(const RowBatch& batch) {
    std::vector<CellCode> out(batch.size);
    std::vector<std::uint32_t> last;
    std::vector<std::uint32_t> key(batch.codes.size());
    for (std::size_t row = 0; row < batch.size; ++row) {
      for (std::size_t a = 0; a < key.size(); ++a) key[a] = batch.codes[a][row];
      out[row] = row > 0 && key == last ? out[row - 1] : find(key);
      last = key;
    }
    return out;
  }

 private:
  CellCode find(const std::vector<std::uint32_t>& key) {
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    std::vector<std::string_view> values;
    for (std::size_t a = 0; a < key.size(); ++a) values.push_back(rows_.dictionary(a)[key[a]]);
    return known_.emplace(key, names_.code_of(values)).first->second;
  }

  const CellNames& names_;
  const Rows& rows_;
  std::map<std::vector<std::uint32_t>, CellCode> known_;
};

SgdResult solve_stream(const Prepared& data, const DatabaseOptions& how, const Criterion& criterion,
                       SgdOptions options, const StochasticOptions& asked) {
  const Tally& tally = data.tally();
  const double passes = asked.epochs.value_or(1);
  Database database(how, *data.input);
  const Source source(database, *data.input);
  const Column& score = source.column(data.columns.score, "--score");
  RowQuery query;
  query.numbers.push_back({score, false, {score_check(score, tally.reading())}});
  if (data.columns.weight) {
    const Column& weight = source.column(*data.columns.weight, "--weight");
    query.numbers.push_back({weight, false, weight_checks(weight)});
  }
  if (data.columns.label) {  // rows without one are not in the tally
    const Column& label = source.column(*data.columns.label, "--label");
    query.numbers.push_back({label, true, {zero_or_one_check("label", label)}});
  }
  query.attributes = data.columns.attributes();
  query.nulls = NullPolicy::from(data.stored.source.null);
  Rows rows(database, source, std::move(query));
  SgdStream stream = SgdStream::over(tally, criterion, options, static_cast<std::uint64_t>(passes));
  CellFinder cells(tally.cells(), rows);
  for (double pass = 0; pass < passes; ++pass) {
    rows.visit("descending", [&](const RowBatch& batch) {
      stream.add(cells(batch), batch.numbers[0],
                 data.columns.weight ? batch.numbers[1] : std::span<const double>());
    });
  }
  return stream.finish(tally);
}

}  // namespace

void StochasticOptions::check(const RowOptions& rows, const std::string& output) const {
  solver_from(solver);
  if (!wanted()) {
    for (const auto& [given, option] :
         {std::pair(!projection.empty(), "--projection"),
          std::pair(learning_rate.has_value(), "--learning-rate"),
          std::pair(epochs.has_value(), "--epochs"), std::pair(steps.has_value(), "--steps"),
          std::pair(seed.has_value(), "--seed"),
          std::pair(record_every.has_value(), "--record-every"),
          std::pair(!trace.empty(), "--trace"), std::pair(stream, "--stream"),
          std::pair(compare, "--compare")}) {
      if (given) throw UserError(fmt::format("{} is for --solver sgd", option));
    }
    return;
  }
  if (!projection.empty()) projection_from(projection);
  if (epochs && steps) throw UserError("give either --epochs or --steps, not both");
  if (steps == 0U) throw UserError("--steps takes a whole number above 0");
  if (epochs && !(*epochs > 0 && *epochs <= 1e9)) {
    throw UserError("--epochs takes a number above 0, up to 1e9");
  }
  if (stream) {
    if (!rows.tally.empty()) throw UserError("--stream needs rows: give DATA, not --tally");
    if (steps) throw UserError("--stream takes whole passes: give --epochs, not --steps");
    if (seed) throw UserError("--stream takes rows in their order: --seed has no effect");
    if (epochs && *epochs != std::floor(*epochs)) {
      throw UserError("--stream takes whole passes: give --epochs a whole number");
    }
  }
  if (trace.empty()) {
    if (record_every) throw UserError("--record-every needs --trace, the file to record in");
    return;
  }
  if (record_every == 0U) throw UserError("--record-every takes a whole number above 0");
  const auto format = format_of_name(trace);
  if (trace == "-" || compression_of_name(trace) != "none" ||
      (format != Format::csv && format != Format::json)) {
    throw UserError(fmt::format("{}: a trace is written as .csv or .json", shown(trace)));
  }
  if (!output.empty() && output != "-" && same_file(trace, output))
    throw UserError("the rule and the trace need files of their own");
  const Output writable(trace);
}

void StochasticOptions::refuse_overwriting(const InputOptions& input,
                                           const std::vector<std::string>& files) const {
  if (trace.empty()) return;
  refuse_named_output(input, trace);
  for (const std::string& file : files) {
    if (same_file(trace, file)) {
      throw UserError(shown(trace) + " is also the input; choose another file for the trace");
    }
  }
}

void add_stochastic_options(Command& command, StochasticOptions& options) {
  const Section section(command, "Solver");
  command
      .add_option("--solver", options.solver, "exact|sgd",
                  "exact, with a proof; or sgd, the paper's stochastic gradient descent, for "
                  "statistical-parity and equal-rates, with --gamma 0.01 by default")
      ->capture_default_str();
  command.add_option("--projection", options.projection, "NAME",
                     "sgd: keep multipliers in a box that holds the optimum (corrected), or in the "
                     "paper's, which may not (default: corrected)");
  add_numbers(command, {
                           {"--learning-rate", options.learning_rate,
                            "sgd: size of a step (default: that of the paper's Proposition 4)"},
                           {"--epochs", options.epochs,
                            "sgd: steps, in multiples of the rows (default: 25; with --stream: 1)"},
                           {"--steps", options.steps, "sgd: steps, instead of --epochs"},
                           {"--seed", options.seed, "sgd: seed for drawing rows (default: 0)"},
                       });
  command.add_flag("--stream", options.stream,
                   "sgd: take rows in the order of DATA, a pass for each epoch, instead of drawing "
                   "them; an order that is not random misleads it");
  command.add_option("--trace", options.trace, "FILE",
                     "sgd: write multipliers, objective and violation against steps to a .csv or "
                     ".json file");
  add_whole_number(command, "--record-every", options.record_every,
                   "sgd: steps between two points of the trace (default: a hundredth of all)");
  command.add_flag("--compare", options.compare, "sgd: report the distance to the exact optimum");
}

SgdResult solve_stochastic(const Prepared& data, const DatabaseOptions& database,
                           const Criterion& criterion, const SolveOptions& solving,
                           const StochasticOptions& options) {
  SgdOptions sgd = SgdOptions::of(solving);
  if (!options.projection.empty()) sgd.projection = projection_from(options.projection);
  sgd.learning_rate = options.learning_rate;
  sgd.steps = options.steps;
  sgd.seed = options.seed.value_or(0);
  sgd.record_every = options.trace.empty() ? std::optional<std::uint64_t>(0) : options.record_every;
  // A weighted tally does not know how many rows it has.
  if (data.rows() > 0) sgd.rows = static_cast<double>(data.rows());
  if (options.stream) return solve_stream(data, database, criterion, sgd, options);
  sgd.epochs = options.epochs.value_or(sgd.epochs);
  return solve_sgd(data.tally(), criterion, sgd);
}

void write_trace(const SgdTrace& trace, const std::string& file) {
  Output(file).complete_with(format_of_name(file) == Format::json ? trace.to_json() + "\n"
                                                                  : trace.to_csv());
}

std::string table_of(const SgdResult& sgd, const SgdComparison& compared) {
  using Align = Table::Align;
  Table table({"", "sgd", "exact", ""}, {Align::left, Align::right, Align::right, Align::left});
  table.add({"objective of the rule", rounded(sgd.solution.primal, 8),
             rounded(compared.exact.primal, 8), ""});
  table.add({"dual objective", rounded(sgd.solution.dual, 8), rounded(compared.exact.dual, 8),
             faint("minimized by sgd; never below the optimum")});
  table.add({"violation", small(sgd.solution.violation), small(compared.exact.violation), ""});
  table.add({"largest difference of a price", small(compared.distance.multiplier), "",
             faint("of a positive decision, between the two")});
  return table.text();
}

}  // namespace evenhand::cli
