#include "tally/data.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace evenhand {

const Sorted& Tally::Data::sorted() const {
  if (has_sorted_) return sorted_;
  std::call_once(once_, [this] {
    sorted_ = sort_bins(*binned, names.size(), 0);
    has_sorted_ = true;
  });
  return sorted_;
}

const Sorted* Tally::Data::sorted_if_made() const noexcept {
  return has_sorted_ ? &sorted_ : nullptr;
}

void Tally::Data::set_binned(BinnedRows rows) {
  binned = std::move(rows.binned);
  if (rows.chances.empty()) return;
  std::call_once(chances_once_, [&] { chances_ = std::move(rows.chances); });
}

void Tally::Data::set_sorted(Sorted sorted) {
  sorted_ = std::move(sorted);
  const auto is_one = [](double n) { return n == 1; };
  if (std::all_of(sorted_.counts.begin(), sorted_.counts.end(), is_one)) sorted_.counts = {};
  has_sorted_ = true;
}

double Tally::Data::weight() const noexcept {
  return std::accumulate(totals.begin(), totals.end(), 0.0,
                         [](double sum, const CellTotal& total) { return sum + total.n; });
}

}  // namespace evenhand
