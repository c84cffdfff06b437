// Requirements, worked out for the cells of a tally.
#pragma once

#include <evenhand/solve.h>

#include <string>
#include <vector>

#include "solve/problem.h"
#include "solve/rows.h"

namespace evenhand {

// Whether the criterion or its requirements speak of outcomes, which are the labels' where there
// are any.
bool reads_labels(const Tally& tally, const Criterion& criterion);

// Favourable outcomes are counted only if something asks for them.
Population population_of(const Problem& problem);

struct Required {
  std::vector<Constraint> constraints;
  std::vector<std::string> notes;  // of those that do not count
};
// Throws std::invalid_argument for requirements that name no cell, or divide by nobody.
Required require(const Problem& problem, const Population& population);

// Ratios among the constraints that hold only because they divide by nobody, as notes for people.
std::vector<std::string> vacuous(const std::vector<Constraint>& constraints);

}  // namespace evenhand
