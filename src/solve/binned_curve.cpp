#include "solve/binned_curve.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>

namespace evenhand {

bool BinnedCurve::serves(const Tally::Data& data, const Outlook& outlook) {
  return data.binned && data.binned->weight.empty() && outlook.known();
}

BinnedCurve::BinnedCurve(const Tally::Data& data, const Wide* chances, CellCode cell,
                         const Outlook& outlook, const Costs& costs)
    : binned_(*data.binned),
      cell_(cell),
      outlook_(outlook),
      costs_(costs),
      chances_from_(binned_.bins + 1) {
  for (std::size_t bin = binned_.bins; bin-- > 0;) {
    Wide sum = chances_from_[bin + 1];
    const std::size_t slot = binned_.slot(cell, bin);
    for (std::size_t part = 0; part < binned_.parts; ++part) sum += chances[slot + part];
    chances_from_[bin] = sum;
  }
}

BinnedCurve::Sums BinnedCurve::from_bin(std::size_t bin) const {
  const std::size_t rows =
      binned_.start[binned_.slot(cell_, binned_.bins)] - binned_.start[binned_.slot(cell_, bin)];
  return {static_cast<double>(rows), chances_from_[bin]};
}

BinnedCurve::Sums BinnedCurve::from_score(double score) const {
  const std::size_t bin = binned_.bin_of(score);
  Sums sums = from_bin(bin + 1);
  for (const double x : binned_.in_bin(cell_, bin)) {
    if (x >= score) add(sums, x);
  }
  return sums;
}

void BinnedCurve::add(Sums& sums, double score) const {
  sums.n += 1;
  sums.chances += chance_units(outlook_.probability(cell_, score));
}

Reach BinnedCurve::reach(const Sums& sums) const {
  return reach_of_scores(sums.n, benefit_of_sums(sums.n, sums.chances, costs_), costs_);
}

CellVertices::Best BinnedCurve::best(double benefit_weight, const CellPrice& price) const {
  const PricedLine z = priced_line(false, costs_, benefit_weight, price);
  if (!(z.kappa > 0)) return everybody_or_nobody(*this, z);
  const Reach reached = reach(from_score(outlook_.first_above(cell_, costs_, z.tau / z.kappa)));
  return {reached, z.kappa * reached.benefit - z.tau * reached.n};
}

Reach BinnedCurve::total() const {
  return reach(from_bin(0));
}

double BinnedCurve::magnitude() const {
  return magnitude_of_vertices(*this);
}

double BinnedCurve::most_benefit(double n) const {
  if (n <= 0) return 0;
  const auto bins = std::views::iota(std::size_t{0}, binned_.bins);
  const std::size_t bin =
      *std::ranges::partition_point(bins, [&](std::size_t b) { return from_bin(b + 1).n >= n; });
  Sums above = from_bin(bin + 1);
  // The last one selected has this place among the scores of the bin, best first.
  const auto place = static_cast<std::size_t>(std::ceil(n - above.n)) - 1;
  const std::span<const double> rows = binned_.in_bin(cell_, bin);
  std::vector<double> scores(rows.begin(), rows.end());
  if (place >= scores.size()) return total().benefit;
  const auto last = scores.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(scores.begin(), last, scores.end(), std::greater<>());
  for (auto score = scores.begin(); score != last; ++score) {
    if (*score > *last) add(above, *score);
  }
  const double p = outlook_.probability(cell_, *last);
  return reach(above).benefit + (n - above.n) * benefit(p, costs_);
}

}  // namespace evenhand
