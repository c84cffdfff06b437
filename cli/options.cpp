#include "options.h"

#include <evenhand/many_groups.h>
#include <evenhand/names.h>
#include <evenhand/text.h>
#include <evenhand/theory.h>
#include <evenhand/threads.h>

#include <charconv>

#include <fmt/format.h>

#include "data/tally_file.h"
#include "error.h"
#include "help.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

// "statistical-parity (equal selection rates), ... or four-fifths (...)"
std::string criteria_text() {
  Choices criteria{"criterion", {}};
  for (const CriterionName& each : all_criteria()) {
    criteria.choices.push_back({each.name, each.help});
  }
  return criteria.text();
}

}  // namespace

double number_from(std::string_view text, std::string_view option) {
  double value = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw UserError(fmt::format("{} takes a number, not {}", option, shown(text)));
  }
  return value;
}

std::uint64_t whole_number_from(std::string_view text, std::string_view option) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) {
    throw UserError(
        fmt::format("{} takes a whole number from 0 to 2^64 - 1, not {}", option, shown(text)));
  }
  return value;
}

Option* add_whole_number(Command& command, const std::string& name,
                         std::optional<std::uint64_t>& value, const std::string& help) {
  return command.add_option(
      name, [name, &value](const std::string& text) { value = whole_number_from(text, name); }, "N",
      help);
}

Option* add_number(Command& command, const std::string& name, double& value,
                   const std::string& help) {
  return command
      .add_option(
          name, [name, &value](const std::string& text) { value = number_from(text, name); }, "X",
          help)
      ->default_str(shortest(value));
}

Option* add_number(Command& command, const std::string& name, std::optional<double>& value,
                   const std::string& help) {
  return command.add_option(
      name, [name, &value](const std::string& text) { value = number_from(text, name); }, "X",
      help);
}

void add_numbers(Command& command, std::initializer_list<NumberOption> options) {
  for (const NumberOption& each : options) {
    if (each.number) {
      add_number(command, each.name, *each.number, each.help);
    } else {
      add_whole_number(command, each.name, *each.whole, each.help);
    }
  }
}

void add_threads(Command& command, DatabaseOptions& options) {
  command.add_option(
      "--threads",
      [&options](const std::string& text) {
        constexpr unsigned most = 4096;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, options.threads);
        if (error != std::errc() || rest != end || options.threads < 1 || options.threads > most) {
          throw UserError(fmt::format("--threads takes a whole number from 1 to {}, not {}", most,
                                      shown(text)));
        }
        use_threads(options.threads);
      },
      "N", "Cores to use (default: all)");
}

void add_data_options(Command& command, DataOptions& options) {
  const Section section(command, "Data");
  command.add_option(
      "DATA", options.input.data, "",
      "A CSV, Parquet or JSON file, also compressed (.gz, .zst), a folder, a glob in quotes, "
      "or - for standard input");
  command.add_option(
      "--sql", options.input.sql, "SELECT",
      "A SELECT instead of DATA, on files named in it: \"SELECT * FROM 'a.csv' WHERE "
      "year = 2025\"");
  command.add_option("--format", options.input.format, "NAME",
                     "Format of DATA, if its name does not tell: csv, parquet or json");
  add_threads(command, options.database);
  command.add_option("--memory", options.database.memory, "SIZE",
                     "Memory limit for files, and for exact scores, for example 2GB");
}

void add_null_option(Command& command, std::string& null) {
  command
      .add_option("--null", null, "WORD",
                  "Rows with a missing value: error, exclude, or a name for missing groups")
      ->default_str("error");
}

void add_output_format(Command& command, std::string& format) {
  command.add_option("--output-format", format, "NAME",
                     "Format to write, if the file name does not tell: csv, parquet or json");
}

void add_weight_option(Command& command, std::string& weight) {
  command.add_option("--weight", weight, "COLUMN", "The column with the weight of a row");
}

