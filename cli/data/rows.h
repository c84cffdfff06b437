// Rows one after the other, for work that a tally cannot do.
#pragma once

#include <evenhand/cells.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/collect.h"
#include "data/database.h"
#include "data/source.h"

namespace evenhand::cli {

// The code of a text that is missing.
inline constexpr std::uint32_t missing_text = std::numeric_limits<std::uint32_t>::max();

// A column of numbers.
struct NumberColumn {
  const Column& column;
  bool truth = false;              // reads "true" and "false"
  std::vector<ValueCheck> checks;  // what may be wrong with a value
};

struct RowQuery {
  std::vector<NumberColumn> numbers;
  std::vector<std::string> attributes;  // columns that are read as text
  NullPolicy nulls = {};
  bool keeps_missing = false;  // where `nulls` has no name, missing attributes are missing_text
};

// Some rows, in their order.
struct RowBatch {
  std::size_t size = 0;
  std::vector<std::span<const double>> numbers;   // the values of each number column
  std::vector<std::vector<std::uint32_t>> codes;  // of each attribute's, in Rows::dictionary
};

class Rows {
 public:
  // Throws UserError if values are missing, unless `nulls` says what to do with them.
  Rows(Database& database, const Source& source, RowQuery query);

  std::uint64_t excluded() const noexcept { return excluded_; }
  // SQL: whether a row is one of those that are visited.
  const std::string& complete() const noexcept { return complete_; }

  // Once through all rows, as often as wanted. Throws UserError for what is wrong with a value;
  // what `take` throws as std::invalid_argument is taken for a sign of that.
  void visit(std::string_view doing, const std::function<void(const RowBatch&)>& take);

  // The texts of an attribute that were seen so far.
  const std::vector<std::string>& dictionary(std::size_t attribute) const {
    return texts_[attribute].texts;
  }

  // Throws UserError that names the first row with something wrong; returns if there is none.
  void explain() const;

 private:
  struct Dictionary {
    std::vector<std::string> texts;
    std::unordered_map<std::string, std::uint32_t> codes;

    std::uint32_t code_of(const std::string& text);
  };
  RowBatch batch_of(duckdb_data_chunk chunk);

  Database& database_;
  const Source& source_;
  RowQuery query_;
  std::string sql_;
  std::string complete_ = "true";
  std::uint64_t excluded_ = 0;
  std::vector<Dictionary> texts_;  // of each attribute
};

// For data without a row to visit.
[[noreturn]] void throw_no_rows(const Source& source, std::uint64_t excluded);

// All of them at once.
struct RowTable {
  std::vector<std::vector<double>> numbers;       // by column
  std::vector<std::vector<std::uint32_t>> codes;  // by attribute
  std::size_t size = 0;
};
RowTable all_rows(Rows& rows, std::string_view doing);

}  // namespace evenhand::cli
