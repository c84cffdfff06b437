#include "data/function.h"

#include "error.h"

namespace evenhand::cli {

void add_function(Database& database, const std::string& name,
                  std::span<const duckdb_type> parameters, const Type& result,
                  duckdb_scalar_function_t function, void* extra) {
  duckdb_scalar_function made = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(made, name.c_str());
  for (const duckdb_type parameter : parameters) {
    const Type type(parameter);
    duckdb_scalar_function_add_parameter(made, type.handle);
  }
  duckdb_scalar_function_set_return_type(made, result.handle);
  duckdb_scalar_function_set_special_handling(made);
  duckdb_scalar_function_set_function(made, function);
  duckdb_scalar_function_set_extra_info(made, extra, nullptr);
  const duckdb_state state = duckdb_register_scalar_function(database.connection(), made);
  duckdb_destroy_scalar_function(&made);
  if (state == DuckDBError) throw Failure("DuckDB does not take the function " + name);
}

}  // namespace evenhand::cli
