#include <evenhand/audit.h>

#include <algorithm>

namespace evenhand {

std::span<const RateOf> all_rates() noexcept {
  static constexpr RateOf rates[] = {
      {Rate::selection, "selection_rate", "selection rate", "selected", &Figures::selection_rate,
       &Figures::selection_interval, &Comparison::selection_rate},
      {Rate::true_positive, "true_positive_rate", "true-positive rate", "true pos.",
       &Figures::true_positive_rate, &Figures::true_positive_interval,
       &Comparison::true_positive_rate},
      {Rate::false_positive, "false_positive_rate", "false-positive rate", "false pos.",
       &Figures::false_positive_rate, &Figures::false_positive_interval,
       &Comparison::false_positive_rate},
  };
  return rates;
}

const RateOf& rate_of(Rate rate) noexcept {
  return *std::find_if(all_rates().begin(), all_rates().end(),
                       [&](const RateOf& one) { return one.rate == rate; });
}

}  // namespace evenhand
