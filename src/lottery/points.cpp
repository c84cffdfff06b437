#include "lottery/points.h"

#include <algorithm>

#include "support/boundary.h"
#include "support/parallel.h"

namespace evenhand {
namespace {

constexpr std::size_t block = 4096;  // scores between two sums that are kept

}  // namespace

PointSums::PointSums(const Tally::Data& data, CellCode cell, bool from_labels,
                     const Outlook& outlook, const Costs& costs, unsigned threads)
    : sorted_(data.sorted()),
      outlook_(outlook),
      costs_(costs),
      cell_(cell),
      from_labels_(from_labels) {
  const std::size_t begin = sorted_.start[cell];
  score_ = std::span(sorted_.score).subspan(begin, sorted_.start[cell + 1] - begin);
  before_.resize(score_.size() / block + 2);
  parallel(before_.size() - 1, threads, [&](std::size_t b) {
    At inside;
    const std::size_t last = std::min(score_.size(), (b + 1) * block);
    for (std::size_t k = b * block + 1; k <= last; ++k) add(inside, k);
    before_[b + 1] = inside;
  });
  for (std::size_t b = 1; b < before_.size(); ++b) {
    before_[b] = {before_[b - 1].n + before_[b].n, before_[b - 1].y + before_[b].y};
  }
}

void PointSums::add(At& sum, std::size_t k) const {
  const std::size_t i = sorted_.start[cell_ + 1] - k;
  const double n = sorted_.n(i);
  sum.n += n;
  sum.y += from_labels_ ? sorted_.n1[i] : n * outlook_.probability(cell_, sorted_.score[i]);
}

At PointSums::at(std::size_t k) const {
  const std::size_t b = k / block;
  At inside;
  for (std::size_t i = b * block + 1; i <= k; ++i) add(inside, i);
  return {before_[b].n + inside.n, before_[b].y + inside.y};
}

Points PointSums::stretch(std::size_t first, std::size_t last, unsigned threads) const {
  Points out;
  out.score = score_;
  out.whole = before_.back();
  for (Doubles* sums : {&out.n, &out.y, &out.value}) sums->resize(last - first);
  const std::size_t first_block = first / block;
  parallel((last + block - 1) / block - first_block, threads, [&](std::size_t task) {
    const std::size_t b = first_block + task;
    At inside;
    for (std::size_t k = b * block; k < std::min(last, (b + 1) * block); ++k) {
      if (k > b * block) add(inside, k);
      if (k < first) continue;
      const At sum{before_[b].n + inside.n, before_[b].y + inside.y};
      out.n[k - first] = sum.n;
      out.y[k - first] = sum.y;
      out.value[k - first] = value(sum);
    }
  });
  return out;
}

std::size_t PointSums::first_where(const std::function<bool(const At&)>& reached) const {
  const auto next = std::partition_point(before_.begin(), before_.end(),
                                         [&](const At& sum) { return !reached(sum); });
  if (next == before_.begin()) return 0;
  if (next == before_.end()) return size();
  const auto b = static_cast<std::size_t>(next - before_.begin()) - 1;
  At inside;
  std::size_t k = b * block;
  do {
    add(inside, ++k);
  } while (!reached({before_[b].n + inside.n, before_[b].y + inside.y}));
  return k;
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

Response response_of(std::span<const double> score, const Mixture& mixture,
                     std::optional<int> level) {
  return response_of(mixture, score.size(), [&](std::size_t k) {
    const std::size_t upper = score.size() - k;  // of the k-th best score
    return boundary_between(score[upper - 1], score[upper], level);
  });
}

}  // namespace evenhand
