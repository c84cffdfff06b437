#include <evenhand/pool_rare.h>
#include <evenhand/verify.h>

#include <fmt/format.h>

#include "commands/commands.h"
#include "data/log_file.h"
#include "data/prepared.h"
#include "data/rule_file.h"
#include "data/soft_rows.h"
#include "error.h"
#include "help.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct VerifyArguments {
  DataOptions data;
  RowOptions rows;
  std::string rule;   // RULE, or
  std::string named;  // --rule
  std::string log;
  KeyOptions key;
  bool json = false;
};

// What was checked, and on what.
struct Done {
  std::string name;
  Verification found;
};

Done verify_soft(const VerifyArguments& options, const RowOptions& rows,
                 const ColumnsIfThere& if_there, const RuleFile& file) {
  if (!rows.tally.empty()) {
    throw UserError("a rule of soft groups is verified on its rows: --tally has none");
  }
  const SoftRule& rule = std::get<SoftRule>(file.rule);
  const SoftTable data = SoftTable::read(
      options.data, rows,
      {.columns = {}, .recorded = file.columns(), .if_there = if_there, .rule = &rule});
  return {data.name(), verify(data.rows(), data.weight(), rule, file.fit)};
}

Done verify_rule(const VerifyArguments& options, const RuleFile& file) {
  RowOptions rows = options.rows;
  ColumnsIfThere if_there;
  file.fill(rows, if_there);
  if (file.soft()) return verify_soft(options, rows, if_there, file);
  const FitRecord& fit = file.fit;
  if (rows.tally.empty() && rows.resolution.empty() && fit.resolution) {
    rows.resolution = to_string(*fit.resolution);
  }
  Prepared data = prepare(options.data, rows, {.sensitive_needed = false, .if_there = if_there});
  if (fit.min_count > 0 && !data.from_tally) {
    data.stored.source.fingerprint = data.stored.fingerprint();
    data.stored.tally = pool_rare(data.tally(), fit.min_count).tally;
  }
  return {data.name, verify(data.stored, file.hard(), fit)};
}

std::string verdict_in_words(const RuleFile& file, const Done& done) {
  std::string out = strong(fmt::format("{} on {}", shown(file.path), done.name)) + "\n";
  out += done.found.to_text();
  const std::size_t failed = done.found.failed();
  if (failed > 0) {
    out += fmt::format("\n{}: {} of {} checks say no\n", bad("not verified"), failed,
                       done.found.checks.size());
  } else {
    out += "\n" + good("verified") + "\n";
  }
  return out;
}

int run_verify(const VerifyArguments& options) {
  if (options.rule.empty() == options.named.empty()) {
    throw UserError(options.rule.empty() ? "name the rule: evenhand verify rule.json DATA"
                                         : "the rule is named twice, as RULE and by --rule");
  }
  const bool rows = !options.data.input.data.empty() || !options.data.input.sql.empty() ||
                    !options.rows.tally.empty();
  if (!rows && options.log.empty()) {
    throw UserError("name what the rule is verified on: DATA, --sql, --tally or --log");
  }
  options.key.check_for_log(!options.log.empty());
  const RuleFile file = read_rule(options.rule.empty() ? options.named : options.rule);
  bool passed = true;
  Json all;
  std::string text;
  if (rows) {
    Done done = verify_rule(options, file);
    check_members(file.text, done.found);
    passed = done.found.passed();
    all = Json::parse(done.found.to_json());
    all["rule"] = file.path;
    all["data"] = done.name;
    text = verdict_in_words(file, done);
  }
  if (!options.log.empty()) {
    const LogFile log = check_log(options.data.database, options.log, file, options.key.coin());
    passed = passed && log.found.passed();
    all["passed"] = passed;
    all["log"] = to_json(log);
    text += (text.empty() ? "" : "\n") + to_text(log);
  }
  if (options.json) {
    print(all.dump(2) + "\n");
  } else {
    print_for_people(text);
  }
  return passed ? exit_done : exit_exceeded;
}

}  // namespace

void add_verify(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand verify rule.json loans.parquet
  evenhand verify rule.json --tally tally.parquet --json
  evenhand verify --log decisions.parquet --rule rule.json --key-file key

Columns, scale and resolution are those of the rule's record unless named. The arithmetic
is plain sums over the data, and shares nothing with the code that fits.
Exit status: 0 verified, 2 wrong input or options, 4 a check says no.)");
  VerifyArguments& options = command.runs(run_verify, status);
  command.add_option("RULE", options.rule, "", "A rule made by evenhand fit");
  add_data_options(command, options.data);
  add_tally_option(command, options.rows);
  add_row_options(command, options.rows);
  {
    const Section section(command, "Log of decisions");
    command.add_option("--log", options.log, "FILE",
                       "A log written by evenhand apply --log: check each line again");
    command.add_option("--rule", options.named, "FILE", "The rule, where RULE is not given");
    add_key_options(command, options.key);
  }
  command.add_flag("--json", options.json, "Print the result as JSON");
}

}  // namespace evenhand::cli
