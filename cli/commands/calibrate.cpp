#include <evenhand/calibrate.h>
#include <evenhand/text.h>

#include <fmt/format.h>

#include "commands/commands.h"
#include "data/prepared.h"
#include "data/rule_file.h"
#include "error.h"
#include "output/output.h"
#include "output/reliability.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct CalibrateArguments {
  DataOptions data;
  RowOptions rows;
  CalibrationOptions calibration;
  std::string rule;
  std::optional<std::uint64_t> bins;
  bool json = false;
};

int run_calibrate(CalibrateArguments options) {
  options.calibration.check();
  const Calibration method = options.calibration.method();
  const CalibrateBy by = options.calibration.curves();
  std::optional<RuleFile> rule;
  ColumnsIfThere if_there;
  if (!options.rule.empty()) {
    if (method != Calibration::none) {
      throw UserError("give either --rule, with its calibrator, or --calibrate, not both");
    }
    rule = read_rule(options.rule);
    if (!rule->hard().parts().calibrator) {
      const bool pooled = rule->fit.calibrate == Calibration::isotonic;
      throw UserError(fmt::format(
          "{} keeps no curve: {}", shown(options.rule),
          pooled ? "isotonic by cell pools the labels while it fits; --calibrate-by all keeps one"
                 : "it was fitted without --calibrate, and trusts its scale"));
    }
    rule->fill(options.rows, if_there);
  }
  if (options.rows.label.empty() && if_there.label.empty() && options.rows.tally.empty()) {
    throw UserError("calibration is measured against what really happened: give --label");
  }
  const Prepared data =
      prepare(options.data, options.rows, {.sensitive_needed = false, .if_there = if_there});
  std::optional<Calibrator> calibrator;
  if (rule) {
    calibrator = rule->hard().parts().calibrator;
  } else if (method != Calibration::none) {
    calibrator =
        calibrate(data.tally(), method, {.by = by, .threads = options.data.database.threads});
  }
  const Reliability reliability =
      reliability_of(data.tally(), calibrator, options.bins.value_or(15));
  const CellNames& names = data.tally().cells();
  if (options.json) {
    Json out;
    out["data"] = data.name;
    if (data.rows() > 0) out["rows"] = data.rows();
    if (data.excluded() > 0) out["excluded"] = data.excluded();
    if (calibrator) out["calibrator"] = to_json(*calibrator);
    out.update(to_json(reliability, names));
    print(out.dump(2) + "\n");
    return exit_done;
  }
  std::string text =
      strong(fmt::format("calibration of {}: {} rows", data.name, people(data.tally().total().n))) +
      "\n\n" + to_text(reliability, names);
  if (calibrator) {
    text += fmt::format("\n  {}\n", in_words(calibrator->method(), calibrator->by())) +
            to_text(*calibrator);
  }
  if (calibrator && !rule) {
    const bool kept = calibrator->method() != Calibration::isotonic ||
                      calibrator->by() == CalibrateBy::all ||
                      !data.tally().reading().has_probability();
    text += "\n" +
            faint(kept ? "Measured on the rows it was fitted on; fit --calibrate keeps it in the "
                         "rule, and calibrate --rule measures that on other rows."
                       : "Measured on the rows it was fitted on.") +
            "\n";
  }
  print_for_people(text);
  return exit_done;
}

}  // namespace

void add_calibrate(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand calibrate loans.csv --score p --label repaid --sensitive sex
  evenhand calibrate loans.csv --score margin --scale raw --label repaid --calibrate platt
  evenhand calibrate new-loans.csv --rule rule.json

To decide with a calibrator, give fit the same --calibrate: the rule then takes the raw scores.)");
  CalibrateArguments& options = command.runs(run_calibrate, status);
  add_people_options(command, options.data, options.rows);
  add_calibration_options(command, options.calibration);
  command.add_option("--rule", options.rule, "FILE",
                     "Measure the calibrator in this rule, on these rows, instead of fitting one");
  add_whole_number(command, "--bins", options.bins,
                   "Bins of the reliability table and of the calibration error (default: 15)");
  command.add_flag("--json", options.json, "Print the result as JSON");
}

}  // namespace evenhand::cli
