#include "data/decide_function.h"

#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "data/function.h"
#include "data/sql.h"
#include "error.h"

namespace evenhand::cli {
namespace {

// The values of one attribute that the rule knows, by their order.
using KnownValues = std::unordered_map<std::string, std::int32_t>;

constexpr std::int32_t unknown_value = -1;
constexpr std::string_view value_function = "evenhand_value_";
constexpr std::string_view decide_function = "evenhand_decide";

bool is_missing(const std::uint64_t* validity, idx_t row) {
  return validity && !duckdb_validity_row_is_valid(const_cast<std::uint64_t*>(validity), row);
}

bool any_missing(const std::uint64_t* validity, idx_t rows) {
  for (idx_t row = 0; validity && row < rows; ++row) {
    if (is_missing(validity, row)) return true;
  }
  return false;
}

// A function of one column runs once for each entry of a Parquet dictionary, which may hold values
// that no row has: so unknown ones are no error here.
void find_values(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& known = *static_cast<const KnownValues*>(duckdb_scalar_function_get_extra_info(info));
  const duckdb_vector vector = duckdb_data_chunk_get_vector(input, 0);
  auto* const texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
  const auto* const validity = duckdb_vector_get_validity(vector);
  auto* const out = static_cast<std::int32_t*>(duckdb_vector_get_data(output));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  try {
    std::string text;
    std::int32_t last = unknown_value;
    for (idx_t row = 0; row < rows; ++row) {
      if (is_missing(validity, row)) {
        out[row] = unknown_value;
        continue;
      }
      const std::string_view value(duckdb_string_t_data(&texts[row]),
                                   duckdb_string_t_length(texts[row]));
      if (row == 0 || value != text) {  // neighbours are often alike
        text = value;
        const auto found = known.find(text);
        last = found == known.end() ? unknown_value : found->second;
      }
      out[row] = last;
    }
  } catch (const std::exception& error) {
    duckdb_scalar_function_set_error(info, error.what());
  }
}

const CellNames& cells_of(const AnyRule& rule) {
  const auto* const soft = std::get_if<SoftRule>(&rule);
  return soft ? soft->parts().strata : std::get<Rule>(rule).cells();
}

const Reading& reading_of(const AnyRule& rule) {
  const auto* const soft = std::get_if<SoftRule>(&rule);
  return soft ? soft->parts().reading : std::get<Rule>(rule).parts().reading;
}

std::size_t soft_columns_of(const AnyRule& rule) {
  const auto* const soft = std::get_if<SoftRule>(&rule);
  return soft ? soft->parts().columns.size() : 0;
}

// The numbers of some rows: the score, then a soft rule's columns.
using NumberVectors = std::vector<const double*>;

void probabilities(const SoftRule& rule, const std::vector<CellCode>& strata,
                   const NumberVectors& numbers, Unseen unseen, std::span<double> out) {
  const SoftRuleParts& parts = rule.parts();
  std::vector<double> columns(parts.columns.size());
  for (std::size_t row = 0; row < out.size(); ++row) {
    const double p = parts.reading.probability(parts.reading.turn(numbers[0][row]));
    const double h = benefit(p, parts.costs);
    if (strata[row] == unseen_cell) {
      out[row] = unseen == Unseen::score && h > 0 ? 1 : 0;
      continue;
    }
    for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = numbers[1 + j][row];
    out[row] = rule.response(strata[row], h, columns);
  }
}

}  // namespace

struct DecideFunction::State {
  const AnyRule& rule;
  const Coin& coin;
  Id id;
  Unseen unseen;
  std::vector<KnownValues> values;  // of each attribute
  // The cell of a combination of values: by a mixed-radix number where that is small.
  std::vector<CellCode> cells;
  std::map<std::vector<std::int32_t>, CellCode> sparse_cells;
  std::atomic<Trouble> trouble = Trouble::none;
  std::atomic<std::uint64_t> rows = 0, positive = 0, by_lot = 0, unseen_rows = 0;

