#include "data/rows.h"

#include <stdexcept>

#include <fmt/format.h>

#include "data/sql.h"
#include "error.h"

namespace evenhand::cli {

std::uint32_t Rows::Dictionary::code_of(const std::string& text) {
  const auto [at, added] = codes.try_emplace(text, static_cast<std::uint32_t>(texts.size()));
  if (added) texts.push_back(text);
  return at->second;
}

Rows::Rows(Database& database, const Source& source, RowQuery query)
    : database_(database), source_(source), query_(std::move(query)) {
  texts_.resize(query_.attributes.size());
  std::vector<std::string> selected;
  std::vector<std::string> needed;  // columns that may not be missing
  for (const NumberColumn& number : query_.numbers) {
    selected.push_back(as_number(number.column, number.truth));
    needed.push_back(number.column.name);
  }
  for (const std::string& attribute : query_.attributes) {
    selected.push_back(as_text(attribute, query_.nulls));
    const bool named = query_.nulls.kind == NullPolicy::Kind::name;
    if (!named && !query_.keeps_missing) needed.push_back(attribute);
  }
  sql_ = fmt::format("SELECT {} FROM {}", joined(selected), source.relation());
  if (query_.nulls.kind != NullPolicy::Kind::exclude) {
    throw_if_missing(database, source, needed,
                     "leave such rows out with --null exclude, or name missing groups with --null "
                     "NAME");
    return;
  }
  std::vector<std::string> conditions;
  for (const std::string& column : needed)
    conditions.push_back(identifier(column) + " IS NOT NULL");
  complete_ = joined(conditions, " AND ");
  excluded_ = std::stoull(
      database
          .query(fmt::format("SELECT CAST(count(*) FILTER (NOT ({})) AS VARCHAR) FROM {}",
                             complete_, source.relation()))[0][0]
          .value_or("0"));
  sql_ += " WHERE " + complete_;
}

void Rows::visit(std::string_view doing, const std::function<void(const RowBatch&)>& take) {
  try {
    database_.stream_chunks(sql_, doing, [&](duckdb_data_chunk chunk) { take(batch_of(chunk)); });
  } catch (const UserError& error) {
    explain();
    throw UserError(fmt::format("{}: {}", source_.name(), error.what()));
  } catch (const std::invalid_argument&) {
    explain();
    throw;
  }
}

void Rows::explain() const {
  source_.rethrow_named([&] {
    for (const NumberColumn& number : query_.numbers) {
      for (const ValueCheck& check : number.checks) throw_if_bad(database_, source_, check);
    }
  });
}

RowBatch Rows::batch_of(duckdb_data_chunk chunk) {
  RowBatch out;
  out.size = duckdb_data_chunk_get_size(chunk);
  for (std::size_t i = 0; i < query_.numbers.size(); ++i) {
    const auto* const values =
        static_cast<const double*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, i)));
    out.numbers.emplace_back(values, out.size);
  }
  for (std::size_t a = 0; a < texts_.size(); ++a) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, query_.numbers.size() + a);
    auto* const texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
    std::uint64_t* const validity = duckdb_vector_get_validity(vector);
    std::vector<std::uint32_t>& codes = out.codes.emplace_back(out.size);
    std::string text;
    for (std::size_t row = 0; row < out.size; ++row) {
      if (validity && !duckdb_validity_row_is_valid(validity, row)) {
        codes[row] = missing_text;
        continue;
      }
      const std::string_view value(duckdb_string_t_data(&texts[row]),
                                   duckdb_string_t_length(texts[row]));
      if (row == 0 || codes[row - 1] == missing_text || value != text) {  // often alike
        text = value;
        codes[row] = texts_[a].code_of(text);
      } else {
        codes[row] = codes[row - 1];
      }
    }
  }
  return out;
}

void throw_no_rows(const Source& source, std::uint64_t excluded) {
  throw UserError(fmt::format("{} has no rows{}", source.name(),
                              excluded > 0 ? " without missing values" : ""));
}

RowTable all_rows(Rows& rows, std::string_view doing) {
  RowTable out;
  rows.visit(doing, [&](const RowBatch& batch) {
    out.numbers.resize(batch.numbers.size());
    out.codes.resize(batch.codes.size());
    for (std::size_t i = 0; i < batch.numbers.size(); ++i) {
      out.numbers[i].insert(out.numbers[i].end(), batch.numbers[i].begin(), batch.numbers[i].end());
    }
    for (std::size_t a = 0; a < batch.codes.size(); ++a) {
      out.codes[a].insert(out.codes[a].end(), batch.codes[a].begin(), batch.codes[a].end());
    }
    out.size += batch.size;
  });
  return out;
}

}  // namespace evenhand::cli
