#include "soft_fit.h"

#include <evenhand/soft.h>
#include <evenhand/theory.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "error.h"
#include "figures.h"
#include "help.h"
#include "output.h"
#include "rows.h"
#include "sql.h"
#include "support/text.h"
#include "terminal.h"

namespace evenhand::cli {
namespace {

// Everything that was read, and what it means.
struct SoftData {
  std::string name;
  std::vector<std::string> files;
  Columns columns;
  std::vector<std::string> soft;
  RowTable table;  // score, then soft columns, label and weight
  std::optional<Cells> strata;
  std::uint64_t excluded = 0;

  const std::vector<double>& score() const { return table.numbers[0]; }
  const std::vector<double>& membership(std::size_t j) const { return table.numbers[1 + j]; }
  const std::vector<double>* label() const {
    return columns.label ? &table.numbers[1 + soft.size()] : nullptr;
  }
  const std::vector<double>* weight() const {
    return columns.weight ? &table.numbers.back() : nullptr;
  }
  double weight_of(std::size_t row) const { return columns.weight ? (*weight())[row] : 1; }
  SoftRows rows() const {
    SoftRows out{score(), {}, strata ? &*strata : nullptr};
    for (std::size_t j = 0; j < soft.size(); ++j) out.columns.push_back({soft[j], membership(j)});
    return out;
  }
};

// Selection rates of those who belong and those who do not, in one stratum.
struct SoftPair {
  std::optional<double> rate, others;
};

// What decisions with probabilities q mean.
struct SoftFigures {
  double accuracy = 0, cost = 0, selected = 0;
  std::vector<std::vector<SoftPair>> pairs;  // by stratum and column

