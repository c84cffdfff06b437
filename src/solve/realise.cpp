#include "solve/realise.h"

#include <algorithm>
#include <cmath>

#include "support/boundary.h"

namespace evenhand {
namespace {

double clip(double q) {
  return std::clamp(q, 0.0, 1.0);
}

}  // namespace

std::optional<Split> split_at(const Pieces& pieces, double rate) {
  const auto& list = pieces.list;
  const std::size_t at = partial_piece(pieces, rate);
  if (at == list.size() || !(list[at].a > 0)) return std::nullopt;
  // In rates, not in weights: then multiplying all weights by a number changes no bit.
  const double before = at == 0 ? 0 : list[at - 1].reach / pieces.total;
  const double after = list[at].reach / pieces.total;
  const double fraction = (rate - before) / (after - before);
  if (!(fraction > 0)) return std::nullopt;
  return Split{at, std::min(fraction, 1.0)};
}

double snapped_rate(const Pieces& pieces, double rate, double snap) {
  const std::optional<Split> split = split_at(pieces, rate);
  if (!split) return rate;
  const double before = split->piece == 0 ? 0 : pieces.list[split->piece - 1].reach / pieces.total;
  const double after = pieces.list[split->piece].reach / pieces.total;
  return rate - before < snap ? before : after - rate < snap ? after : rate;
}

Response steps_at(const Pieces& pieces, double rate, std::optional<int> level) {
  const auto& list = pieces.list;
  const std::size_t at = partial_piece(pieces, rate);
  Response out;
  if (at == list.size()) {
    out.start = 1;
    return out;
  }
  if (const std::optional<Split> split = split_at(pieces, rate)) {
    if (at + 1 == list.size()) {
      out.start = split->fraction;
    } else {
      out.points.push_back(
          {boundary_between(list[at + 1].high, list[at].low, level), split->fraction});
    }
  }
  if (at > 0) out.points.push_back({boundary_between(list[at].high, list[at - 1].low, level), 1});
  return out;
}

Ramp ramp_at(const Pieces& pieces, const Polyline& line, double rate, double gamma) {
  const auto evaluate = [&](double theta) {
    Ramp ramp{pieces.total * theta, std::vector<double>(pieces.list.size())};
    for (std::size_t i = 0; i < ramp.q.size(); ++i) {
      const Piece& piece = pieces.list[i];
      ramp.q[i] = clip((piece.h - theta * (piece.a / piece.n)) / gamma);
    }
    return ramp;
  };
  // In the middle of a drop no piece is on the ramp, and its place does not matter to them.
  double high = slope_left_of(line, rate);
  double low = slope_right_of(line, rate);
  if (std::isinf(high)) high = low;
  if (std::isinf(low)) low = high;
  double theta = (low / 2 + high / 2) / pieces.total;
  Ramp ramp = evaluate(theta);
  if (low != high) return ramp;
  // The line's rates are sums of many roundings; Newton's method on the exact rate undoes them.
  for (int round = 0; round < 4; ++round) {
    double reached = 0;
    double fall = 0;
    for (std::size_t i = 0; i < ramp.q.size(); ++i) {
      const Piece& piece = pieces.list[i];
      reached += piece.a * ramp.q[i];
      if (ramp.q[i] > 0 && ramp.q[i] < 1) fall += piece.a * (piece.a / piece.n) / gamma;
    }
    const double missing = rate * pieces.total - reached;
    if (!(fall > 0) || missing == 0) break;
    const double next = theta - missing / fall;
    if (next == theta) break;
    theta = next;
    ramp = evaluate(theta);
  }
  return ramp;
}

Response response_of(const Pieces& pieces, const Ramp& ramp) {
  Response out;
  out.shape = Response::Shape::ramp;
  // Of neighbours with equal q the first and the last suffice.
  const auto put = [&out](double score, double q) {
    auto& points = out.points;
    const std::size_t size = points.size();
    if (size >= 2 && points[size - 1].q == q && points[size - 2].q == q) points.pop_back();
    points.push_back({score, q});
  };
  for (std::size_t i = pieces.list.size(); i-- > 0;) {
    const Piece& piece = pieces.list[i];
    const double q = out.points.empty() ? ramp.q[i] : std::max(out.points.back().q, ramp.q[i]);
    put(piece.low, q);
    if (piece.high > piece.low) put(piece.high, q);
  }
  // Before the first and after the last point q stays what it is.
  auto& points = out.points;
  if (points.size() >= 2 && points[0].q == points[1].q) points.erase(points.begin());
  if (points.size() >= 2 && points.back().q == points[points.size() - 2].q) points.pop_back();
  return out;
}

std::optional<Response> linear_response(double theta, double gamma, const Reading& reading,
                                        const Costs& costs) {
  const auto score_where = [&](double h) {
    const double p = (h + costs.false_positive) / (costs.false_negative + costs.false_positive);
    if (reading.scale == Scale::signed_) return 2 * p - 1;
    return reading.favorable == Favorable::high ? p : p - 1;
  };
  const double from = score_where(theta);
  const double to = score_where(theta + gamma);
  if (!(from < to)) return std::nullopt;
  return Response{Response::Shape::ramp, 0, {{from, 0}, {to, 1}}};
}

Response ramp_at_price(const Tally::Data& data, CellCode cell, const Outlook& outlook, double theta,
                       double gamma, const Costs& costs) {
  if (outlook.linear()) {
    if (auto linear = linear_response(theta, gamma, data.reading, costs)) return *linear;
  }
  const Pieces pieces = pieces_of_scores(data, cell, outlook, costs, false);
  Ramp ramp{pieces.total * theta, {}};
  for (const Piece& piece : pieces.list) ramp.q.push_back(clip((piece.h - theta) / gamma));
  return response_of(pieces, ramp);
}

}  // namespace evenhand
