#include "data/prepared.h"

#include <evenhand/advice.h>

#include <algorithm>

#include <fmt/format.h>

#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {

void refuse_contradictions(const RowOptions& rows, const Tally& tally, const std::string& name) {
  const auto refuse = [&](std::string_view option, std::string_view value) {
    throw UserError(
        fmt::format("{} was made with {} {}, which cannot be changed", name, option, value));
  };
  const Reading& reading = tally.reading();
  if (!rows.scale.empty() && scale_from(rows.scale) != reading.scale) {
    refuse("--scale", to_string(reading.scale));
  }
  if (!rows.favorable.empty() && favorable_from(rows.favorable) != reading.favorable) {
    refuse("--favorable", to_string(reading.favorable));
  }
  if (!rows.resolution.empty() && rows.finest() != tally.resolution()) {
    refuse("--resolution", to_string(tally.resolution()));
  }
}

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_roles(const Columns& columns) {
  const std::vector<std::string> all = columns.attributes();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), all[i]) !=
        all.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw UserError(
          fmt::format("the column {} is given twice (--sensitive, --within)", shown(all[i])));
    }
  }
}

Prepared from_rows(const DataOptions& data, const RowOptions& rows, const PrepareOptions& options) {
  const bool decisions = options.needs == Needs::decision;
  if (rows.score.empty()) {
    throw UserError("--score is missing: name the column with the model's score");
  }
  if (rows.sensitive.empty() && options.sensitive_needed) {
    throw UserError("--sensitive is missing: name the column that says who belongs to which group");
  }
  Reading reading = rows.reading();
  const Resolution resolution = rows.finest();
  auto input = std::make_shared<const Input>(data.input);
  Database database(data.database, *input);
  const Source source(database, *input);
  Columns columns;
  columns.score = source.column(rows.score, decisions ? "--decision" : "--score").name;
  columns.decisions = decisions;
  if (decisions) {  // 1 is the favourable decision; the label alone may be of a harm
    columns.label_is_harm = reading.favorable == Favorable::low;
    reading = {};
  }
  if (!rows.sensitive.empty()) columns.sensitive = source.names(rows.sensitive, "--sensitive");
  if (!rows.within.empty()) columns.within = source.names(rows.within, "--within");
  columns.label = named_or_there(source, rows.label, options.if_there.label, "--label");
  columns.weight = named_or_there(source, rows.weight, options.if_there.weight, "--weight");
  check_roles(columns);
  for (const std::string& name : options.also) {
    if (!contains(columns.attributes(), name)) {
      columns.also.push_back(source.column(name, "an attribute of the rule").name);
    }
  }
  Collected collected = collect(database, source, columns,
                                {.reading = reading,
                                 .resolution = resolution,
                                 .labelled = columns.label.has_value(),
                                 .weighted = columns.weight.has_value()},
                                NullPolicy::from(rows.null));
  std::vector<SquaredWeights> squared;
  if (options.squared_weights && columns.weight && !collected.tally.unit_weights()) {
    squared =
        squared_weights(database, source, columns, collected.tally, NullPolicy::from(rows.null));
  }
  return {.stored = {.tally = std::move(collected.tally),
                     .source = {.roles = {.sensitive = columns.sensitive, .within = columns.within},
                                .score = columns.score,
                                .label = columns.label.value_or(""),
                                .weight = columns.weight.value_or(""),
                                .null = NullPolicy::from(rows.null).text(),
                                .rows = collected.rows,
                                .excluded = collected.excluded}},
          .name = source.name(),
          .columns = columns,
          .squared_weights = std::move(squared),
          .input = input,
          .files = input->files()};
}

std::vector<std::string> both(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::string> with(std::vector<std::string> names,
                              const std::vector<std::string>& also) {
  for (const std::string& name : also) {
    if (!contains(names, name)) names.push_back(name);
  }
  return names;
}

bool is_of_decisions(const DataOptions& data, const Input& input) {
  Database database(data.database, input);
  return has_decisions(database, input);
}

Prepared from_tally(const DataOptions& data, const RowOptions& rows,
                    const PrepareOptions& options) {
  if (!data.input.data.empty() || !data.input.sql.empty()) {
    throw UserError("give either DATA or --tally, not both");
  }
  for (const auto& [value, option] :
       {std::pair(rows.label, "--label"), std::pair(rows.weight, "--weight")}) {
    if (!value.empty()) {
      throw UserError(
          fmt::format("{} says what a column of rows means; a tally has n and n1 instead", option));
    }
  }
  const Input input({.data = rows.tally, .sql = {}, .format = data.input.format});
  Database database(data.database, input);
  Roles asked;
  if (!rows.sensitive.empty()) asked.sensitive = split_names(rows.sensitive);
  if (!rows.within.empty()) asked.within = split_names(rows.within);
  const bool decisions =
      options.needs == Needs::decision ||
      (options.needs == Needs::either && rows.score.empty() && is_of_decisions(data, input));
  const std::string usual = decisions ? "decision" : "score";
  PlainTallyOptions plain{.attributes = with(both(asked.sensitive, asked.within), options.also),
                          .score = rows.score.empty() ? usual : rows.score,
                          .reading = rows.reading(),
                          .resolution = rows.finest(),
                          .decisions = decisions};
  StoredTally stored = read_tally(database, input, plain);
  if (!decisions) refuse_contradictions(rows, stored.tally, input.name());
  if (!asked.sensitive.empty() || !asked.within.empty()) {
    if (asked.sensitive.empty()) asked.sensitive = stored.source.roles.sensitive;
    stored.source.roles = asked;
    const std::vector<std::string> attributes =
        with(both(asked.sensitive, asked.within), options.also);
    if (attributes != stored.tally.cells().attributes()) {
      stored.source.fingerprint = stored.fingerprint();
      stored.tally = stored.tally.project(attributes);
    }
  }
  if (stored.source.roles.sensitive.empty() && options.sensitive_needed) {
    throw UserError(fmt::format("{} does not say who is compared: give --sensitive", input.name()));
  }
  Prepared out{.stored = std::move(stored),
               .name = input.name(),
               .from_tally = true,
               .input = {},
               .files = input.files()};
  const TallySource& source = out.stored.source;
  out.columns.score = source.score;
  out.columns.decisions = decisions;
  out.columns.sensitive = source.roles.sensitive;
  out.columns.within = source.roles.within;
  if (!source.label.empty()) out.columns.label = source.label;
  return out;
}

}  // namespace

void check_labels(const Criterion& criterion, const RowOptions& rows) {
  const bool needed = std::any_of(criterion.rates.begin(), criterion.rates.end(),
                                  [](Rate rate) { return rate != Rate::selection; });
  if (needed && rows.label.empty() && rows.tally.empty()) {
    throw UserError(fmt::format(
        "{} needs labels, the actual outcomes: name their column with --label", criterion.name));
  }
}

Prepared prepare(const DataOptions& data, const RowOptions& rows, const PrepareOptions& options) {
  Prepared out =
      rows.tally.empty() ? from_rows(data, rows, options) : from_tally(data, rows, options);
  for (const std::string& odd : odd_groups_in_words(out.tally().cells())) warn(odd);
  return out;
}

}  // namespace evenhand::cli
