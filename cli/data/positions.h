// The rows of an input with their positions, from 0, for coins that follow these.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "data/database.h"
#include "data/input.h"
#include "data/source.h"

namespace evenhand::cli {

// Parquet files count their rows, so that threads can share them; rows of text have to be counted
// one after the other. A SELECT has no order to count by: all its positions are 0. Lives as long as
// queries use it.
class Positions {
 public:
  Positions(Database& database, const Input& input, const Source& source);

  const std::string& sql() const noexcept { return sql_; }  // of type BIGINT
  // The rows with one more column, whose name follows; both empty where the rows are as they were.
  const std::string& relation() const noexcept { return relation_; }
  const std::string& column() const noexcept { return column_; }

  // How many rows there are in the files before one.
  using Starts = std::unordered_map<std::string, std::int64_t>;

 private:
  std::string sql_ = "row_number() OVER () - 1";
  std::string relation_;
  std::string column_;
  std::unique_ptr<Starts> starts_;
};

}  // namespace evenhand::cli
