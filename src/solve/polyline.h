// The slope of a cell's best objective as a function of its rate: a falling polyline. All criteria
// of one rate are sums of such lines (docs/method.md, "One rate").
#pragma once

#include <evenhand/criterion.h>

#include <vector>

#include "solve/pieces.h"

namespace evenhand {

struct Knot {
  double at;     // the parameter that cells have in common
  double slope;  // of the best objective there
  double rate;   // of this cell there
};

// `at` and `rate` rise, `slope` falls. Knots with equal `at` are a vertical drop.
using Polyline = std::vector<Knot>;

// The line of a cell, its rate being the parameter. For gamma = 0 a staircase; for gamma > 0 knots
// where a piece enters or leaves the ramp. `costs` are needed for gamma > 0 only.
Polyline line_of(const Pieces& pieces, double gamma, Rate rate, const Costs& costs);

// Turns the rate into the stratum's parameter: with a tolerance, the lowest rate allowed, with a
// ratio the highest one. The cell takes its best rate among those allowed.
Polyline relate(const Polyline& line, Relation relation, double tolerance, double ratio);

double slope_right_of(const Polyline& line, double at);  // -infinity at the end
double slope_left_of(const Polyline& line, double at);   // infinity at the beginning
double rate_at(const Polyline& line, double at);
// The smallest rate that is best when nothing else counts.
double best_rate(const Polyline& line);

}  // namespace evenhand
