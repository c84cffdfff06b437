// Values of a column as numbers and texts, and what may be wrong with them.
#pragma once

#include <evenhand/scale.h>

#include <string>
#include <string_view>
#include <vector>

#include "data/database.h"
#include "data/source.h"

namespace evenhand::cli {

// What becomes of rows with a missing value.
struct NullPolicy {
  enum class Kind { error, exclude, name } kind = Kind::error;
  std::string name = {};  // of a missing attribute; a missing number is still an error

  static NullPolicy from(std::string_view text);  // "error", "exclude", or a name
  std::string text() const;
};

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
  bool share = false;     // of 1: may have been meant in percent
};
void throw_if_bad(Database& database, const Source& source, const ValueCheck& check);
ValueCheck score_check(const Column& column, const Reading& reading);
ValueCheck probability_check(const Column& column);
ValueCheck zero_or_one_check(std::string what, const Column& column);
std::vector<ValueCheck> weight_checks(const Column& column);
void throw_if_missing(Database& database, const Source& source,
                      const std::vector<std::string>& columns, std::string_view advice);

}  // namespace evenhand::cli
