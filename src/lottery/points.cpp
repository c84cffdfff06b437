#include "lottery/points.h"

#include <algorithm>

#include "support/boundary.h"

namespace evenhand {

Points points_of(const Tally::Data& data, CellCode cell, bool from_labels, const Outlook& outlook,
                 const Costs& costs) {
  const Sorted& sorted = data.sorted();
  const std::size_t begin = sorted.start[cell];
  const std::size_t end = sorted.start[cell + 1];
  Points out;
  out.score = std::span(sorted.score).subspan(begin, end - begin);
  for (Doubles* sums : {&out.n, &out.y, &out.value}) {
    sums->resize(end - begin + 1);
    sums->front() = 0;
  }
  double n = 0;
  double y = 0;
  for (std::size_t k = 1; k < out.n.size(); ++k) {
    const std::size_t i = end - k;
    out.n[k] = n += sorted.n[i];
    out.y[k] = y +=
        from_labels ? sorted.n1[i] : sorted.n[i] * outlook.probability(cell, sorted.score[i]);
    out.value[k] = costs.false_negative * y - costs.false_positive * (n - y);
  }
  out.whole = {n, y};
  return out;
}

double rounding_of(const Points& points) {
  constexpr double of_a_rate = 1e-11;
  double least = points.whole.n;
  for (const double outcomes : {points.whole.y, points.whole.n - points.whole.y}) {
    if (outcomes > 0) least = std::min(least, outcomes);
  }
  return of_a_rate * least;
}

At reached(const Points& points, const Mixture& mixture) {
  At out;
  for (const Share& share : mixture) {
    out.n += share.weight * points.n[share.k];
    out.y += share.weight * points.y[share.k];
  }
  return out;
}

Response response_of(const Mixture& mixture, std::size_t all,
                     const std::function<double(std::size_t k)>& boundary) {
  Response out;
  double q = 0;
  for (auto share = mixture.rbegin(); share != mixture.rend(); ++share) {
    // The thresholds from here on select everybody above this one: together they are certain.
    q = share + 1 == mixture.rend() ? 1 : q + share->weight;
    if (share->k == 0) break;
    if (share->k == all) {
      out.start = q;
    } else {
      out.points.push_back({boundary(share->k), q});
    }
  }
  return out;
}

Response response_of(const Points& points, const Mixture& mixture, std::optional<int> level) {
  return response_of(mixture, points.score.size(), [&](std::size_t k) {
    const std::size_t upper = points.score.size() - k;  // of the k-th best score
    return boundary_between(points.score[upper - 1], points.score[upper], level);
  });
}

}  // namespace evenhand
