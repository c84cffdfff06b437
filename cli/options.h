// Options that several commands share, and what they mean to the library.
#pragma once

#include <evenhand/calibrator.h>
#include <evenhand/criterion.h>
#include <evenhand/solve.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "data/collect.h"
#include "data/database.h"
#include "data/input.h"

namespace evenhand::cli {

// An option with a number, read the same everywhere, whatever the locale.
Option* add_number(Command& command, const std::string& name, double& value,
                   const std::string& help);
Option* add_number(Command& command, const std::string& name, std::optional<double>& value,
                   const std::string& help);
double number_from(std::string_view text, std::string_view option);  // throws UserError
// The same for whole numbers, from 0 to 2^64 - 1.
std::uint64_t whole_number_from(std::string_view text, std::string_view option);
Option* add_whole_number(Command& command, const std::string& name,
                         std::optional<std::uint64_t>& value, const std::string& help);
// Several of them, of either kind.
struct NumberOption {
  NumberOption(const char* option, std::optional<double>& taken, const char* text)
      : name(option), number(&taken), help(text) {}
  NumberOption(const char* option, std::optional<std::uint64_t>& taken, const char* text)
      : name(option), whole(&taken), help(text) {}

  const char* name;
  std::optional<double>* number = nullptr;  // one of these two
  std::optional<std::uint64_t>* whole = nullptr;
  const char* help;
};
void add_numbers(Command& command, std::initializer_list<NumberOption> options);

// Where the rows are, and how many cores and how much memory may read them.
struct DataOptions {
  InputOptions input = {.data = {}, .sql = {}, .format = "auto"};
  DatabaseOptions database;
};
void add_data_options(Command& command, DataOptions& options);
void add_threads(Command& command, DatabaseOptions& options);

// What its columns mean.
struct RowOptions {
  std::string tally;  // a file to take instead of rows
  std::string score;
  std::string sensitive;
  std::string within;
  std::string label;
  std::string weight;
  std::string null;  // these four: empty means the default
  std::string scale;
  std::string favorable;
  std::string resolution;

  Reading reading() const;
  Resolution finest() const;
};
void add_row_options(Command& command, RowOptions& options);
void add_weight_option(Command& command, std::string& weight);
void add_null_option(Command& command, std::string& null);

void add_output_format(Command& command, std::string& format);  // of rows to write

// Columns that are used if no other is named and the data have them: those of a rule's record.
struct ColumnsIfThere {
  std::string label;
  std::string weight;
};
void add_tally_option(Command& command, RowOptions& options);  // instead of rows
// Rows or a tally, and what their columns mean.
void add_people_options(Command& command, DataOptions& data, RowOptions& rows);

// Whose rule decides, and about whom.
struct DecidingOptions {
  std::string rule;  // a file
  std::string score;
  std::string unseen = "error";
  std::string null;
};
void add_deciding_options(Command& command, DecidingOptions& options, const std::string& score_help,
                          const std::string& score_type);

// What the columns are called that decisions add.
struct DecisionNames {
  std::string probability_name = "probability";
  std::string decision_name = "decision";
};
void add_decision_names(Command& command, DecisionNames& names);

// What is fair.
struct FairnessOptions {
  std::string criterion;
  std::optional<double> tolerance;
  std::optional<double> ratio;
  std::string rho;
  std::vector<std::string> require;
  std::vector<std::string> no_worse;
  std::string across = "intersection";

  // Throws UserError or std::invalid_argument for a criterion that cannot be.
  Criterion build(const Roles& roles) const;
};
enum class Strictness { given, varied };  // varied: the command chooses tolerances itself
void add_fairness_options(Command& command, FairnessOptions& options,
                          Strictness strictness = Strictness::given);

// What is best.
struct ObjectiveOptions {
  std::optional<double> cost_fp;
  std::optional<double> cost_fn;
  std::optional<double> base_threshold;

  Costs costs() const { return {cost_fp.value_or(1), cost_fn.value_or(1)}; }
};
void add_objective_options(Command& command, ObjectiveOptions& options);

// Where the probability of a score comes from.
struct CalibrationOptions {
  std::string calibrate = "none";
  std::string by;  // empty: cell

  Calibration method() const { return calibration_from(calibrate); }
  CalibrateBy curves() const { return calibrate_by_from(by.empty() ? "cell" : by); }
  void check() const;  // throws std::invalid_argument or UserError
};
void add_calibration_options(Command& command, CalibrationOptions& options);

struct FitOptions {
  std::string gamma;  // a number, auto, or empty: the solver's own
  CalibrationOptions calibration;

  void check() const;  // throws UserError for what is wrong whatever the data
  // For rows like these, so many if that is known; `usual` is the gamma of those who do not ask.
  SolveOptions build(const ObjectiveOptions& objective, unsigned threads, const Tally& tally,
                     std::uint64_t rows, double usual = 0) const;
};
void add_fit_options(Command& command, FitOptions& options);

// What audits and reports are about: people, and rules or decisions already made.
struct SubjectOptions {
  DataOptions data;
  RowOptions rows;
  ObjectiveOptions objective;
  std::vector<std::string> rules;  // files
  std::string decision;
  std::string unseen;  // empty: error
  std::optional<double> min_group;
  std::optional<double> confidence;
};
// Data, rules, decisions and columns.
void add_subject_options(Command& command, SubjectOptions& options, const char* of_rules,
                         const char* of_decision);
void add_unseen_option(Command& command, std::string& unseen);

// All of these: what fit and frontier have in common.
struct ProblemOptions {
  DataOptions data;
  RowOptions rows;
  FairnessOptions fairness;
  ObjectiveOptions objective;
  FitOptions fit;
  bool allow_many_groups = false;

  // Throws UserError where a sensitive column seems to tell people apart, not groups.
  void check_groups(const Tally& tally, const Roles& roles, std::uint64_t counted) const;
};
void add_problem_options(Command& command, ProblemOptions& options,
                         Strictness strictness = Strictness::given);

}  // namespace evenhand::cli
