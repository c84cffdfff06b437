#include "rule/soft_columns.h"

#include <evenhand/bad_row.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {

void check_soft_names(const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty()) throw std::invalid_argument("a soft column has an empty name");
    if (first_invalid_utf8(name) != std::string_view::npos) {
      throw std::invalid_argument("the name of a soft column is not valid UTF-8");
    }
    if (!seen.insert(name).second) {
      throw std::invalid_argument(
          fmt::format("the soft column {} is given twice", quoted_if_needed(name, 60)));
    }
  }
}

void check_soft_reading(const Reading& reading) {
  if (reading.has_probability()) return;
  throw std::invalid_argument(
      "raw scores say nothing of the outcome, and rules for soft attributes take no calibrator: "
      "calibrate the scores first, and give probabilities");
}

const SoftColumn& find_column(const SoftRows& rows, const std::string& name) {
  std::vector<std::string> known;
  for (const SoftColumn& column : rows.columns) {
    if (column.name == name) return column;
    known.push_back(column.name);
  }
  for (const auto* const list : {&rows.favorable, &rows.unfavorable}) {
    for (const SoftColumn& column : *list) {
      if (column.name == name) return column;
      known.push_back(column.name);
    }
  }
  throw std::out_of_range(fmt::format("there is no soft column {}{}", quoted_if_needed(name, 60),
                                      suggestion(name, known)));
}

void check_soft_rows(const SoftRows& rows, const Reading& reading) {
  const auto check_length = [&](std::size_t size, const std::string& what) {
    if (size == rows.size()) return;
    throw std::invalid_argument(
        fmt::format("there are {} scores but {} {}: columns differ in "
                    "length",
                    rows.size(), size, what));
  };
  for (const SoftColumn& column : rows.columns) {
    check_length(column.values.size(), "values of " + quoted_if_needed(column.name, 60));
  }
  if (rows.within) {
    check_length(rows.within->codes.size(), "strata");
    const auto& codes = rows.within->codes;
    const auto bad = std::find_if(codes.begin(), codes.end(),
                                  [&](CellCode code) { return code >= rows.within->names.size(); });
    if (bad != codes.end()) {
      throw BadRow(static_cast<std::size_t>(bad - codes.begin()),
                   fmt::format("there is no stratum with code {}", *bad));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!reading.valid(reading.turn(rows.score[i]))) {
      throw BadRow(i, fmt::format("the score {} is not valid on the {} scale",
                                  shortest(rows.score[i]), to_string(reading.scale)));
    }
  }
  for (const SoftColumn& column : rows.columns) {
    const auto bad = std::find_if_not(column.values.begin(), column.values.end(),
                                      [](double g) { return g >= 0 && g <= 1; });
    if (bad != column.values.end()) {
      throw BadRow(static_cast<std::size_t>(bad - column.values.begin()),
                   fmt::format("{} is {}, which is not a probability in [0, 1]",
                               quoted_if_needed(column.name, 60), shortest(*bad)));
    }
  }
}

void check_soft_weights(std::span<const double> weights, std::size_t rows) {
  if (weights.empty()) return;
  if (weights.size() != rows) {
    throw std::invalid_argument(fmt::format(
        "there are {} scores but {} weights: columns differ in length", rows, weights.size()));
  }
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (!(weights[i] >= 0) || std::isinf(weights[i])) {
      throw BadRow(i,
                   fmt::format("the weight {} is not a finite number >= 0", shortest(weights[i])));
    }
    sum += weights[i];
  }
  if (!(sum > 0)) throw std::invalid_argument("every weight is zero");
  if (std::isinf(sum)) throw std::invalid_argument("the sum of weights is infinite");
}

}  // namespace evenhand
