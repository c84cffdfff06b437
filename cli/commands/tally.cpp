#include <evenhand/pool_rare.h>
#include <evenhand/text.h>

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "commands/commands.h"
#include "data/prepared.h"
#include "error.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct TallyArguments {
  DataOptions data;
  RowOptions rows;
  std::optional<double> min_count;
  std::string output;
  bool json = false;
};

std::size_t entries_of(const Tally& tally) {
  std::size_t entries = 0;
  for (CellCode c = 0; c < tally.cells().size(); ++c) entries += tally.distinct_scores(c);
  return entries;
}

void store(const StoredTally& stored, const DatabaseOptions& options, Output& output) {
  Database database(options);
  database.allow_only(std::vector{output.staged()});
  write_tally(database, stored, output);
}

std::string summary(const StoredTally& stored, const Output& output) {
  return fmt::format("{} rows in {}, {} entries, in {}", people(stored.tally.total().n),
                     counted(stored.tally.cells().size(), "cell"),
                     with_commas(entries_of(stored.tally)), output.name());
}

void say_what_is(const StoredTally& stored, const Output& output, bool json) {
  if (!json) {
    remark(summary(stored, output));
    return;
  }
  Json out;
  out["output"] = output.name();
  if (stored.rows()) out["rows"] = *stored.rows();
  out["weight"] = stored.tally.total().n;
  out["cells"] = stored.tally.cells().size();
  out["entries"] = entries_of(stored.tally);
  if (stored.source.excluded > 0) out["excluded"] = stored.source.excluded;
  out["fingerprint"] = stored.fingerprint();
  print(out.dump(2) + "\n");
}

// Tallies are Parquet, whatever the name says; so it had better not say anything else.
void check_name(const std::string& output) {
  if (format_of_name(output).value_or(Format::parquet) != Format::parquet ||
      compression_of_name(output) != "none") {
    throw UserError(fmt::format("{}: a tally is a Parquet file; call it .parquet", shown(output)));
  }
}

void refuse_same(const std::string& output, const std::string& data) {
  std::error_code ignored;
  if (std::filesystem::equivalent(output, data, ignored)) {
    throw UserError(shown(output) + " is also the input; choose another output");
  }
}

int run_tally(const TallyArguments& options) {
  if (options.min_count &&
      !(*options.min_count >= 1 && std::floor(*options.min_count) == *options.min_count)) {
    throw UserError(fmt::format("--min-count takes a whole number of rows, 1 or more, not {}",
                                rounded(*options.min_count, 6)));
  }
  refuse_same(options.output, options.data.input.data);
  check_name(options.output);
  refuse_named_output(options.data.input, options.output);
  Output output(options.output);
  Prepared data = prepare(options.data, options.rows, {.sensitive_needed = false});
  output.must_not_be(data.files);
  if (options.min_count) {
    const PooledTally pooled = pool_rare(data.tally(), *options.min_count);
    remark(fmt::format("{} of {} had fewer than {} rows; pooled with their neighbours, {} are left",
                       with_commas(pooled.rare), with_commas(pooled.entries_before) + " entries",
                       rounded(options.min_count.value_or(0), 6),
                       with_commas(pooled.entries_after)));
    data.stored.source.fingerprint = data.stored.fingerprint();
    data.stored.tally = pooled.tally;
    data.stored.source.min_count = *options.min_count;
  }
  store(data.stored, options.data.database, output);
  if (data.excluded() > 0) {
    remark(counted(data.excluded(), "row") + " left out for a missing value");
  }
  say_what_is(data.stored, output, options.json);
  return exit_done;
}

struct MergeOptions {
  std::vector<std::string> tallies;
  RowOptions rows;  // of plain tallies: scale, favorable and resolution
  DatabaseOptions database;
  bool repeated = false;
  std::string output;
  bool json = false;
};

int run_merge(const MergeOptions& options) {
  std::vector<std::string> tallies;
  for (const std::string& given : options.tallies) {
    if (given == "-") {
      tallies.push_back(given);
      continue;
    }
    const std::vector<std::string> found = files_of(given).files;
    tallies.insert(tallies.end(), found.begin(), found.end());
  }
  if (tallies.size() < 2) throw UserError("merge needs at least two tallies");
  check_name(options.output);
  Output output(options.output);
  std::optional<StoredTally> all;
  for (const std::string& path : tallies) {
    const Input input({.data = path, .sql = {}, .format = "auto"});
    output.must_not_be(input.files());
    Database database(options.database, input);
    StoredTally next = read_tally(
        database, input,
        {.attributes = {}, .reading = options.rows.reading(), .resolution = options.rows.finest()});
    refuse_contradictions(options.rows, next.tally, input.name());
    if (!all) {
      all = std::move(next);
      continue;
    }
    try {
      all = all->merged(next, options.repeated ? Repeated::allow : Repeated::refuse);
    } catch (const std::invalid_argument& error) {
      throw UserError(
          fmt::format("{} and {}: {}", shown(tallies.front()), shown(path), error.what()));
    }
  }
  store(*all, options.database, output);
  say_what_is(*all, output, options.json);
  return exit_done;
}

void add_result(Command& command, std::string& output, const char* of_output, bool& json) {
  command.add_option("-o,--output", output, "FILE", of_output)->required();
  command.add_flag("--json", json, "Print the summary as JSON");
}

}  // namespace

void add_tally(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand tally january.csv --score p --sensitive sex --label repaid -o january.parquet
  evenhand tally ward.csv --score risk --sensitive sex --min-count 10 -o ward.parquet

Any engine can make one: SELECT sex, score, count(*) AS n, sum(y) AS n1 FROM t GROUP BY ALL
An exact tally of few rows still tells people apart; --min-count pools until none does.)");
  TallyArguments& options = command.runs(run_tally, status);
  add_people_options(command, options.data, options.rows);
  add_number(command, "--min-count", options.min_count,
             "Pool neighbouring scores of a cell until every entry has at least this many rows");
  add_result(command, options.output, "Parquet file to write the tally to", options.json);
}

void add_merge(Command& command, int& status) {
  command.footer("Example:\n  evenhand merge north.parquet south.parquet -o all.parquet");
  MergeOptions& options = command.runs(run_merge, status);
  command.add_option("TALLY", options.tallies, "", "Two or more tallies, also as a glob")
      ->required();
  const auto plain = [&](const char* name, std::string& value, const std::string& help) {
    command.add_option(name, value, "NAME", "Of tallies made by SQL: " + help);
  };
  plain("--scale", options.rows.scale, "how scores are read (default: probability)");
  plain("--favorable", options.rows.favorable, "which scores are favourable (default: high)");
  plain("--resolution", options.rows.resolution, "how finely scores were told apart");
  command.add_flag("--allow-repeated", options.repeated,
                   "Also add up tallies of the same people, who then count twice");
  add_threads(command, options.database);
  add_result(command, options.output, "Parquet file to write the sum to", options.json);
}

}  // namespace evenhand::cli
