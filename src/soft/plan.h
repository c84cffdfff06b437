// What a criterion of soft groups asks for, and which columns and prices that takes.
#pragma once

#include <evenhand/criterion.h>
#include <evenhand/soft.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace evenhand::soft {

// One rate of those who belong to a group, against that of the others.
struct Compared {
  Rate rate = Rate::selection;
  std::string column;
  // Of the rule's columns; none: it is what the columns of this list leave of 1.
  std::optional<std::size_t> at;
  std::vector<std::size_t> list;    // the others of exhaustive columns
  std::vector<std::size_t> prices;  // those that keep its rates together
};

Given given_of(Rate rate) noexcept;

struct Plan {
  const CriterionName* criterion = nullptr;
  double tolerance = 0;
  double ratio = 1;                 // of four-fifths
  std::vector<SoftColumn> columns;  // the rule's
  std::vector<SoftColumn> all;      // those that must be right, too
  std::vector<SoftPrice> prices;
  std::vector<Compared> compared;

  bool by_ratio() const noexcept { return criterion->relation == Relation::ratio; }
  // Rates may differ: sums have bounds instead of one value.
  bool bounded() const noexcept { return by_ratio() || tolerance > 0; }
  // By how much these two miss what is asked for.
  double violation(double rate, double others) const noexcept;
};

// Throws std::invalid_argument for a criterion, options or columns that do not go together.
Plan plan_for(const SoftRows& rows, const SoftOptions& options);

}  // namespace evenhand::soft
