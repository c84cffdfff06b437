// How a CSV file is written, by its first line. DuckDB is told, and guesses nothing: its guesses
// depend on the compression, and may drop rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenhand::cli {

struct CsvDialect {
  std::string delimiter;            // a comma if there is one name only
  std::string line_end;             // of the first line, which may have others inside quotes
  std::vector<std::string> header;  // its names

  friend bool operator==(const CsvDialect&, const CsvDialect&) = default;
};

// Of a file that begins so, and is longer unless `whole`. Throws UserError that begins with `name`.
CsvDialect csv_dialect(std::string_view start, bool whole, const std::string& name);

}  // namespace evenhand::cli
