// A rule as functions of DuckDB.
#pragma once

#include <evenhand/coin.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "data/database.h"
#include "data/rule_file.h"

namespace evenhand::cli {

// Lives as long as queries use it. Counts what it decides; stops the query at the first row that
// cannot be decided, and remembers why.
class DecideFunction {
 public:
  enum class Id { text, whole_number, position };
  DecideFunction(Database& database, const AnyRule& rule, const Coin& coin, Id id, Unseen unseen);
  ~DecideFunction();

  // SQL that gives a STRUCT of probability and decision. `attributes` are SQL of type VARCHAR, in
  // the rule's order, `numbers` of DOUBLE: the score, then a soft rule's columns; `id` of VARCHAR,
  // or BIGINT for whole numbers and positions: only where a coin is thrown do they become text.
  std::string call(std::span<const std::string> attributes, std::span<const std::string> numbers,
                   const std::string& id) const;

  enum class Trouble { none, unseen, number, id };
  Trouble trouble() const noexcept;
  std::uint64_t rows() const noexcept;
  std::uint64_t positive() const noexcept;
  std::uint64_t by_lot() const noexcept;
  std::uint64_t unseen() const noexcept;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace evenhand::cli
