// What a criterion and its requirements ask of the people at hand.
#pragma once

#include <evenhand/requirement.h>

#include <map>
#include <string>
#include <vector>

#include "verify/model.h"

namespace evenhand::verifying {

// A measure of some cells together.
struct Group {
  Measure measure = Measure::rate;
  std::vector<CellCode> cells;  // those that it counts
  std::vector<CellCode> whole;  // of a share

  bool operator<(const Group& other) const {
    return measure != other.measure ? measure < other.measure : cells < other.cells;
  }
};

enum class By { rule, base };
// NaN if it divides by nobody.
double value_of(const Model& model, const Group& group, By by = By::rule);

// How much larger rounding is in a ratio than in the sums that it divides: 1 for other measures.
double magnified(const Model& model, const Group& group);

// Rates that the criterion's relation ties to each other.
struct Comparison {
  std::vector<Group> members;
};
std::vector<Comparison> comparisons_of(const Model& model);

double violation(const Model& model, const Comparison& comparison);
// The largest sum of price * rate over all rates that the relation allows.
double support(const Model& model, const std::vector<double>& prices);

// sum of factor * group (<=, = or >=) bound.
struct Limit {
  struct Part {
    double factor = 1;
    Group of;
  };
  std::string text;  // as the record has it
  std::vector<Part> parts;
  Sense sense = Sense::at_most;
  double bound = 0;
};
// All requirements, one for each group of `for each`, two of an absolute value.
std::vector<Limit> limits_of(const Model& model);
// A comparison that the record words as a requirement. Throws std::invalid_argument if it is none.
Limit limit_in(const Model& model, const std::string& text);

double value_of(const Model& model, const Limit& limit);

// The same as a row: its prices in each cell, for a multiplier of 1, and its bound. Ratios are
// multiplied by what they divide by, relative to all people they are about.
struct Row {
  std::vector<Price> prices;
  double bound = 0;
  double unit = 1;  // what makes a violation comparable with a rate
};
Row row_of(const Model& model, const Limit& limit);
double violation(const Model& model, const Limit& limit);

// Adds the price of one unit of the measure.
void add_price(const Model& model, const Group& group, double price, std::vector<Price>& prices);

}  // namespace evenhand::verifying
