// Responses that reach a given point of a cell's polygon (chain.h).
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/chain.h"
#include "solve/realise.h"
#include "support/boundary.h"
#include "support/offset.h"

namespace evenhand {
namespace {

// What the linear program leaves of a whole number is rounding: a rule should not throw coins for
// it. The criterion is met to 1e-9 anyway.
double snapped(double q) {
  constexpr double tiny = 1e-11;
  return q < tiny ? 0 : q > 1 - tiny ? 1 : q;
}

// q of each block, best first, as a response.
Response steps_of(const Chain& chain, const std::vector<double>& q, std::optional<int> level) {
  Response out;
  out.start = q.back();
  for (std::size_t i = q.size() - 1; i-- > 0;) {
    const double last = out.points.empty() ? out.start : out.points.back().q;
    if (q[i] > last) {
      out.points.push_back(
          {boundary_between(chain.blocks[i + 1].high, chain.blocks[i].low, level), q[i]});
    }
  }
  return out;
}

double randomness(const Chain& chain, const std::vector<double>& q) {
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) sum += chain.blocks[i].n * q[i] * (1 - q[i]);
  return sum;
}

class Reaching {
 public:
  Reaching(const Chain& chain, Offset target, double sign)
      : chain_(chain), target_(target), total_{chain.s0.back(), chain.s1.back()}, sign_(sign) {}

  std::vector<double> least_random() {
    try_drop();
    try_lift();
    for (std::size_t j = 1; j < chain_.size(); ++j) try_two_levels(j);
    return best_;
  }

 private:
  Offset vertex(std::size_t k) const { return {chain_.s0[k], chain_.s1[k]}; }

  void consider(std::vector<double> q) {
    for (double& value : q) value = snapped(value);
    const double noise = randomness(chain_, q);
    if (noise < noise_) {
      noise_ = noise;
      best_ = std::move(q);
    }
  }

  // Where the ray from `from` through the target meets the chain: between vertices edge and
  // edge + 1, at this share of the way.
  struct Hit {
    std::size_t edge;
    double share;
    double stretch;  // |target - from| / |hit - from|, at most 1
  };
  Hit hit(const Offset& from) const {
    const Offset ray = target_ - from;
    const auto side = [&](std::size_t k) { return sign_ * cross(ray, vertex(k) - from); };
    // Vertices are first above the ray, then below it; the ray's own end counts as either.
    std::size_t low = 0;
    std::size_t high = chain_.size();
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (side(middle) > 0 ? low : high) = middle;
    }
    const double a = side(low);
    const double b = side(low + 1);
    double share = a != b ? std::clamp(a / (a - b), 0.0, 1.0) : 1;
    // On the edge next to the ray's end every point is in its direction: take the far one.
    if (low == 0 && from.n == 0) share = 1;
    if (low + 1 == chain_.size() && from.n != 0) share = 0;
    const Offset step = vertex(low + 1) - vertex(low);
    const Offset at{vertex(low).n + share * step.n, vertex(low).y + share * step.y};
    const Offset whole = at - from;
    const double size = std::abs(whole.n) + std::abs(whole.y);
    const double stretch = size > 0 ? (std::abs(ray.n) + std::abs(ray.y)) / size : 0;
    return {low, share, std::min(1.0, stretch)};
  }

  void try_drop() {
    const Hit at = hit({0, 0});
    std::vector<double> q(chain_.size(), 0);
    for (std::size_t i = 0; i < at.edge; ++i) q[i] = at.stretch;
    q[at.edge] = at.stretch * at.share;
    consider(std::move(q));
  }

  void try_lift() {
    const Hit at = hit(total_);
    std::vector<double> q(chain_.size(), 1 - at.stretch);
    for (std::size_t i = 0; i < at.edge; ++i) q[i] = 1;
    q[at.edge] = 1 - at.stretch * (1 - at.share);
    consider(std::move(q));
  }

  // target = low * total + (high - low) * vertex(j).
  void try_two_levels(std::size_t j) {
    const double area = cross(total_, vertex(j));
    if (area == 0) return;
    const double rise = cross(total_, target_) / area;
    const double low = cross(target_, vertex(j)) / area;
    constexpr double slack = 1e-12;
    if (!(rise >= 0 && rise <= 1 + slack && low >= -slack && low + rise <= 1 + slack)) return;
    std::vector<double> q(chain_.size(), std::clamp(low, 0.0, 1.0));
    for (std::size_t i = 0; i < j; ++i) q[i] = std::clamp(low + rise, 0.0, 1.0);
    consider(std::move(q));
  }

  const Chain& chain_;
  Offset target_;
  Offset total_;
  double sign_;
  double noise_ = std::numeric_limits<double>::infinity();
  std::vector<double> best_;
};

}  // namespace

Response response_reaching(const CellCurve& curve, double n, double n1, std::optional<int> level) {
  const Reach all = curve.total();
  const Offset total{all.n, all.n1};
  const Offset target{std::clamp(n, 0.0, total.n), std::clamp(n1, 0.0, total.y)};
  // Above the diagonal (none, everybody) the upper chain serves, below it the lower one.
  const double side = cross(total, target) / (total.n * std::max(total.n, 1e-300));
  Response constant;
  if (std::abs(side) < 1e-13) {
    constant.start = snapped(std::clamp(target.n / total.n, 0.0, 1.0));
    return constant;
  }
  const bool upper = side > 0;
  const Chain& chain = curve.chain(upper);
  return steps_of(chain, Reaching(chain, target, upper ? 1 : -1).least_random(), level);
}

Response ramp_response(const CellCurve& curve, const CellPrice& price, double gamma) {
  const CellCurve::Line z = curve.line(1, price);
  const Chain& chain = curve.chain(z.upper);
  Pieces pieces;
  Ramp ramp{0, {}};
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Block& block = chain.blocks[i];
    pieces.list.push_back({block.low, block.high, block.n, 0, block.n});
    ramp.q.push_back(std::clamp((z.kappa * chain.x[i] - z.tau) / gamma, 0.0, 1.0));
  }
  return response_of(pieces, ramp);
}

}  // namespace evenhand
