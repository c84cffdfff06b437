#include <evenhand/response.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/settle.h"
#include "support/infinity.h"

namespace evenhand {
namespace {}  // namespace

double Response::operator()(double x) const noexcept {
  // The first point beyond x; the one before it, if any, is at most x.
  const auto next = std::partition_point(points.begin(), points.end(),
                                         [x](const Point& point) { return point.score <= x; });
  if (shape == Shape::steps) return next == points.begin() ? start : std::prev(next)->q;
  if (next == points.begin()) return next->q;
  const Point& left = *std::prev(next);
  if (next == points.end() || left.score == x) return left.q;
  double share = (x - left.score) / (next->score - left.score);
  if (!std::isfinite(next->score - left.score)) {
    share = (x / 2 - left.score / 2) / (next->score / 2 - left.score / 2);
  }
  return std::min(left.q + (next->q - left.q) * share, next->q);
}

void settle(Response& response, const std::string& where) {
  const auto fail = [&](std::string_view what) {
    throw std::invalid_argument(fmt::format("{}: {}", where, what));
  };
  const auto is_probability = [](double q) { return q >= 0 && q <= 1; };
  const bool steps = response.shape == Response::Shape::steps;
  if (!is_probability(response.start)) fail("the start is not a probability in [0, 1]");
  if (!steps && response.points.empty()) fail("a ramp needs at least one point");
  double last_score = -infinity;
  double last_q = steps ? response.start : 0;
  response.start += 0.0;
  for (Point& point : response.points) {
    if (!std::isfinite(point.score)) fail("a score is not a finite number");
    if (!is_probability(point.q)) fail("a probability is not in [0, 1]");
    if (!(point.score > last_score)) fail("scores do not ascend");
    if (point.q < last_q) fail("probabilities fall as scores rise");
    last_score = point.score += 0.0;
    last_q = point.q += 0.0;
  }
}

}  // namespace evenhand
