// From a cell's rate to its response.
#pragma once

#include <evenhand/rule.h>

#include <optional>

#include "solve/pieces.h"
#include "solve/polyline.h"

namespace evenhand {

// The piece that a rate accepts in part, and its fraction; none if it accepts none in part.
struct Split {
  std::size_t piece;
  double fraction;
};
std::optional<Split> split_at(const Pieces& pieces, double rate);

// The rate itself, or that of a threshold less than `snap` away: what is left of a whole number.
double snapped_rate(const Pieces& pieces, double rate, double snap);

// gamma = 0: yes above the threshold, a fraction at it such that the rate is met exactly.
Response steps_at(const Pieces& pieces, double rate, std::optional<int> level);

// gamma > 0: q = clip((h - price / total * a / n) / gamma, 0, 1).
struct Ramp {
  double price;           // of a unit of the rate
  std::vector<double> q;  // of each piece
};
Ramp ramp_at(const Pieces& pieces, const Polyline& line, double rate, double gamma);

// Through the fitted scores.
Response response_of(const Pieces& pieces, const Ramp& ramp);
// On the probability and signed scales two points suffice: q = clip((h - theta) / gamma). None if
// the ramp is narrower than the spacing of doubles.
std::optional<Response> linear_response(double theta, double gamma, const Reading& reading,
                                        const Costs& costs);

// The ramp of a cell with benefits from scores where each positive decision costs `theta`: two
// points, or through the fitted scores where the benefit is not linear in the score.
Response ramp_at_price(const Tally::Data& data, CellCode cell, const Outlook& outlook, double theta,
                       double gamma, const Costs& costs);

}  // namespace evenhand