  double largest_difference() const {
    double out = 0;
    for (const auto& stratum : pairs) {
      for (const SoftPair& pair : stratum) {
        if (pair.rate && pair.others) out = std::max(out, std::abs(*pair.rate - *pair.others));
      }
    }
    return out;
  }
};

void refuse_other_options(const ProblemOptions& problem, const SoftFitOptions& options) {
  if (options.columns.empty()) throw UserError("--exhaustive needs --soft, the columns");
  const FairnessOptions& fair = problem.fairness;
  if (!fair.criterion.empty() && fair.criterion != "statistical-parity" &&
      fair.criterion != "demographic_parity") {
    throw UserError("--soft serves statistical-parity, no other criterion");
  }
  for (const auto& [given, option] :
       {std::pair(!problem.rows.sensitive.empty(), "--sensitive"),
        std::pair(!problem.rows.tally.empty(), "--tally"),
        std::pair(!problem.rows.resolution.empty(), "--resolution"),
        std::pair(fair.tolerance.has_value(), "--tolerance"),
        std::pair(fair.ratio.has_value(), "--ratio"), std::pair(!fair.rho.empty(), "--rho"),
        std::pair(!fair.require.empty(), "--require"),
        std::pair(fair.across != "intersection", "--across"),
        std::pair(problem.objective.base_threshold.has_value(), "--base-threshold"),
        std::pair(problem.fit.calibration.calibrate != "none", "--calibrate")}) {
    if (given) throw UserError(fmt::format("--soft goes without {}", option));
  }
}

// Throws UserError that names the first row whose columns do not add up to 1.
void check_sums(Database& database, const Source& source, const std::vector<std::string>& soft) {
  std::vector<std::string> terms;
  for (const std::string& name : soft) {
    terms.push_back(as_number(source.column(name, "--soft"), false));
  }
  constexpr double most = 1e-6;
  const Row found = database.query(fmt::format(
      "SELECT CAST(min(r) AS VARCHAR), CAST(arg_min(d, r) AS VARCHAR) FROM (SELECT row_number() "
      "OVER () AS r, {} AS d FROM {}) WHERE abs(d - 1) > {}",
      joined(terms, " + "), source.relation(), double_literal(most)))[0];
  if (found[0]) {
    throw UserError(
        fmt::format("{}, row {}: the columns of --soft add up to {}, not 1; drop "
                    "--exhaustive if there are other groups",
                    source.name(), with_commas(std::stoull(*found[0])), found[1].value_or("")));
  }
}

SoftData read(const ProblemOptions& problem, const SoftFitOptions& options) {
  const RowOptions& asked = problem.rows;
  if (asked.score.empty()) {
    throw UserError("--score is missing: name the column with the model's score");
  }
  SoftData out;
  const Input input(problem.data.input);
  Database database(problem.data.database);
  open_for(database, input);
  const Source source(database, input);
  const Column& score = source.column(asked.score, "--score");
  RowQuery query;
  query.numbers.push_back({score, false, {score_check(score, asked.reading())}});
  out.soft = source.names(options.columns, "--soft");
  if (options.exhaustive && out.soft.size() < 2) {
    throw UserError("--exhaustive takes two columns of --soft or more: all the groups there are");
  }
  for (const std::string& name : out.soft) {
    const Column& column = source.column(name, "--soft");
    query.numbers.push_back({column, false, {probability_check(column)}});
  }
  out.columns.score = score.name;
  if (!asked.label.empty()) {
    const Column& label = source.column(asked.label, "--label");
    query.numbers.push_back({label, true, {zero_or_one_check("label", label)}});
    out.columns.label = label.name;
  }
  if (!asked.weight.empty()) {
    const Column& weight = source.column(asked.weight, "--weight");
    query.numbers.push_back({weight, false, weight_checks(weight)});
    out.columns.weight = weight.name;
  }
  if (!asked.within.empty()) out.columns.within = source.names(asked.within, "--within");
  query.attributes = out.columns.within;
  query.nulls = NullPolicy::from(asked.null);
  out.name = source.name();
  out.files = input.files();
  Rows rows(database, source, std::move(query));
  out.table = all_rows(rows, "reading");
  out.excluded = rows.excluded();
  if (out.table.size == 0) throw_no_rows(source, out.excluded);
  rows.explain();
  if (options.exhaustive) check_sums(database, source, out.soft);
  if (!out.columns.within.empty()) {
    std::vector<Attribute> attributes;
    for (std::size_t a = 0; a < out.columns.within.size(); ++a) {
      attributes.push_back({out.columns.within[a], {}, out.table.codes[a], rows.dictionary(a)});
    }
    out.strata = Cells::from(attributes);
  }
  return out;
}

// Rows in an order that does not depend on the one they came in: sums are rounded.
std::vector<std::size_t> settled_order(const SoftData& data) {
  std::vector<std::size_t> order(data.table.size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto stratum = [&](std::size_t i) { return data.strata ? data.strata->codes[i] : 0; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (stratum(a) != stratum(b)) return stratum(a) < stratum(b);
    for (const std::vector<double>& column : data.table.numbers) {
      if (column[a] != column[b]) return column[a] < column[b];
    }
    return false;
  });
  return order;
}

SoftFigures figures_of(const SoftData& data, const SoftRule& rule, const std::vector<double>& q,
                       const std::vector<std::size_t>& order) {
  const Reading& reading = rule.parts().reading;
  const Costs& costs = rule.parts().costs;
  const std::size_t strata = std::max<std::size_t>(1, rule.parts().strata.size());
  struct Sums {
    double belong = 0, chosen = 0;
  };
  std::vector<std::vector<std::array<Sums, 2>>> sums(
      strata, std::vector<std::array<Sums, 2>>(data.soft.size()));
  SoftFigures out;
  double total = 0;
  for (const std::size_t i : order) {
    const double n = data.weight_of(i);
    const double x = reading.turn(data.score()[i]);
    double p = reading.probability(x);
    if (data.label())
      p = reading.favorable == Favorable::low ? 1 - (*data.label())[i] : (*data.label())[i];
    total += n;
    out.selected += n * q[i];
    out.accuracy += n * (q[i] * p + (1 - q[i]) * (1 - p));
    out.cost += n * (q[i] * (1 - p) * costs.false_positive + (1 - q[i]) * p * costs.false_negative);
    const CellCode stratum = data.strata ? data.strata->codes[i] : 0;
    for (std::size_t j = 0; j < data.soft.size(); ++j) {
      const double g = data.membership(j)[i];
      auto& [belong, others] = sums[stratum][j];
      belong.belong += n * g;
      belong.chosen += n * g * q[i];
      others.belong += n * (1 - g);
      others.chosen += n * (1 - g) * q[i];
    }
  }
  out.selected /= total;
  out.accuracy /= total;
  out.cost /= total;
  const auto rate = [](const Sums& of) {
    return of.belong > 0 ? std::optional(of.chosen / of.belong) : std::nullopt;
  };
  for (const auto& stratum : sums) {
    std::vector<SoftPair>& pairs = out.pairs.emplace_back();
    for (const auto& [belong, others] : stratum) pairs.push_back({rate(belong), rate(others)});
  }
  return out;
}

// Decisions by the benefit alone.
std::vector<double> base_decisions(const SoftData& data, const SoftRule& rule) {
  std::vector<double> out;
  const SoftRuleParts& parts = rule.parts();
  for (const double score : data.score()) {
    const double p = parts.reading.probability(parts.reading.turn(score));
    out.push_back(benefit(p, parts.costs) > 0 ? 1 : 0);
  }
  return out;
}

std::string report(const SoftData& data, const SoftSolution& fit, const SoftFigures& before,
                   const SoftFigures& after) {
  using Align = Table::Align;
  const auto list = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + shown(name);
    return text;
  };
  std::string title = "statistical-parity for those who belong, by " + list(data.soft);
  if (!data.columns.within.empty()) title += " within " + list(data.columns.within);
  std::string out = strong(title) + "\n";
  out += fmt::format("  {}: {}", data.name, counted(data.table.size, "row"));
  if (data.excluded > 0) {
    out += fmt::format("; {} left out for a missing value", counted(data.excluded, "row"));
  }
  out += fmt::format("\n  {}\n\n", proof_in_words(fit.status, fit.gap, fit.violation));
  Table summary({"", "before", "after", ""},
                {Align::left, Align::right, Align::right, Align::left});
  const std::string expected =
      data.columns.label ? "" : faint("expected, if the scores are calibrated");
  if (fit.rule.parts().costs == Costs{}) {
    summary.add({"accuracy", percent(before.accuracy), percent(after.accuracy), expected});
  } else {
    summary.add({"cost of a decision", rounded(before.cost, 5), rounded(after.cost, 5), expected});
  }
  summary.add(
      {"selected", percent(before.selected), percent(after.selected), faint("of all people")});
  summary.add({"largest difference, selected", percent(before.largest_difference()),
               percent(after.largest_difference()),
               faint("between those who belong and the others, expected")});
  summary.add({"lottery share", percent(0.0), percent(fit.lottery_share),
               faint("of people are decided by a coin, the same every time")});
  out += summary.text() + "\n";
  std::vector<std::string> titles;
  for (const std::string& name : data.columns.within) titles.push_back(shown(name));
  std::vector<Align> align(titles.size() + 1, Align::left);
  for (const char* name : {"column", "belong", "selected", "after", "others", "after"}) {
    titles.emplace_back(name);
  }
  align.resize(titles.size(), Align::right);
  Table table(titles, align);
  for (std::size_t k = 0; k < fit.strata.size(); ++k) {
    for (std::size_t j = 0; j < data.soft.size(); ++j) {
      std::vector<std::string> row;
      for (const std::string& value : fit.strata[k].values) row.push_back(shown(value));
      row.push_back(shown(data.soft[j]));
      const auto mean = std::find_if(fit.strata[k].columns.begin(), fit.strata[k].columns.end(),
                                     [&](const SoftRate& r) { return r.column == data.soft[j]; });
      row.push_back(mean == fit.strata[k].columns.end() ? "-" : percent(mean->mean, 1));
      const SoftPair& old_pair = before.pairs[k][j];
      const SoftPair& new_pair = after.pairs[k][j];
      row.push_back(percent(old_pair.rate, 1));
      row.push_back(percent(new_pair.rate, 1));
      row.push_back(percent(old_pair.others, 1));
      row.push_back(percent(new_pair.others, 1));
      table.add(row);
    }
  }
  return out + table.text();
}

Json figures_json(const SoftFigures& figures) {
  Json out;
  out["selection_rate"] = figures.selected;
  out["accuracy"] = figures.accuracy;
  out["cost"] = figures.cost;
  out["largest_difference"] = figures.largest_difference();
  return out;
}

Json record_of(const SoftData& data, const SoftSolution& fit, const std::string& null,
               const SoftFigures& before, const SoftFigures& after) {
  Json record = Json::parse(fit_record(fit.to_json()));
  Json columns;
  columns["score"] = data.columns.score;
  columns["soft"] = data.soft;
  columns["within"] = data.columns.within;
  if (data.columns.label) columns["label"] = *data.columns.label;
  if (data.columns.weight) columns["weight"] = *data.columns.weight;
  columns["null"] = null;
  record["columns"] = std::move(columns);
  record["scale"] = to_string(fit.rule.parts().reading.scale);
  record["favorable"] = to_string(fit.rule.parts().reading.favorable);
  record["rows"] = data.table.size;
  double weight = 0;
  for (const SoftStratumOutcome& stratum : fit.strata) weight += stratum.weight;
  record["weight"] = weight;
  if (data.excluded > 0) record["excluded"] = data.excluded;
  record["labelled"] = data.columns.label.has_value();
  record["before"] = figures_json(before);
  record["after"] = figures_json(after);
  return record;
}

double gamma_of(const std::string& asked, std::size_t rows) {
  if (asked.empty()) return 0;
  return asked == "auto" ? gamma_schedule(static_cast<double>(rows))
                         : number_from(asked, "--gamma");
}

}  // namespace

