#include "data/collect.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "data/sql.h"
#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

// What one thread has of one group.
struct Part {
  explicit Part(const CellRowsOptions& options) : rows(options) {}
  CellRows rows;
  std::uint64_t missing = 0;  // rows with a missing number
};

// Shared by all calls of the aggregate function in one query.
struct Aggregation {
  CellRowsOptions options;
  std::vector<std::unique_ptr<Part>> finished;  // what the query returns is an index into this
  std::mutex mutex;
};

using State = Part*;

State& part_of(duckdb_aggregate_state state) {
  return *reinterpret_cast<State*>(state);
}

Aggregation& aggregation_of(duckdb_function_info info) {
  return *static_cast<Aggregation*>(duckdb_aggregate_function_get_extra_info(info));
}

struct NumberColumn {
  const double* data;
  std::uint64_t* validity;

  NumberColumn(duckdb_data_chunk chunk, idx_t column) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, column);
    data = static_cast<const double*>(duckdb_vector_get_data(vector));
    validity = duckdb_vector_get_validity(vector);
  }
  bool missing(idx_t row) const { return validity && !duckdb_validity_row_is_valid(validity, row); }
};

// The numbers of a chunk, and which of them are allowed.
struct Numbers {
  NumberColumn scores, labels, weights;
  double low, high;

  Numbers(duckdb_data_chunk input, const CellRowsOptions& options)
      : scores(input, 0),
        labels(input, options.labelled ? 1 : 0),
        weights(input, options.weighted ? (options.labelled ? 2 : 1) : 0) {
    const double one_end = options.reading.turn(options.reading.lowest());
    const double other_end = options.reading.turn(options.reading.highest());
    low = std::min(one_end, other_end);
    high = std::max(one_end, other_end);
  }
  Numbers from(idx_t row) const {
    Numbers out = *this;
    out.scores.data += row;
    out.labels.data += row;
    out.weights.data += row;
    return out;
  }
  bool complete() const { return !scores.validity && !labels.validity && !weights.validity; }
};

bool is_label(double value) {
  return static_cast<int>(value == 0) | static_cast<int>(value == 1);  // no branch: labels vary
}

// Whether all values are allowed. A loop of its own, which compilers make fast.
template <bool labelled, bool weighted>
bool all_allowed(const Numbers& numbers, idx_t rows) {
  unsigned bad = 0;
  for (idx_t row = 0; row < rows; ++row) {
    const double score = numbers.scores.data[row];
    bad |= static_cast<unsigned>(!(score >= numbers.low)) |
           static_cast<unsigned>(!(score <= numbers.high));
    if constexpr (labelled) bad |= static_cast<unsigned>(!is_label(numbers.labels.data[row]));
    if constexpr (weighted) {
      const double weight = numbers.weights.data[row];
      bad |= static_cast<unsigned>(!(weight >= 0)) |
             static_cast<unsigned>(!(weight <= std::numeric_limits<double>::max()));
    }
  }
  return bad == 0;
}

// Adds rows to their groups; false at a value that is not allowed.
template <bool labelled, bool weighted, bool complete>
bool add_rows(Numbers numbers, duckdb_aggregate_state* states, idx_t rows,
              const CellRowsOptions& options) {
  if (complete && !all_allowed<labelled, weighted>(numbers, rows)) return false;
  for (idx_t row = 0; row < rows; ++row) {
    State& part = part_of(states[row]);
    if (!part) part = new Part(options);
    if constexpr (!complete) {
      if (numbers.scores.missing(row) || numbers.labels.missing(row) ||
          numbers.weights.missing(row)) {
        ++part->missing;
        continue;
      }
      if (!all_allowed<labelled, weighted>(numbers.from(row), 1)) return false;
    }
    const double score = numbers.scores.data[row];
    const bool label = labelled && numbers.labels.data[row] == 1;
    if constexpr (weighted) {
      part->rows.add(score, label, numbers.weights.data[row]);
    } else {
      part->rows.add(score, label);
    }
  }
  return true;
}

template <bool labelled, bool weighted>
bool add_rows(const Numbers& numbers, duckdb_aggregate_state* states, idx_t rows,
              const CellRowsOptions& options) {
  return numbers.complete() ? add_rows<labelled, weighted, true>(numbers, states, rows, options)
                            : add_rows<labelled, weighted, false>(numbers, states, rows, options);
}

