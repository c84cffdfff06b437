#include "data/tally_function.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "error.h"

namespace evenhand::cli {
namespace {

using State = TallyPart*;

State& part_of(duckdb_aggregate_state state) {
  return *reinterpret_cast<State*>(state);
}

TallyFunction& function_of(duckdb_function_info info) {
  return *static_cast<TallyFunction*>(duckdb_aggregate_function_get_extra_info(info));
}

struct NumberVector {
  const double* data;
  std::uint64_t* validity;

  NumberVector(duckdb_data_chunk chunk, idx_t column) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, column);
    data = static_cast<const double*>(duckdb_vector_get_data(vector));
    validity = duckdb_vector_get_validity(vector);
  }
  bool missing(idx_t row) const { return validity && !duckdb_validity_row_is_valid(validity, row); }
};

// The numbers of a chunk, and which of them are allowed.
struct Numbers {
  NumberVector scores, labels, weights;
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
    if (!part) part = new TallyPart(options);
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
  TallyFunction& shared = function_of(info);
  const CellRowsOptions& options = shared.options;
  try {
    const idx_t rows = duckdb_data_chunk_get_size(input);
    const Numbers numbers(input, options);
    const auto add = options.labelled
                         ? (options.weighted ? add_rows<true, true> : add_rows<true, false>)
                         : (options.weighted ? add_rows<false, true> : add_rows<false, false>);
    if (!add(numbers, states, rows, options)) {
      duckdb_aggregate_function_set_error(info, "a bad value");
      return;
    }
    // One part for each chunk: a row's, so that those that grow are looked at most.
    if (rows > 0) shared.note(*part_of(states[shared.chunks++ % rows]));
    if (shared.too_large()) duckdb_aggregate_function_set_error(info, "too large");
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
      target->noted += std::exchange(source->noted, 0);
      target->rows.absorb(std::move(source->rows));
    }
  } catch (const std::exception& error) {
    duckdb_aggregate_function_set_error(info, error.what());
  }
}

void finalize(duckdb_function_info info, duckdb_aggregate_state* sources, duckdb_vector result,
              idx_t count, idx_t offset) {
  TallyFunction& shared = function_of(info);
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

}  // namespace

void TallyFunction::note(TallyPart& part) {
  const std::size_t now = part.rows.peak_bytes();
  bytes += now - std::exchange(part.noted, now);  // it wraps where a part has become smaller
}

void TallyFunction::add_to(Database& database) {
  duckdb_aggregate_function function = duckdb_create_aggregate_function();
  duckdb_aggregate_function_set_name(function, "evenhand_tally");
  duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
  duckdb_logical_type index = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
  const int parameters = 1 + (options.labelled ? 1 : 0) + (options.weighted ? 1 : 0);
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
  duckdb_aggregate_function_set_extra_info(function, this, nullptr);
  const duckdb_state state = duckdb_register_aggregate_function(database.connection(), function);
  duckdb_destroy_logical_type(&number);
  duckdb_destroy_logical_type(&index);
  duckdb_destroy_aggregate_function(&function);
  if (state == DuckDBError) throw Failure("DuckDB does not take the function evenhand_tally");
}

}  // namespace evenhand::cli
