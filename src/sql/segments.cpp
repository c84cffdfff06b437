#include <evenhand/segments.h>

#include <cmath>

#include "support/dyadic.h"
#include "support/first_where.h"

namespace evenhand {
namespace {

Segment line_between(const Point& left, const Point& right) {
  Segment out{.p = left.q, .rise = right.q - left.q, .a = left.score, .most = right.q};
  out.width = right.score - left.score;
  out.halves = !std::isfinite(out.width);
  if (out.halves) {
    out.a = left.score / 2;
    out.width = right.score / 2 - left.score / 2;
  }
  return out;
}

}  // namespace

std::vector<Segment> segments_of(const Rule& rule, CellCode cell, bool traps_underflow) {
  const RuleParts& parts = rule.parts();
  const Response& response = parts.responses[cell];
  // Cutting is nondecreasing: a cut score reaches a point from some score on.
  const auto seen = [&](double x) { return parts.level ? cut(x, *parts.level, parts.reading) : x; };
  const auto reaches = [&](double point) {
    return first_where(parts.reading, [&](double x) { return seen(x) >= point; });
  };
  const bool steps = response.shape == Response::Shape::steps;
  std::vector<Segment> out = {{.p = steps ? response.start : response.points.front().q}};
  const auto add = [&](double from, Segment segment) {
    if (!std::isfinite(from)) return;  // no score of the scale gets there
    segment.from = from;
    while (out.size() > 1 && out.back().from >= from) out.pop_back();
    if (from == parts.reading.lowest()) out.clear();  // all scores do
    const bool same =
        !out.empty() && !out.back().is_line() && !segment.is_line() && out.back().p == segment.p;
    if (!same) out.push_back(segment);
  };
  for (std::size_t i = 0; i < response.points.size(); ++i) {
    const Point& point = response.points[i];
    const double from = reaches(point.score);
    if (steps || i + 1 == response.points.size()) {
      add(from, {.p = point.q});
      continue;
    }
    const Segment line = line_between(point, response.points[i + 1]);
    const double end = reaches(response.points[i + 1].score);
    if (traps_underflow && line.is_line()) {
      // Where the line rises by so little that it is lost, it is a constant.
      const double beyond =
          first_where(parts.reading, [&](double x) { return seen(x) > point.score; });
      const double kept = first_where(parts.reading, [&](double x) {
        const double y = line.halves ? seen(x) / 2 : seen(x);
        return y > line.a && line.rise * ((y - line.a) / line.width) != 0;
      });
      if (kept > beyond) {
        add(from, {.p = point.q});
        if (kept < end) add(kept, line);
        continue;
      }
    }
    add(from, line);
  }
  out.front().from = -std::numeric_limits<double>::infinity();
  return out;
}

std::vector<Segment> unseen_segments(const Rule& rule, Unseen unseen) {
  if (unseen == Unseen::error) return {};
  std::vector<Segment> out = {{.p = 0}};
  if (unseen == Unseen::score && std::isfinite(rule.parts().otherwise)) {
    out.push_back({.from = rule.parts().otherwise, .p = 1});
  }
  return out;
}

}  // namespace evenhand