void update(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
  const Aggregation& shared = aggregation_of(info);
  const CellRowsOptions& options = shared.options;
  try {
    const idx_t rows = duckdb_data_chunk_get_size(input);
    const Numbers numbers(input, options);
    const auto add = options.labelled
                         ? (options.weighted ? add_rows<true, true> : add_rows<true, false>)
                         : (options.weighted ? add_rows<false, true> : add_rows<false, false>);
    if (!add(numbers, states, rows, options)) {
      duckdb_aggregate_function_set_error(info, "a bad value");
    }
  } catch (const std::exception& error) {
    duckdb_aggregate_function_set_error(info, error.what());
  }
}

void combine(duckdb_function_info info, duckdb_aggregate_state* sources,
             duckdb_aggregate_state* targets, idx_t count) {
  try {
    for (idx_t i = 0; i < count; ++i) {
      State& source = part_of(sources[i]);
      State& target = part_of(targets[i]);
      if (!source) continue;
      if (!target) {
        std::swap(source, target);
        continue;
      }
      target->missing += source->missing;
      target->rows.absorb(std::move(source->rows));
    }
  } catch (const std::exception& error) {
    duckdb_aggregate_function_set_error(info, error.what());
  }
}

void finalize(duckdb_function_info info, duckdb_aggregate_state* sources, duckdb_vector result,
              idx_t count, idx_t offset) {
  Aggregation& shared = aggregation_of(info);
  auto* const out = static_cast<std::int64_t*>(duckdb_vector_get_data(result));
  try {
    const std::scoped_lock lock(shared.mutex);
    for (idx_t i = 0; i < count; ++i) {
      out[offset + i] = static_cast<std::int64_t>(shared.finished.size());
      shared.finished.emplace_back(std::exchange(part_of(sources[i]), nullptr));
    }
  } catch (const std::exception& error) {
    duckdb_aggregate_function_set_error(info, error.what());
  }
}

void destroy(duckdb_aggregate_state* states, idx_t count) {
  for (idx_t i = 0; i < count; ++i) delete std::exchange(part_of(states[i]), nullptr);
}

void register_aggregation(Database& database, Aggregation& shared) {
  duckdb_aggregate_function function = duckdb_create_aggregate_function();
  duckdb_aggregate_function_set_name(function, "evenhand_tally");
  duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
  duckdb_logical_type index = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
  const int parameters = 1 + (shared.options.labelled ? 1 : 0) + (shared.options.weighted ? 1 : 0);
  for (int i = 0; i < parameters; ++i) duckdb_aggregate_function_add_parameter(function, number);
  duckdb_aggregate_function_set_return_type(function, index);
  duckdb_aggregate_function_set_special_handling(function);  // missing values come too
  duckdb_aggregate_function_set_functions(
      function,
      // NOLINTNEXTLINE(bugprone-sizeof-expression): a pointer is all that DuckDB keeps
      [](duckdb_function_info) -> idx_t { return sizeof(State); },
      [](duckdb_function_info, duckdb_aggregate_state state) { part_of(state) = nullptr; }, update,
      combine, finalize);
  duckdb_aggregate_function_set_destructor(function, destroy);
  duckdb_aggregate_function_set_extra_info(function, &shared, nullptr);
  const duckdb_state state = duckdb_register_aggregate_function(database.connection(), function);
  duckdb_destroy_logical_type(&number);
  duckdb_destroy_logical_type(&index);
  duckdb_destroy_aggregate_function(&function);
  if (state == DuckDBError) throw Failure("DuckDB does not take the function evenhand_tally");
}

// Everything that can be wrong with the numbers, in the order in which users would want to hear it.
void explain(Database& database, const Source& source, const Columns& columns,
             const Reading& reading) {
  const Column& score = source.column(columns.score, "--score");
  if (columns.decisions) {
    throw_if_bad(database, source, zero_or_one_check("decision", score));
  } else {
    throw_if_bad(database, source, score_check(score, reading));
  }
  if (columns.label) {
    throw_if_bad(database, source,
                 zero_or_one_check("label", source.column(*columns.label, "--label")));
  }
  if (columns.weight) {
    for (const ValueCheck& check : weight_checks(source.column(*columns.weight, "--weight"))) {
      throw_if_bad(database, source, check);
    }
  }
}

bool only_zero_and_one(const Tally& tally) {
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    for (const Entry& entry : tally.entries(c)) {
      if (entry.score != 0 && entry.score != 1) return false;
    }
  }
  return true;
}