void add_soft_options(CLI::App& command, SoftFitOptions& options) {
  const Section section(command, "Groups that are not known");
  command
      .add_option("--soft", options.columns,
                  "Instead of --sensitive: columns with the probability that somebody belongs to "
                  "a group. Statistical parity between those who do and those who do not, in "
                  "expectation; the rule needs these columns and no group")
      ->type_name("COLUMNS");
  command.add_flag("--exhaustive", options.exhaustive,
                   "The columns of --soft are all the groups there are, and add up to 1");
}

int run_soft_fit(const ProblemOptions& problem, const SoftFitOptions& options,
                 const std::string& output_name, bool json) {
  refuse_other_options(problem, options);
  problem.fit.check();
  refuse_named_output(problem.data.input, output_name);
  std::optional<Output> output;
  if (!output_name.empty()) output.emplace(output_name);
  const SoftData data = read(problem, options);
  if (output) output->must_not_be(data.files);
  const Reading reading = problem.rows.reading();
  SoftOptions solving{.scale = reading.scale,
                      .favorable = reading.favorable,
                      .costs = problem.objective.costs(),
                      .gamma = gamma_of(problem.fit.gamma, data.table.size),
                      .exhaustive = options.exhaustive,
                      .threads = problem.data.database.threads};
  if (data.weight()) solving.weight = *data.weight();
  const SoftSolution fit = solve_soft(data.rows(), solving);
  const std::vector<std::size_t> order = settled_order(data);
  const SoftFigures before = figures_of(data, fit.rule, base_decisions(data, fit.rule), order);
  const SoftFigures after = figures_of(data, fit.rule, fit.rule.probability(data.rows()), order);
  const Json record =
      record_of(data, fit, NullPolicy::from(problem.rows.null).text(), before, after);
  if (output) output->complete_with(fit.rule.to_json(record.dump()));
  if (output && output->is_standard_output()) return exit_done;
  if (json) {
    print(record.dump(2) + "\n");
    return exit_done;
  }
  print(report(data, fit, before, after) + written_in_words(output ? output->name() : ""));
  return exit_done;
}

}  // namespace evenhand::cli
