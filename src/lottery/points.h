// The thresholds of a cell: point k selects its k best distinct scores.
#pragma once

#include <evenhand/response.h>
#include <evenhand/scale.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "calibrate/outlook.h"
#include "tally/data.h"

namespace evenhand {

// A point of the plane.
struct At {
  double n = 0;
  double y = 0;
};

// Sums over the k best scores, for k = 0 ... number of scores. A rule that is nondecreasing in the
// score is a mixture of these points, and what it reaches is their mixture in the plane (n, y).
struct Points {
  Doubles n;                      // weight; rises strictly
  Doubles y;                      // favourable outcomes: counted, or as the scores expect them
  Doubles value;                  // benefit, the objective; empty if these are not all points
  std::span<const double> score;  // turned, ascending: the k-th best is score[score.size() - k]
  At whole;                       // the last point of the cell

  std::size_t size() const noexcept { return n.size(); }
  std::size_t last() const noexcept { return n.size() - 1; }
};

Points points_of(const Tally::Data& data, CellCode cell, bool from_labels, const Outlook& outlook,
                 const Costs& costs);

// What is left of a distance in the plane by rounding alone: 1e-11 of a rate.
double rounding_of(const Points& points);

// Thresholds of all in the cell, each with its weight: k ascends, weights are positive and add up
// to 1. People whom all of them select, or none, need no coin.
struct Share {
  std::size_t k;
  double weight;
};
using Mixture = std::vector<Share>;

At reached(const Points& points, const Mixture& mixture);
Response response_of(const Points& points, const Mixture& mixture, std::optional<int> level);
// The same where `boundary` says between which scores a threshold is.
Response response_of(const Mixture& mixture, std::size_t all,
                     const std::function<double(std::size_t k)>& boundary);

}  // namespace evenhand