std::string described(std::uint64_t row, std::uint64_t count) {
  return count > 1 ? fmt::format("row {} and {} more", with_commas(row), with_commas(count - 1))
                   : fmt::format("row {}", with_commas(row));
}

}  // namespace

std::vector<std::string> Columns::attributes() const {
  std::vector<std::string> out = sensitive;
  out.insert(out.end(), within.begin(), within.end());
  return out;
}

NullPolicy NullPolicy::from(std::string_view text) {
  if (text == "error" || text.empty()) return {};
  if (text == "exclude") return {Kind::exclude};
  return {Kind::name, std::string(text)};
}

std::string NullPolicy::text() const {
  return kind == Kind::error ? "error" : kind == Kind::exclude ? "exclude" : name;
}

std::string as_number(const Column& column, bool truth, std::string_view cast) {
  const std::string name = identifier(column.name);
  std::string number = fmt::format("{}({} AS DOUBLE)", cast, name);
  if (!truth || column.type != "VARCHAR") return number;
  return fmt::format("CASE lower({}) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 ELSE {} END", name,
                     number);
}

std::string as_text(std::string_view column, const NullPolicy& nulls) {
  const std::string text = fmt::format("CAST({} AS VARCHAR)", identifier(column));
  return nulls.kind == NullPolicy::Kind::name
             ? fmt::format("coalesce({}, {})", text, literal(nulls.name))
             : text;
}

ValueCheck score_check(const Column& column, const Reading& reading) {
  const double one_end = reading.turn(reading.lowest());
  const double other_end = reading.turn(reading.highest());
  const double low = std::min(one_end, other_end);
  const double high = std::max(one_end, other_end);
  if (reading.scale == Scale::logit || reading.scale == Scale::raw) {
    return {"score", column, false, "isnan(d) OR isinf(d)", "is not a finite number"};
  }
  return {"score", column, false,
          fmt::format("isnan(d) OR isinf(d) OR d < {} OR d > {}", low, high),
          fmt::format("is outside [{}, {}], the {} scale; see --scale", low, high,
                      to_string(reading.scale))};
}

ValueCheck probability_check(const Column& column) {
  return {"probability", column, false, "isnan(d) OR d < 0 OR d > 1",
          fmt::format("in {} is not from 0 to 1", shown(column.name))};
}

ValueCheck zero_or_one_check(std::string what, const Column& column) {
  return {std::move(what), column, true, "d NOT IN (0, 1)", "is neither 0 nor 1"};
}

std::vector<ValueCheck> weight_checks(const Column& column) {
  return {{"weight", column, false, "d < 0", "is negative"},
          {"weight", column, false, "isnan(d) OR isinf(d)", "is not a finite number"}};
}

void throw_if_bad(Database& database, const Source& source, const ValueCheck& check) {
  const std::string name = identifier(check.column.name);
  const std::string number = as_number(check.column, check.truth, "TRY_CAST");
  const auto first_where = [&](const std::string& condition) {
    return database.query(fmt::format(
        "SELECT CAST(min(r) AS VARCHAR), arg_min(v, r), CAST(count(*) AS VARCHAR) FROM "
        "(SELECT row_number() OVER () AS r, CAST({} AS VARCHAR) AS v, {} AS d FROM {}) WHERE {}",
        name, number, source.relation(), condition))[0];
  };
  const auto complain = [&](const Row& found, std::string_view complaint) {
    if (!found[0]) return;
    throw UserError(fmt::format("{}, {}: the {} {} {}", source.name(),
                                described(std::stoull(*found[0]), std::stoull(*found[2])),
                                check.what, shown(found[1].value_or("")), complaint));
  };
  const Row no_number = first_where("v IS NOT NULL AND d IS NULL");
  const bool comma = no_number[1] && no_number[1]->find(',') != std::string::npos;
  complain(no_number,
           comma ? "is not a number; write decimals with a point, not a comma" : "is not a number");
  complain(first_where(check.is_bad), check.complaint);
}

