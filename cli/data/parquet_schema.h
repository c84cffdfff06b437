// The columns of Parquet files, before DuckDB makes one table of them.
#pragma once

#include <string>
#include <vector>

#include "data/database.h"
#include "data/input.h"

namespace evenhand::cli {

// Their names as the first file has them. Throws UserError for files whose columns have different
// names or types, unless whole numbers of several sizes, and for decimals that DuckDB would round.
std::vector<std::string> parquet_names(Database& database, const Input& input);

}  // namespace evenhand::cli
