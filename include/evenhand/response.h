// A nondecreasing function of the score, given by points.
#pragma once

#include <vector>

namespace evenhand {

struct Point {
  double score;  // turned: negated where low scores are favourable
  double q;      // a probability, in [0, 1]: of a positive decision or of a favourable outcome
  bool operator==(const Point&) const = default;
};

// Scores and probabilities ascend, scores strictly.
struct Response {
  enum class Shape {
    steps,  // `start`, then q of the last point whose score is at most the given one
    // Linear between points: left.q + (right.q - left.q) * ((x - left.score) / (right.score -
    // left.score)), at most right.q; q of the first point below it, of the last above it.
    ramp,
  };
  Shape shape = Shape::steps;
  double start = 0;  // of steps
  std::vector<Point> points;

  double operator()(double x) const noexcept;  // x: a turned score
  bool operator==(const Response&) const = default;
};

}  // namespace evenhand