void throw_if_missing(Database& database, const Source& source,
                      const std::vector<std::string>& columns, std::string_view advice) {
  std::vector<std::string> counts;
  for (const std::string& column : columns) {
    counts.push_back(
        fmt::format("CAST(count(*) FILTER ({} IS NULL) AS VARCHAR)", identifier(column)));
  }
  const Row row =
      database.query(fmt::format("SELECT {} FROM {}", joined(counts), source.relation()))[0];
  std::string found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t count = std::stoull(row[i].value_or("0"));
    if (count == 0) continue;
    found +=
        fmt::format("{}{} in {}", found.empty() ? "" : ", ", with_commas(count), shown(columns[i]));
  }
  if (!found.empty()) {
    throw UserError(fmt::format("{} has missing values: {}; {}", source.name(), found, advice));
  }
}

Collected collect(Database& database, const Source& source, const Columns& columns,
                  const CellRowsOptions& options, const NullPolicy& nulls) {
  Aggregation shared{.options = options, .finished = {}, .mutex = {}};
  register_aggregation(database, shared);
  std::vector<std::string> groups;
  std::vector<std::string> texts;
  for (const std::string& attribute : columns.attributes()) {
    groups.push_back(identifier(attribute));
    texts.push_back(as_text(attribute, nulls));
  }
  std::vector<std::string> numbers = {
      as_number(source.column(columns.score, "--score"), columns.decisions)};
  if (columns.label) {
    const std::string label = as_number(source.column(*columns.label, "--label"), true);
    numbers.push_back(columns.label_is_harm ? fmt::format("1 - ({})", label) : label);
  }
  if (columns.weight) {
    numbers.push_back(as_number(source.column(*columns.weight, "--weight"), false));
  }
  // Grouped as they are, and turned into text when there are few.
  const std::string state = identifier(source.free_name());
  texts.push_back(fmt::format("CAST({} AS VARCHAR)", state));
  const std::string by = groups.empty() ? "" : " GROUP BY " + joined(groups);
  groups.push_back(fmt::format("evenhand_tally({}) AS {}", joined(numbers), state));
  std::vector<Row> rows;
  try {
    rows = database.query(fmt::format("SELECT {} FROM (SELECT {} FROM {}{})", joined(texts),
                                      joined(groups), source.relation(), by),
                          "reading");
  } catch (const UserError& error) {
    source.rethrow_named([&] { explain(database, source, columns, options.reading); });
    throw UserError(fmt::format("{}: {}", source.name(), error.what()));
  }
  std::map<std::vector<std::string>, std::vector<Part*>> cells;
  std::uint64_t missing = 0;
  for (const Row& row : rows) {
    Part* const part = shared.finished.at(std::stoull(row.back().value())).get();
    if (!part) continue;
    missing += part->missing;
    const bool unnamed =
        std::any_of(row.begin(), row.end(), [](const Cell& text) { return !text; });
    if (unnamed) {
      missing += part->rows.rows();
    } else if (part->rows.rows() > 0) {
      std::vector<std::string> values;
      for (std::size_t i = 0; i + 1 < row.size(); ++i) values.push_back(*row[i]);
      cells[values].push_back(part);
    }
  }
  if (missing > 0 && nulls.kind != NullPolicy::Kind::exclude) {
    std::vector<std::string> used = columns.attributes();
    if (nulls.kind == NullPolicy::Kind::name) used.clear();
    used.push_back(columns.score);
    if (columns.label) used.push_back(*columns.label);
    if (columns.weight) used.push_back(*columns.weight);
    throw_if_missing(database, source, used,
                     "leave such rows out with --null exclude, or name missing groups with --null "
                     "NAME");
  }
  std::vector<std::vector<std::string>> values;
  std::vector<CellRows> all;
  std::uint64_t counted = 0;
  for (auto& [cell, parts] : cells) {  // several where different values have the same text
    for (std::size_t i = 1; i < parts.size(); ++i) {
      parts[0]->rows.absorb(std::move(parts[i]->rows));
    }
    counted += parts[0]->rows.rows();
    values.push_back(cell);
    all.push_back(std::move(parts[0]->rows));
  }
  if (counted == 0) {
    throw UserError(fmt::format("{} has no rows{}", source.name(),
                                missing > 0 ? " without missing values" : ""));
  }
  Tally tally = [&] {
    try {
      return tally_of(CellNames(columns.attributes(), values), all, options);
    } catch (const std::invalid_argument& error) {
      throw UserError(fmt::format("{}: {}", source.name(), error.what()));
    }
  }();
  if (columns.decisions && !only_zero_and_one(tally)) {
    explain(database, source, columns, options.reading);
  }
  return {std::move(tally), counted, missing};
}

}  // namespace evenhand::cli
