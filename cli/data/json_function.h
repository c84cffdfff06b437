// The members of a JSON object as they stand in the file: DuckDB's own reader guesses types, and
// rounds what does not fit its guess.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/database.h"

namespace evenhand::cli {

// evenhand_texts(object), a struct with the text of each member: a string without its quotes and
// escapes, anything else as it is written, NULL for null and for a member that is not there. And
// evenhand_raws(object), the same as JSON. The fields are called k0, k1, ... in the order of
// `keys`. Must outlive the queries that call them.
class JsonFunctions {
 public:
  JsonFunctions(Database& database, const std::vector<std::string>& keys);
  ~JsonFunctions();
  JsonFunctions(JsonFunctions&&) noexcept;
  JsonFunctions& operator=(JsonFunctions&&) noexcept;

  struct Function;

 private:
  std::unique_ptr<Function> texts_;
  std::unique_ptr<Function> raws_;
};

}  // namespace evenhand::cli