  State(const AnyRule& rule_, const Coin& coin_, Id id_, Unseen unseen_)
      : rule(rule_), coin(coin_), id(id_), unseen(unseen_) {
    const CellNames& names = cells_of(rule);
    values.resize(names.attributes().size());
    for (CellCode c = 0; c < names.size(); ++c) {
      for (std::size_t a = 0; a < values.size(); ++a) {
        values[a].try_emplace(names.values(c)[a], static_cast<std::int32_t>(values[a].size()));
      }
    }
    constexpr std::size_t most = std::size_t{1} << 22U;
    std::size_t combinations = 1;
    for (const KnownValues& known : values) {
      combinations = combinations <= most ? combinations * known.size() : combinations;
    }
    if (combinations <= most) cells.assign(combinations, unseen_cell);
    for (CellCode c = 0; c < names.size(); ++c) {
      std::vector<std::int32_t> key;
      for (std::size_t a = 0; a < values.size(); ++a) {
        key.push_back(values[a].at(names.values(c)[a]));
      }
      if (combinations <= most) {
        std::size_t at = 0;
        for (std::size_t a = 0; a < key.size(); ++a) {
          at = at * values[a].size() + static_cast<std::size_t>(key[a]);
        }
        cells[at] = c;
      } else {
        sparse_cells.emplace(key, c);
      }
    }
  }

  CellCode cell_at(const std::vector<const std::int32_t*>& columns, idx_t row) const {
    if (!cells.empty()) {
      std::size_t at = 0;
      for (std::size_t a = 0; a < columns.size(); ++a) {
        const std::int32_t value = columns[a][row];
        if (value < 0) return unseen_cell;
        at = at * values[a].size() + static_cast<std::size_t>(value);
      }
      return cells[at];
    }
    std::vector<std::int32_t> key;
    for (const std::int32_t* column : columns) key.push_back(column[row]);
    const auto found = sparse_cells.find(key);
    return found == sparse_cells.end() ? unseen_cell : found->second;
  }

  double coin_of(duckdb_string_t* texts, const std::int64_t* numbers, idx_t row) const {
    if (id == Id::text) {
      return coin(
          std::string_view(duckdb_string_t_data(&texts[row]), duckdb_string_t_length(texts[row])));
    }
    if (id == Id::position) return coin(static_cast<std::uint64_t>(numbers[row]));
    std::array<char, 24> digits{};
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), numbers[row]);
    return coin(std::string_view(digits.data(), end));
  }

  void stop(duckdb_function_info info, Trouble why) {
    trouble.store(why);
    duckdb_scalar_function_set_error(info, "a row cannot be decided");
  }

  void decide(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    const idx_t count = duckdb_data_chunk_get_size(input);
    const auto vector = [&](idx_t i) { return duckdb_data_chunk_get_vector(input, i); };
    std::vector<const std::int32_t*> columns;
    for (idx_t a = 0; a < values.size(); ++a) {
      columns.push_back(static_cast<const std::int32_t*>(duckdb_vector_get_data(vector(a))));
    }
    NumberVectors numbers;
    std::vector<const std::uint64_t*> valid_numbers;
    const std::size_t soft = soft_columns_of(rule);
    for (idx_t j = 0; j < 1 + soft; ++j) {
      const duckdb_vector at = vector(values.size() + j);
      numbers.push_back(static_cast<const double*>(duckdb_vector_get_data(at)));
      valid_numbers.push_back(duckdb_vector_get_validity(at));
    }
    const double* const scores = numbers[0];
    const duckdb_vector id_vector = vector(values.size() + 1 + soft);
    const auto* const id_validity = duckdb_vector_get_validity(id_vector);
    std::vector<CellCode> codes(count);
    std::uint64_t never_seen = 0;
    const Reading& reading = reading_of(rule);
    const double lowest = reading.lowest();
    const double highest = reading.highest();
    bool good = !any_missing(valid_numbers[0], count);
    for (idx_t row = 0; row < count; ++row) {
      const double x = reading.turn(scores[row]);
      good &= x >= lowest && x <= highest;
    }
    for (std::size_t j = 1; j <= soft; ++j) {
      good &= !any_missing(valid_numbers[j], count);
      for (idx_t row = 0; row < count; ++row) {
        good &= numbers[j][row] >= 0 && numbers[j][row] <= 1;
      }
    }
    if (!good) return stop(info, Trouble::number);
    if (any_missing(id_validity, count)) return stop(info, Trouble::id);
    for (idx_t row = 0; row < count; ++row) {
      codes[row] = cell_at(columns, row);
      if (codes[row] == unseen_cell) ++never_seen;
    }
    if (never_seen > 0 && unseen == Unseen::error) return stop(info, Trouble::unseen);
    auto* const q =
        static_cast<double*>(duckdb_vector_get_data(duckdb_struct_vector_get_child(output, 0)));
    auto* const decision = static_cast<std::int8_t*>(
        duckdb_vector_get_data(duckdb_struct_vector_get_child(output, 1)));
    if (soft > 0) {
      probabilities(std::get<SoftRule>(rule), codes, numbers, unseen, {q, count});
    } else {
      std::get<Rule>(rule).probability(codes, {scores, count}, {q, count}, unseen);
    }
    auto* const texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(id_vector));
    const auto* const whole = static_cast<const std::int64_t*>(duckdb_vector_get_data(id_vector));
    std::uint64_t lots = 0;
    std::uint64_t yes = 0;
    for (idx_t row = 0; row < count; ++row) {
      if (id == Id::text && duckdb_string_t_length(texts[row]) == 0) {
        return stop(info, Trouble::id);
      }
      bool accepted = q[row] >= 1;
      if (q[row] > 0 && q[row] < 1) {
        ++lots;
        accepted = coin_of(texts, whole, row) < q[row];
      }
      decision[row] = accepted ? 1 : 0;
      yes += accepted ? 1 : 0;
    }
    rows += count;
    by_lot += lots;
    positive += yes;
    unseen_rows += never_seen;
  }
};

