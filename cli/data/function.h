// Scalar functions of our own in DuckDB.
#pragma once

#include <span>
#include <string>

#include "data/database.h"

namespace evenhand::cli {

// A type of DuckDB's that frees itself.
struct Type {
  explicit Type(duckdb_type type) : handle(duckdb_create_logical_type(type)) {}
  explicit Type(duckdb_logical_type type) : handle(type) {}
  ~Type() { duckdb_destroy_logical_type(&handle); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  duckdb_logical_type handle;
};

// Missing values come to it, too. `extra` is what duckdb_scalar_function_get_extra_info gives.
void add_function(Database& database, const std::string& name,
                  std::span<const duckdb_type> parameters, const Type& result,
                  duckdb_scalar_function_t function, void* extra);

}  // namespace evenhand::cli