void add_row_options(Command& command, RowOptions& options) {
  const Section section(command, "Columns");
  command.add_option("--score", options.score, "COLUMN", "The column with the model's score");
  command.add_option(
      "--sensitive", options.sensitive, "COLUMNS",
      "The column that says which group a person belongs to; separate several with commas");
  command.add_option("--within", options.within, "COLUMNS",
                     "Be fair inside each value of these columns, for example job or region");
  command.add_option("--label", options.label, "COLUMN",
                     "The column with the actual outcome, 0 or 1; some criteria need it");
  add_weight_option(command, options.weight);
  add_null_option(command, options.null);
  command
      .add_option("--scale", options.scale, "NAME",
                  "How to read a score: " + choices_of("scale").text())
      ->default_str("probability");
  command
      .add_option("--favorable", options.favorable, "high|low",
                  "Which scores deserve the favourable decision: " + choices_of("favorable").text())
      ->default_str("high");
  command
      .add_option(
          "--resolution", options.resolution, "exact|BITS|auto",
          "Precision of scores: exact, a number of BITS (16 is 1/65536), or auto: exact up to "
          "65,536 different scores in a cell; bounds memory")
      ->default_str("exact");
}

void add_tally_option(Command& command, RowOptions& options) {
  const Section section(command, "Data");
  command.add_option("--tally", options.tally, "FILE",
                     "A file made by evenhand tally or by SQL, instead of DATA");
}

void add_people_options(Command& command, DataOptions& data, RowOptions& rows) {
  add_data_options(command, data);
  add_tally_option(command, rows);
  add_row_options(command, rows);
}

void add_deciding_options(Command& command, DecidingOptions& options, const std::string& score_help,
                          const std::string& score_type) {
  command.add_option("--rule", options.rule, "FILE", "A rule made by evenhand fit")->required();
  command.add_option("--score", options.score, score_type,
                     score_help + " (default: as named in the rule)");
  command
      .add_option("--unseen", options.unseen, "WORD",
                  "People in a cell that the rule has never seen: " + choices_of("unseen").text())
      ->capture_default_str();
  command.add_option("--null", options.null, "NAME",
                     "A name for missing groups (default: the one used to fit the rule)");
}

void add_decision_names(Command& command, DecisionNames& names) {
  command.add_option("--probability-name", names.probability_name, "NAME", "Name of the column")
      ->capture_default_str();
  command.add_option("--decision-name", names.decision_name, "NAME", "Name of the column")
      ->capture_default_str();
}

void add_fairness_options(Command& command, FairnessOptions& options, Strictness strictness) {
  const Section section(command, "What is fair");
  command.add_option(
      "--criterion", options.criterion, "NAME",
      fmt::format("What is fair: {}; Fairlearn's names are accepted", criteria_text()));
  if (strictness == Strictness::given) {
    add_number(command, "--tolerance", options.tolerance,
               "How far the groups' rates may differ, from 0 to 1 (default: 0)");
    add_number(command, "--ratio", options.ratio,
               "For four-fifths: the smallest rate is at least X of the largest (default: 0.8)");
  }
  command.add_option("--rho", options.rho, "X",
                     "For equal-rates: the common rate, a number, base or best (default: best)");
  command
      .add_option("--require", options.require, "TEXT",
                  "A requirement of your own, for example \"rate <= 0.1\" or \"tpr[sex=F] >= 0.9 * "
                  "tpr[sex=M]\"; may be repeated, and given without --criterion")
      ->one_at_a_time();
  command
      .add_option(
          "--no-worse", options.no_worse, "NAME",
          "Keep every group's rate, or tpr, at least as high as with base decisions; may be "
          "repeated")
      ->one_at_a_time();
  command
      .add_option("--across", options.across, "NAME",
                  "Several sensitive columns, fair by " + choices_of("across").text())
      ->capture_default_str();
}

void add_objective_options(Command& command, ObjectiveOptions& options) {
  const Section section(command, "What is best");
  add_numbers(
      command,
      {
          {"--cost-fp", options.cost_fp, "What a wrong positive decision costs (default: 1)"},
          {"--cost-fn", options.cost_fn, "What a wrong negative decision costs (default: 1)"},
          {"--base-threshold", options.base_threshold,
           "Today's decisions are positive from this score on (default: where a positive "
           "decision is worth its cost, a probability of 1/2 at equal costs)"},
      });
}

void add_calibration_options(Command& command, CalibrationOptions& options) {
  command
      .add_option("--calibrate", options.calibrate, "NAME",
                  "Where the probability of a score comes from: " + choices_of("calibrate").text())
      ->capture_default_str();
  command
      .add_option("--calibrate-by", options.by, "cell|all",
                  "What has a curve: " + choices_of("calibrate-by").text())
      ->default_str("cell");
}