namespace {

void decide_rows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  auto& state = *static_cast<DecideFunction::State*>(duckdb_scalar_function_get_extra_info(info));
  try {
    state.decide(info, input, output);
  } catch (const std::exception& error) {
    duckdb_scalar_function_set_error(info, error.what());
  }
}

}  // namespace

DecideFunction::DecideFunction(Database& database, const AnyRule& rule, const Coin& coin, Id id,
                               Unseen unseen)
    : state_(std::make_unique<State>(rule, coin, id, unseen)) {
  const Type integer(DUCKDB_TYPE_INTEGER);
  std::vector<duckdb_type> parameters;
  for (std::size_t a = 0; a < state_->values.size(); ++a) {
    const std::array text = {DUCKDB_TYPE_VARCHAR};
    add_function(database, fmt::format("{}{}", value_function, a), text, integer, find_values,
                 &state_->values[a]);
    parameters.push_back(DUCKDB_TYPE_INTEGER);
  }
  parameters.insert(parameters.end(), 1 + soft_columns_of(rule), DUCKDB_TYPE_DOUBLE);
  parameters.push_back(id == Id::text ? DUCKDB_TYPE_VARCHAR : DUCKDB_TYPE_BIGINT);
  const Type probability(DUCKDB_TYPE_DOUBLE);
  const Type decision(DUCKDB_TYPE_TINYINT);
  std::array members = {probability.handle, decision.handle};
  std::array names = {"probability", "decision"};
  const Type both(duckdb_create_struct_type(members.data(), names.data(), members.size()));
  add_function(database, std::string(decide_function), parameters, both, decide_rows, state_.get());
}

DecideFunction::~DecideFunction() = default;

std::string DecideFunction::call(std::span<const std::string> attributes,
                                 std::span<const std::string> numbers,
                                 const std::string& id) const {
  std::vector<std::string> arguments;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    arguments.push_back(fmt::format("{}{}({})", value_function, a, attributes[a]));
  }
  arguments.insert(arguments.end(), numbers.begin(), numbers.end());
  arguments.push_back(id);
  return fmt::format("{}({})", decide_function, joined(arguments));
}

DecideFunction::Trouble DecideFunction::trouble() const noexcept {
  return state_->trouble.load();
}
std::uint64_t DecideFunction::rows() const noexcept {
  return state_->rows.load();
}
std::uint64_t DecideFunction::positive() const noexcept {
  return state_->positive.load();
}
std::uint64_t DecideFunction::by_lot() const noexcept {
  return state_->by_lot.load();
}
std::uint64_t DecideFunction::unseen() const noexcept {
  return state_->unseen_rows.load();
}

}  // namespace evenhand::cli
