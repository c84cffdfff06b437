// Are soft columns what they claim to be? Where the true group of some people is known, this
// measures it.
#pragma once

#include <evenhand/criterion.h>
#include <evenhand/soft_rule.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// What every figure of soft groups takes for granted, as front ends say it beside such figures:
// among people with the same score and columns, each column is the share who belong.
// For rates given the outcome, more: unless the columns are given it, too, group and outcome are
// independent among such people.
std::string_view soft_assumption(std::span<const Rate> rates = {},
                                 bool given_outcome = false) noexcept;

// One column against the truth.
struct SoftCheckedColumn {
  std::string column;
  std::string value;  // of the true group: the longest that the column's name ends with
  // By tenths of the rows in the order of their scores: |mean of the column - share who belong|.
  std::vector<double> off;
  double worst = 0;            // the largest of these
  std::optional<double> rate;  // true selection rate of those who belong, and of the others
  std::optional<double> others;
};

// The largest true difference of a rate given the outcome; none: nobody to compare.
struct SoftTrueDifference {
  Rate of = Rate::true_positive;
  std::optional<double> difference;
};

struct SoftCheck {
  double rows = 0;  // whose group is known
  std::vector<SoftCheckedColumn> columns;
  std::vector<SoftTrueDifference> given_outcome;  // if there were labels

  static constexpr double warn_above = 0.05;
  bool calibrated() const noexcept;                  // no column is off by more
  std::optional<double> largest_difference() const;  // the true one, between those and the others
};

// What really happened, for rates given the outcome.
struct SoftOutcomes {
  std::span<const double> label = {};  // 0 or 1, as the data have it; none: nothing is known
  Favorable favorable = Favorable::high;
  std::span<const Rate> rates = {};  // that the criterion compares
};

// `truth` has the true group of every row, empty where it is not known; `q` the probabilities of a
// positive decision. Throws std::invalid_argument for columns of different lengths, a column whose
// name ends with none of the true groups, and if nobody's group is known.
SoftCheck check_soft(const SoftRows& rows, std::span<const std::string> truth,
                     std::span<const double> q, std::span<const double> weight = {},
                     const SoftOutcomes& outcomes = {});

}  // namespace evenhand