void add_fit_options(Command& command, FitOptions& options) {
  const Section section(command, "Fitting");
  command.add_option(
      "--gamma", options.gamma, "X|auto",
      "Width of randomization; 0 draws lots only where the best rule has to, auto is "
      "N^(-1/6) for N rows (default: 0)");
  add_calibration_options(command, options.calibration);
}

void add_problem_options(Command& command, ProblemOptions& options, Strictness strictness) {
  add_people_options(command, options.data, options.rows);
  add_fairness_options(command, options.fairness, strictness);
  add_objective_options(command, options.objective);
  add_fit_options(command, options.fit);
  command.add_flag(
      "--allow-many-groups", options.allow_many_groups,
      "Accept a sensitive column with more than 50 values and fewer than 10 rows each");
}

void ProblemOptions::check_groups(const Tally& tally, const Roles& roles,
                                  std::uint64_t counted) const {
  if (allow_many_groups) return;
  const std::string doubt = doubt_about_groups(tally, roles.sensitive,
                                               counted > 0 ? std::optional(counted) : std::nullopt);
  if (doubt.empty()) return;
  throw UserError(doubt + ": is it the right column? --allow-many-groups if these are groups");
}

Reading RowOptions::reading() const {
  return {scale.empty() ? Scale::probability : scale_from(scale),
          favorable.empty() ? Favorable::high : favorable_from(favorable)};
}

Resolution RowOptions::finest() const {
  return resolution.empty() ? Resolution::exact() : resolution_from(resolution);
}

Criterion FairnessOptions::build(const Roles& roles) const {
  if (criterion.empty() && require.empty() && no_worse.empty()) {
    std::vector<std::string_view> names;
    for (const CriterionName& each : all_criteria()) names.push_back(each.name);
    throw UserError(fmt::format("say what is fair: --criterion NAME ({}) or --require TEXT",
                                fmt::join(names, ", ")));
  }
  // Requirements alone compare no groups: they name their own.
  CriterionOptions out{.roles = criterion.empty() ? Roles{} : roles,
                       .tolerance = tolerance,
                       .ratio = ratio,
                       .rho = {},
                       .require = require};
  for (const std::string& measure : no_worse) {
    out.require.push_back(evenhand::no_worse(measure, roles));
  }
  const Across asked = across_from(across);
  if (!criterion.empty()) out.roles.across = asked;
  if (rho == "base") {
    out.rho = Rho::base();
  } else if (rho == "best") {
    out.rho = Rho::best();
  } else if (!rho.empty()) {
    out.rho = Rho::given(number_from(rho, "--rho (unless base or best)"));
  }
  return criterion_from(criterion, out);
}

void CalibrationOptions::check() const {
  curves();
  if (method() == Calibration::none && !by.empty()) {
    throw UserError("--calibrate-by is for --calibrate isotonic, platt or temperature");
  }
}

void FitOptions::check() const {
  if (!gamma.empty() && gamma != "auto") number_from(gamma, "--gamma (unless auto)");
  calibration.check();
}

SolveOptions FitOptions::build(const ObjectiveOptions& objective, unsigned threads,
                               const Tally& tally, std::uint64_t rows, double usual) const {
  double width = usual;
  if (gamma == "auto") {
    width = rows > 0 ? gamma_schedule(static_cast<double>(rows)) : gamma_schedule(tally);
  } else if (!gamma.empty()) {
    width = number_from(gamma, "--gamma (unless auto)");
  }
  return {.gamma = width,
          .costs = objective.costs(),
          .calibrate = calibration.method(),
          .calibrate_by = calibration.curves(),
          .base_threshold = objective.base_threshold,
          .threads = threads};
}

void add_subject_options(Command& command, SubjectOptions& options, const char* of_rules,
                         const char* of_decision) {
  add_data_options(command, options.data);
  add_tally_option(command, options.rows);
  command.add_option("--rule", options.rules, "FILE", of_rules)->one_at_a_time();
  command.add_option("--decision", options.decision, "COLUMN", of_decision);
  add_row_options(command, options.rows);
}

void add_unseen_option(Command& command, std::string& unseen) {
  command.add_option(
      "--unseen", unseen, "POLICY",
      "With --rule, people in a group that it does not know: error, score (decide by "
      "the score alone) or reject (default: error)");
}

}  // namespace evenhand::cli
