#include "solve/polyline.h"

#include <algorithm>
#include <cmath>

#include "support/infinity.h"

namespace evenhand {
namespace {

Polyline staircase(const Pieces& pieces) {
  Polyline line(2 * pieces.list.size());
  Knot* to = line.data();
  double before = 0;
  for (const Piece& piece : pieces.list) {
    if (piece.a == 0) continue;
    const double slope = pieces.total * (piece.n * piece.h / piece.a);
    *to++ = {before, slope, before};
    before = piece.reach / pieces.total;
    *to++ = {before, slope, before};
  }
  line.resize(static_cast<std::size_t>(to - line.data()));
  return line;
}

// With price theta for a unit of a, a piece has q = clip((h - theta a / n) / gamma): it enters the
// ramp at theta = h n / a and leaves it at (h - gamma) n / a. Both fall down the list of pieces.
Polyline ramp_line(const Pieces& pieces, double gamma, double lowest_theta) {
  struct Event {
    double theta;
    double change;  // of -dr/dtheta
    double reach;   // when the last piece that entered has left: the exact sum so far
  };
  std::vector<Event> enter;
  std::vector<Event> leave;
  for (const Piece& piece : pieces.list) {
    if (piece.a == 0) continue;
    const double change = piece.a * (piece.a / piece.n) / gamma / pieces.total;
    const double per_a = piece.n / piece.a;
    enter.push_back({piece.h * per_a, change, piece.reach});
    leave.push_back({(piece.h - gamma) * per_a, -change, piece.reach});
  }
  std::vector<Event> events;
  std::merge(enter.begin(), enter.end(), leave.begin(), leave.end(), std::back_inserter(events),
             [](const Event& x, const Event& y) { return x.theta > y.theta; });
  Polyline line;
  double rate = 0;
  double fall = 0;
  double theta = events.front().theta;
  std::size_t inside = 0;
  const auto put = [&] {
    rate = std::min(rate, 1.0);
    line.push_back({rate, pieces.total * theta, rate});
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.theta <= lowest_theta) break;
    rate += fall * (theta - event.theta);
    theta = event.theta;
    fall += event.change;
    event.change > 0 ? ++inside : --inside;
    if (inside == 0) {  // nothing in the ramp: sums are known exactly, so forget rounding
      fall = 0;
      rate = event.reach / pieces.total;
    }
    // Pieces of equal benefit leave together. A knot between them would still be rounded, and might
    // lie beyond the exact one.
    if (i + 1 == events.size() || events[i + 1].theta != theta) put();
  }
  return line;
}

// A false-positive rate above cost_fn / gamma has a price below -(cost_fn + cost_fp), at which q
// would have to fall with the score. No cell wants such a rate, since no q is above h / gamma, so
// no stratum has one: this only completes the line, as if all pieces were one.
void complete(Polyline& line, const Pieces& pieces, double gamma, double lowest_theta,
              const Costs& costs) {
  const double q = std::min(1.0, costs.false_negative / gamma);  // of all pieces at lowest_theta
  line.push_back({q, pieces.total * lowest_theta, q});
  if (q == 1) return;
  double n = 0;
  double nh = 0;
  for (const Piece& piece : pieces.list) {
    n += piece.n;
    nh += piece.n * piece.h;
  }
  line.push_back({1, nh - gamma * n, 1});
}

// The last knot at or before `at`; line.size() if there is none.
std::size_t knot_before(const Polyline& line, double at) {
  const auto next = std::partition_point(line.begin(), line.end(),
                                         [at](const Knot& knot) { return knot.at <= at; });
  return next == line.begin() ? line.size() : static_cast<std::size_t>(next - line.begin()) - 1;
}

double between(double from, double to, double share) {
  return from == to ? from : from + (to - from) * share;
}

}  // namespace

Polyline line_of(const Pieces& pieces, double gamma, Rate rate, const Costs& costs) {
  if (gamma == 0) return staircase(pieces);
  if (rate != Rate::false_positive) return ramp_line(pieces, gamma, -infinity);
  const double lowest = -(costs.false_negative + costs.false_positive);
  Polyline line = ramp_line(pieces, gamma, lowest);
  if (line.empty() || line.back().rate < 1) {
    complete(line, pieces, gamma, lowest, costs);
  }
  return line;
}

Polyline relate(const Polyline& line, Relation relation, double tolerance, double ratio) {
  // While more is better a cell is at the top of what is allowed, afterwards at the bottom.
  const bool by_ratio = relation == Relation::ratio;
  const auto at_top = [&](double rate) { return by_ratio ? rate : rate - tolerance; };
  const auto at_bottom = [&](double rate) { return by_ratio ? rate / ratio : rate; };
  const double factor = by_ratio ? ratio : 1;
  Polyline out(line.size() + 2);
  Knot* to = out.data();
  std::size_t i = 0;
  for (; i < line.size() && line[i].slope > 0; ++i) {
    *to++ = {at_top(line[i].rate), line[i].slope, line[i].rate};
  }
  const double best = best_rate(line);
  *to++ = {at_top(best), 0, best};
  *to++ = {at_bottom(best), 0, best};
  for (; i < line.size(); ++i) {
    *to++ = {at_bottom(line[i].rate), factor * line[i].slope, line[i].rate};
  }
  return out;
}

double best_rate(const Polyline& line) {
  std::size_t i = 0;
  while (i < line.size() && line[i].slope > 0) ++i;
  if (i == 0) return line.front().rate;
  if (i == line.size()) return line.back().rate;
  const Knot& above = line[i - 1];
  const Knot& below = line[i];
  return between(above.rate, below.rate, above.slope / (above.slope - below.slope));
}

double slope_right_of(const Polyline& line, double at) {
  const std::size_t i = knot_before(line, at);
  if (i == line.size()) return infinity;
  if (i + 1 == line.size()) return -infinity;
  const Knot& left = line[i];
  const Knot& right = line[i + 1];
  if (left.at == at) return left.slope;
  return between(left.slope, right.slope, (at - left.at) / (right.at - left.at));
}

double slope_left_of(const Polyline& line, double at) {
  const auto found = std::partition_point(line.begin(), line.end(),
                                          [at](const Knot& knot) { return knot.at < at; });
  if (found == line.begin()) return infinity;
  if (found == line.end()) return -infinity;
  if (found->at == at) return found->slope;
  const Knot& left = *std::prev(found);
  return between(left.slope, found->slope, (at - left.at) / (found->at - left.at));
}

double rate_at(const Polyline& line, double at) {
  const std::size_t i = knot_before(line, at);
  if (i == line.size()) return line.front().rate;
  const Knot& left = line[i];
  if (i + 1 == line.size() || left.at == at) return left.rate;
  const Knot& right = line[i + 1];
  if (left.at == left.rate && right.at == right.rate) return at;
  return between(left.rate, right.rate, (at - left.at) / (right.at - left.at));
}

}  // namespace evenhand
