// Rows into a tally, in one pass over the data on all cores.
#pragma once

#include <evenhand/cell_rows.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/database.h"
#include "data/source.h"

namespace evenhand::cli {

// Which columns of the data mean what.
struct Columns {
  std::string score;
  bool decisions = false;  // the score is a decision, 0 or 1
  std::vector<std::string> sensitive;
  std::vector<std::string> within;
  std::optional<std::string> label;
  std::optional<std::string> weight;
  bool label_is_harm = false;  // count the label 0 as the favourable outcome

  std::vector<std::string> attributes() const;  // sensitive, then within
};

// What becomes of rows with a missing value.
struct NullPolicy {
  enum class Kind { error, exclude, name } kind = Kind::error;
  std::string name = {};  // of a missing attribute; a missing number is still an error

  static NullPolicy from(std::string_view text);  // "error", "exclude", or a name
  std::string text() const;
};

struct Collected {
  Tally tally;
  std::uint64_t rows = 0;      // counted
  std::uint64_t excluded = 0;  // left out because of a missing value
};

// Throws UserError that says which row is wrong and why, or how many values are missing.
Collected collect(Database& database, const Source& source, const Columns& columns,
                  const CellRowsOptions& options, const NullPolicy& nulls);

// The column as DOUBLE: of texts, "true" and "false" are 1 and 0 where `truth` says so.
std::string as_number(const Column& column, bool truth, std::string_view cast = "CAST");
// The attribute as text, a missing one by its name.
std::string as_text(std::string_view column, const NullPolicy& nulls);

// Says which row has a bad value in `column`; returns if none has.
struct ValueCheck {
  std::string what;  // "score"
  const Column& column;
  bool truth = false;     // reads "true" and "false"
  std::string is_bad;     // SQL about a number d
  std::string complaint;  // "is outside [0, 1]"
};
void throw_if_bad(Database& database, const Source& source, const ValueCheck& check);
ValueCheck score_check(const Column& column, const Reading& reading);
ValueCheck probability_check(const Column& column);
ValueCheck zero_or_one_check(std::string what, const Column& column);
std::vector<ValueCheck> weight_checks(const Column& column);
void throw_if_missing(Database& database, const Source& source,
                      const std::vector<std::string>& columns, std::string_view advice);

}  // namespace evenhand::cli
