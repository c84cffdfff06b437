// The thresholds of a cell: point k selects its k best distinct scores.
#pragma once

#include <evenhand/criterion.h>
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

// Those that a rate counts.
inline double counted(Rate rate, const At& at) noexcept {
  return rate == Rate::selection ? at.n : rate == Rate::true_positive ? at.y : at.n - at.y;
}

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

// The same, any stretch of them, worked out when it is asked for: sums are kept of every few
// thousand scores only. Thread-safe.
class PointSums {
 public:
  // Refers to data and outlook.
  PointSums(const Tally::Data& data, CellCode cell, bool from_labels, const Outlook& outlook,
            const Costs& costs, unsigned threads);

  std::size_t size() const noexcept { return score_.size() + 1; }  // of all points
  std::span<const double> score() const noexcept { return score_; }
  At at(std::size_t k) const;
  double value(const At& at) const noexcept {
    return costs_.false_negative * at.y - costs_.false_positive * (at.n - at.y);
  }
  // Points first <= k < last; `score` and `whole` are those of the cell.
  Points stretch(std::size_t first, std::size_t last, unsigned threads = 1) const;
  // The first point for which `reached` holds; once it does, it does for all after it.
  std::size_t first_where(const std::function<bool(const At&)>& reached) const;

 private:
  void add(At& sum, std::size_t k) const;  // the k-th best score, from 1

  const Sorted& sorted_;
  const Outlook& outlook_;
  Costs costs_;
  CellCode cell_;
  bool from_labels_;
  std::span<const double> score_;
  std::vector<At> before_;  // each block of scores
};

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
Response response_of(std::span<const double> score, const Mixture& mixture,
                     std::optional<int> level);
// The same where `boundary` says between which scores a threshold is.
Response response_of(const Mixture& mixture, std::size_t all,
                     const std::function<double(std::size_t k)>& boundary);

}  // namespace evenhand
